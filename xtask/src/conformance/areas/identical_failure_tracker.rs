//! Area `identical-failure-tracker`.

use provost_contract::tool::{FailureSignature, IdenticalFailureTracker};
use serde_json::{Value, json};

use super::{Answer, input, list, object, text, unknown_operation};

pub(super) fn run(op: &str, case: &Value) -> Answer {
    match op {
        "signature" => Ok(signature(case).to_value()),
        "track" => Ok(track(case)),
        _ => unknown_operation(op),
    }
}

fn signature(failure: &Value) -> FailureSignature {
    let parameters = object(failure, "parameters");
    FailureSignature::of(text(failure, "tool_name"), &parameters, &object(failure, "result"))
}

fn track(case: &Value) -> Value {
    let threshold = input(case, "threshold").as_i64();
    let mut tracker = threshold.map_or_else(IdenticalFailureTracker::default, IdenticalFailureTracker::new);
    let observe = |failure: &Value| {
        let repeated = tracker.observe(&signature(failure));
        json!({ "nudge": repeated.nudge, "repeat_count": repeated.repeat_count })
    };
    let steps: Vec<Value> = list(case, "failures").iter().map(observe).collect();
    json!({ "threshold": tracker.threshold(), "steps": steps })
}
