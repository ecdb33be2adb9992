//! Area `tool-bridge`.

use provost_contract::sensitivity;
use serde_json::Value;

use super::{Answer, input, text, unknown_operation};

pub(super) fn run(op: &str, case: &Value) -> Answer {
    match op {
        "redact" => Ok(sensitivity::redact_for(text(case, "profile"), input(case, "value"))),
        _ => unknown_operation(op),
    }
}
