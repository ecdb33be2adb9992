//! Area `tool-source-registry`.

use serde_json::Value;

use super::{Answer, unknown_operation};

pub(super) fn run(op: &str, _case: &Value) -> Answer {
    unknown_operation(op)
}
