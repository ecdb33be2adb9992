//! The message that asks for a decision.

use serde_json::Value;

use super::PendingAction;
use crate::json::{self, Object};
use crate::message::Message;

/// The message that shows a pending action: its summary as content, all of it as payload, with an
/// instruction for the model and the grants that could decide it, where there are any.
pub fn approval_message(
    action: &PendingAction,
    instruction: Option<&str>,
    grants: &[Value],
    metadata: Object,
) -> Message {
    let mut payload = action.to_object();
    if let Some(instruction) = instruction.map(str::trim).filter(|text| !text.is_empty()) {
        payload.insert("instruction".into(), instruction.into());
    }
    let grants: Vec<Value> = grants.iter().filter(|grant| json::is_container(grant)).cloned().collect();
    if !grants.is_empty() {
        payload.insert("grants".into(), grants.into());
    }
    Message::approval_required(action.summary(), payload, metadata)
}
