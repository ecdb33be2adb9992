//! What follows from what somebody said between two turns.

use std::sync::Arc;

use provost_contract::json::{self, Object};
use provost_contract::{Message, Result};
use serde_json::Value;

use crate::engine::{InterruptAction, InterruptHeard, Kind, RunState};

/// Reads an interrupt. Null is none; what is no message at all is ignored.
///
/// # Errors
/// When a message is malformed: words somebody meant for the run must not be lost silently.
pub fn heard(state: &RunState, said: &Value) -> Result<Kind> {
    if said.is_null() {
        return Ok(InterruptHeard::Nothing.into());
    }
    if !said.is_object() {
        return Ok(InterruptHeard::Ignored { reason: "interrupt must be an array".to_owned() }.into());
    }
    let message = Message::parse(said)?;
    let action = action_of(&message.metadata);
    let mut record = json::without(&message.metadata, &["interrupt_action"]);
    let word: &'static str = action.into();
    record.insert("turn".into(), state.turn.into());
    record.insert("action".into(), word.into());
    record.insert("message".into(), message.to_value());
    Ok(InterruptHeard::Received { action, message: Arc::new(message), record }.into())
}

/// A word nobody knows is only a message: nothing stops for it.
fn action_of(metadata: &Object) -> InterruptAction {
    let said = json::present(metadata, "interrupt_action").or_else(|| json::present(metadata, "action"));
    let word = said.and_then(Value::as_str).map(|word| word.trim().to_lowercase());
    word.and_then(|word| word.parse().ok()).unwrap_or(InterruptAction::Message)
}
