//! Area `conversation-request`.

use provost_contract::conversation::ConversationRequest;
use serde_json::Value;

use super::{Answer, unknown_operation};

pub(super) fn run(op: &str, case: &Value) -> Answer {
    match op {
        "build" => Ok(ConversationRequest::parse(&case.as_object().cloned().unwrap_or_default())?.to_value()),
        _ => unknown_operation(op),
    }
}
