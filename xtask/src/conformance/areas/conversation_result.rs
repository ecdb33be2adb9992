//! Area `conversation-result`.

use provost_contract::conversation::ConversationResult;
use serde_json::Value;

use super::{Answer, input, unknown_operation};

pub(super) fn run(op: &str, case: &Value) -> Answer {
    match op {
        "normalize" => Ok(ConversationResult::parse(input(case, "result"))?.to_value()),
        _ => unknown_operation(op),
    }
}
