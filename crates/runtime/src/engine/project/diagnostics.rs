//! What the host noted about a result, as watchers and the result record tell it.

use provost_contract::json;
use serde_json::{Value, json};

use crate::engine::{CallDeclared, CallSettled};

/// The event that tells it.
pub(super) const EVENT: &str = "tool_result_diagnostics";

/// The call and the notes; none when there are none. Where both have a word for it, the host's is told.
pub(super) fn noted(turn: u64, declared: &CallDeclared, settled: &CallSettled) -> Option<Value> {
    if settled.diagnostics.is_empty() {
        return None;
    }
    let call = json!({ "tool_name": declared.name, "tool_call_id": declared.id, "turn": turn });
    let mut noted = json::into_object(call);
    noted.extend(settled.diagnostics.clone());
    Some(Value::Object(noted))
}
