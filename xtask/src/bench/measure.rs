//! One measurement: the values of several runs, and their median.

use std::time::Instant;

use serde_json::{Value, json};

/// What was measured, on what, and what came out.
pub(super) struct Measurement {
    pub(super) workload: &'static str,
    pub(super) params: Value,
    pub(super) metric: &'static str,
    pub(super) unit: &'static str,
    /// Never empty.
    pub(super) runs: Vec<f64>,
}

impl Measurement {
    /// The median of the runs: a busy machine disturbs it least.
    pub(super) fn value(&self) -> f64 {
        let mut sorted = self.runs.clone();
        sorted.sort_by(f64::total_cmp);
        sorted.get(sorted.len() / 2).copied().unwrap_or(f64::NAN)
    }

    /// The line programs read.
    pub(super) fn to_json(&self) -> String {
        json!({
            "peer": "provost",
            "workload": self.workload,
            "params": self.params,
            "metric": self.metric,
            "value": self.value(),
            "unit": self.unit,
            "runs": self.runs,
        })
        .to_string()
    }

    /// The line people read.
    pub(super) fn to_line(&self) -> String {
        let (value, unit) = match self.unit {
            "s" => (self.value() * 1e3, "ms"),
            unit => (self.value(), unit),
        };
        format!("{} {} {}: {value:.2} {unit}", self.workload, self.params, self.metric)
    }
}

/// What a piece of work gave, and the seconds it took.
pub(super) fn timed<T>(work: impl FnOnce() -> T) -> (T, f64) {
    #[expect(clippy::disallowed_methods, reason = "a benchmark reads the clock")]
    let started = Instant::now();
    let outcome = work();
    (outcome, started.elapsed().as_secs_f64())
}
