//! Area `tool-bridge`.

use provost_policy::redaction;
use serde_json::Value;

use super::{Answer, input, text, unknown_operation};

pub(super) fn run(op: &str, case: &Value) -> Answer {
    match op {
        "redact" => Ok(redaction::redact(text(case, "profile"), input(case, "value")).value),
        _ => unknown_operation(op),
    }
}
