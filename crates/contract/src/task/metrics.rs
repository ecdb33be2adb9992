//! What a run cost, as far as its executor says.

use serde_json::Value;

use crate::json::{self, Object};
use crate::loose;

const SCHEMA: &str = "agents-api/execution-metrics/v1";
const TEXTS: [&str; 2] = ["environment", "failure_class"];
const COUNTS: [&str; 6] = [
    "wall_time_ms",
    "startup_time_ms",
    "tool_call_count",
    "payload_bytes_in",
    "payload_bytes_out",
    "artifact_bytes",
];

/// The metrics of a run: known ones in normal form, unknown ones kept.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Metrics(Object);

impl Metrics {
    /// Reads metrics; a known one that makes no sense is dropped, for a wrong number is worse than none.
    pub fn parse(value: &Value, executor_id: &str) -> Self {
        let Some(raw) = value.as_object().filter(|raw| !raw.is_empty()) else { return Self::default() };
        let mut metrics = raw.clone();
        for key in TEXTS {
            replace(&mut metrics, key, |value| loose::text(value).map(Value::String));
        }
        for key in COUNTS {
            replace(&mut metrics, key, count);
        }
        replace(&mut metrics, "per_tool_timings_ms", |value| {
            let timings = value.as_object()?.iter();
            Some(timings.filter_map(|(tool, time)| Some((tool.clone(), count(time)?))).collect())
        });
        replace(&mut metrics, "quality_signals", |value| value.is_object().then(|| value.clone()));
        replace(&mut metrics, "raw_refs", |value| value.is_array().then(|| value.clone()));
        for (key, default) in [("schema", SCHEMA), ("executor_id", executor_id)] {
            let said = json::present(raw, key).and_then(loose::text);
            metrics.insert(key.into(), said.unwrap_or_else(|| default.to_owned()).into());
        }
        Self(metrics)
    }

    /// The wire form; empty when nothing was measured.
    pub fn to_value(&self) -> Value {
        Value::Object(self.0.clone())
    }
}

/// Puts a metric into its normal form, or takes it out when it has none.
fn replace(metrics: &mut Object, key: &str, normal: impl Fn(&Value) -> Option<Value>) {
    match metrics.get(key).map(normal) {
        Some(Some(value)) => {
            metrics.insert(key.into(), value);
        }
        Some(None) => {
            metrics.shift_remove(key);
        }
        None => {}
    }
}

/// A whole number that is not negative.
fn count(value: &Value) -> Option<Value> {
    loose::integer(value).filter(|number| *number >= 0).map(Value::from)
}
