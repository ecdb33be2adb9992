//! What follows from the answer somebody outside gave to a waiting call.

use std::sync::Arc;

use provost_contract::Result;
use provost_contract::approval::{PendingAction, PendingActionStatus};
use provost_contract::json::{self, Object};
use provost_contract::tool::{RuntimeMetadata, ToolResult};
use serde_json::{Value, json};

use super::call::edited;
use super::settle::settled;
use super::{RawCall, unfinished};
use crate::engine::state::BatchCall;
use crate::engine::{CallApproved, Kind, RunState, SettledBy};
use crate::port::ClientToolRecord;

/// An answer, and the arguments to run with when they were changed.
pub type Answer = (Kind, Option<RawCall>);

/// What a decision means for the call that waits for it; none while nobody has decided.
///
/// # Errors
/// When the decision changes arguments to something that is none.
pub fn decided(
    state: &RunState,
    context: &Object,
    place: usize,
    call: &BatchCall,
    action: &PendingAction,
) -> Result<Option<Answer>> {
    let declared = &call.declared;
    let only = |kind: Kind| Ok(Some((kind, None)));
    if action.status() == PendingActionStatus::Accepted && !is_about(action, call) {
        return only(unfinished::altered(state, place, declared));
    }
    match action.status() {
        PendingActionStatus::Pending => Ok(None),
        PendingActionStatus::Rejected if call.is_in_doubt() => only(
            witnessed(state, place, call, action)
                .unwrap_or_else(|| unfinished::left_in_doubt(state, place, declared, &approval_of(action))),
        ),
        PendingActionStatus::Rejected => {
            only(unfinished::refused(state, place, declared, approval_of(action)))
        }
        PendingActionStatus::Expired if call.is_in_doubt() => {
            only(unfinished::in_doubt(state, place, declared))
        }
        PendingActionStatus::Expired => only(unfinished::expired(state, place, declared)),
        PendingActionStatus::Deleted => only(unfinished::withdrawn(state, place, declared)),
        PendingActionStatus::Accepted => accepted(state, context, place, call, action).map(Some),
    }
}

fn accepted(
    state: &RunState,
    context: &Object,
    place: usize,
    call: &BatchCall,
    action: &PendingAction,
) -> Result<Answer> {
    if let Some(kind) = witnessed(state, place, call, action) {
        return Ok((kind, None));
    }
    if call.attempts > 0 && !call.is_in_doubt() {
        // The tool itself asked before it acted: what the action's handler gave is its result.
        return Ok((handled(state, place, call, action), None));
    }
    let answer = action.resolution_metadata();
    let changed = answer.get("parameters").and_then(Value::as_object);
    let changed = changed.map(|parameters| edited(state, context, &call.declared, parameters)).transpose()?;
    let (declared, raw) = changed.map_or((None, None), |(declared, raw)| (Some(declared), Some(raw)));
    let approved = CallApproved {
        call: place,
        approval: approval_of(action),
        edited: declared.map(Arc::new),
        remember: answer.get("remember").cloned().unwrap_or_default().into(),
    };
    Ok((approved.into(), raw))
}

/// Whether an approval is about the arguments that would run. A question that the tool itself asked names none.
fn is_about(action: &PendingAction, call: &BatchCall) -> bool {
    let asked = json::object(&action.to_object(), "metadata")
        .and_then(|metadata| json::text(metadata, "arguments_sha256"))
        .map(|hash| hash == call.declared.raw_sha256());
    asked.unwrap_or(call.attempts > 0 && !call.is_in_doubt())
}

/// Somebody knew what had come of the call.
fn witnessed(state: &RunState, place: usize, call: &BatchCall, action: &PendingAction) -> Option<Kind> {
    let told = action.resolution_metadata().get("result").filter(|_| call.is_in_doubt())?;
    let result = success(call, told.clone(), approval_of(action))?;
    Some(settled(state, place, &call.declared, SettledBy::Witness, result, false))
}

fn handled(state: &RunState, place: usize, call: &BatchCall, action: &PendingAction) -> Kind {
    let declared = &call.declared;
    if let Some(error) = &action.resolution_error {
        let told = ("approval_handler_failed", error.as_str());
        return unfinished::failed(state, place, declared, SettledBy::Executor, told, Object::new());
    }
    let result = success(call, action.resolution_result.clone(), approval_of(action)).unwrap_or_default();
    settled(state, place, declared, SettledBy::Executor, result, false)
}

fn success(call: &BatchCall, payload: Value, approval: Object) -> Option<Object> {
    let metadata = Object::from_iter([("approval".to_owned(), Value::Object(approval))]);
    let result = ToolResult::success(&call.declared.name, payload, metadata, RuntimeMetadata::default());
    result.ok().map(|result| result.to_object())
}

/// What a client's answer means for the call that waits for it; none while nobody has answered.
pub fn answered_by_client(
    state: &RunState,
    place: usize,
    call: &BatchCall,
    record: &ClientToolRecord,
) -> Option<Kind> {
    if record.is_pending() {
        return None;
    }
    let Some(result) = record.result() else {
        return Some(unfinished::unanswered(state, place, &call.declared));
    };
    let mut raw = json::object_from(result).unwrap_or_default();
    raw.insert("tool_name".into(), call.declared.name.as_str().into());
    raw.shift_remove("status");
    let result = ToolResult::parse(&Value::Object(raw)).map(|result| result.to_object());
    let unreadable = || {
        json::into_object(
            json!({ "success": false, "tool_name": call.declared.name, "error": "The client's answer cannot be read.", "metadata": { "error_type": "runtime_tool_unreadable" } }),
        )
    };
    let result = result.unwrap_or_else(|_| unreadable());
    Some(settled(state, place, &call.declared, SettledBy::Client, result, false))
}

/// Who decided, when, and why.
fn approval_of(action: &PendingAction) -> Object {
    let mut approval = json::into_object(json!({
        "action_id": action.action_id(),
        "decision": action.status(),
        "by": action.resolver(),
        "at": action.resolved_at(),
    }));
    if let Some(reason) = json::trimmed_text(action.resolution_metadata(), "reason") {
        approval.insert("reason".into(), reason.into());
    }
    if let Some(origin) = action.resolution_metadata().get("origin") {
        approval.insert("origin".into(), origin.clone());
    }
    approval
}
