//! Area `tool-call`.

use provost_contract::tool::ToolCall;
use serde_json::Value;

use super::{Answer, input, unknown_operation};

pub(super) fn run(op: &str, case: &Value) -> Answer {
    match op {
        "normalize" => Ok(ToolCall::parse(input(case, "tool_call"))?.to_value()),
        _ => unknown_operation(op),
    }
}
