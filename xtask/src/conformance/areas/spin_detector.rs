//! Area `spin-detector`.

use provost_contract::tool::{CallSignature, SpinDetector};
use serde_json::{Value, json};

use super::{Answer, input, list, object, text, unknown_operation};

pub(super) fn run(op: &str, case: &Value) -> Answer {
    match op {
        "signature" => Ok(CallSignature::of(text(case, "tool_name"), &object(case, "parameters")).to_value()),
        "detect" => Ok(detect(case)),
        _ => unknown_operation(op),
    }
}

fn detect(case: &Value) -> Value {
    let threshold = input(case, "threshold").as_i64();
    let mut detector = threshold.map_or_else(SpinDetector::default, SpinDetector::new);
    let observe = |call: &Value| {
        let spin = detector.observe(text(call, "tool_name"), &object(call, "parameters"));
        json!({ "stalled": spin.stalled, "repeat_count": spin.repeat_count })
    };
    let steps: Vec<Value> = list(case, "calls").iter().map(observe).collect();
    json!({ "threshold": detector.threshold(), "steps": steps })
}
