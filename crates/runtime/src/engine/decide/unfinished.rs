//! Results of calls that got none from their executor. Different facts have different words, and none
//! claims more than is known.

use provost_contract::json::{self, Object};
use provost_contract::tool::{RuntimeMetadata, ToolResult};
use serde_json::{Value, json};

use super::settle::settled;
use crate::engine::state::{BatchCall, Stage};
use crate::engine::{CallDeclared, CancelAsked, Kind, RunState, SettledBy};

/// Gives a call the result that it failed, and why.
pub(super) fn failed(
    state: &RunState,
    place: usize,
    declared: &CallDeclared,
    by: SettledBy,
    (error_type, error): (&str, &str),
    more: Object,
) -> Kind {
    let mut metadata = json::into_object(json!({ "error_type": error_type }));
    metadata.extend(more);
    let result = ToolResult::failure(&declared.name, error, metadata, RuntimeMetadata::default());
    let result = result.map(|result| result.to_object()).unwrap_or_default();
    settled(state, place, declared, by, result, false)
}

/// The run was cancelled: the next call that has no result gets an honest one.
pub(in crate::engine) fn cancelled(state: &RunState, asked: &CancelAsked) -> Option<Kind> {
    let ran = [Stage::Started, Stage::InDoubt].into_iter().find_map(|stage| state.batch.first_in(stage));
    if let Some((place, call)) = ran {
        let error = format!(
            "Stopped while it ran: {} cancelled the run. It may have taken effect in part or in full.",
            asked.by
        );
        return Some(by_cancellation(state, place, call, "cancelled_midway", &error));
    }
    let unstarted = [Stage::Opened, Stage::Approved, Stage::Waiting];
    let (place, call) = unstarted.into_iter().find_map(|stage| state.batch.first_in(stage))?;
    if call.is_in_doubt() {
        return Some(in_doubt(state, place, &call.declared));
    }
    let error = format!("Not run: {} cancelled the run first.", asked.by);
    Some(by_cancellation(state, place, call, "cancelled", &error))
}

fn by_cancellation(state: &RunState, place: usize, call: &BatchCall, error_type: &str, error: &str) -> Kind {
    failed(state, place, &call.declared, SettledBy::Cancellation, (error_type, error), Object::new())
}

/// The user spoke while calls waited: the next of them is not run.
pub(in crate::engine) fn superseded(state: &RunState) -> Option<Kind> {
    let (place, call) = state.batch.first_in(Stage::Waiting).filter(|_| state.batch.spoken_to)?;
    if call.is_in_doubt() {
        return Some(in_doubt(state, place, &call.declared));
    }
    let told = ("superseded", "Not run: the user sent a new message while this waited for an answer.");
    Some(failed(state, place, &call.declared, SettledBy::Supersession, told, Object::new()))
}

/// Nobody knows whether the call took effect, and it is not repeated.
pub(super) fn in_doubt(state: &RunState, place: usize, declared: &CallDeclared) -> Kind {
    let told = (
        "in_doubt",
        "The process died while this ran, and it is not known whether it took effect. It was not repeated. \
         Look before you try again.",
    );
    failed(state, place, declared, SettledBy::Doubt, told, Object::new())
}

/// A person who was asked what became of the call knows no more, and has it left as it is.
pub(super) fn left_in_doubt(
    state: &RunState,
    place: usize,
    declared: &CallDeclared,
    approval: &Object,
) -> Kind {
    let by = json::text(approval, "by").unwrap_or("a person");
    let reason =
        json::trimmed_text(approval, "reason").map(|reason| format!(": {reason}")).unwrap_or_default();
    let error = format!(
        "The process died while this ran, and it is not known whether it took effect. It was not repeated: {by} \
         was asked and left it{reason}. Look before you try again."
    );
    let more = Object::from_iter([("approval".to_owned(), Value::Object(approval.clone()))]);
    failed(state, place, declared, SettledBy::Doubt, ("in_doubt", &error), more)
}

/// The approval is about other arguments than those that would run: its record was changed after it was asked.
pub fn altered(state: &RunState, place: usize, declared: &CallDeclared) -> Kind {
    let told = (
        "approval_altered",
        "Not run: the record of the approval is about other arguments than this call has. It was changed \
         after the question was asked.",
    );
    failed(state, place, declared, SettledBy::Refusal, told, Object::new())
}

/// The call could not succeed, so that no question is asked.
pub fn would_fail(state: &RunState, place: usize, declared: &CallDeclared, code: &str, reason: &str) -> Kind {
    let error = format!("Not run, and no one was asked: it would fail: {reason}");
    failed(state, place, declared, SettledBy::Preparation, (code, &error), Object::new())
}

/// The call could not run at once, and its secret arguments were kept nowhere.
pub fn lost(state: &RunState, place: usize, declared: &CallDeclared) -> Kind {
    let told = (
        "arguments_lost",
        "Not run: it had to wait, and secret arguments are kept nowhere. Call the tool again.",
    );
    failed(state, place, declared, SettledBy::Loss, told, Object::new())
}

/// The executor did not answer in time.
pub(super) fn timed_out(state: &RunState, place: usize, declared: &CallDeclared, ms: u64) -> Kind {
    let error = if state.rules.only_reads(&declared.name) {
        format!("Stopped: no answer within {ms} ms.")
    } else {
        format!("Stopped: no answer within {ms} ms. It may have taken effect in part or in full.")
    };
    let more = json::into_object(json!({ "ms_max": ms }));
    failed(state, place, declared, SettledBy::Timeout, ("timed_out", &error), more)
}

/// A person said no.
pub(super) fn refused(state: &RunState, place: usize, declared: &CallDeclared, approval: Object) -> Kind {
    let by = json::text(&approval, "by").unwrap_or("somebody");
    let error = match json::trimmed_text(&approval, "reason") {
        Some(reason) => format!("Not run: {by} said no: {reason}"),
        None => format!("Not run: {by} said no."),
    };
    let more = Object::from_iter([("approval".to_owned(), Value::Object(approval.clone()))]);
    failed(state, place, declared, SettledBy::Refusal, ("approval_rejected", &error), more)
}

/// Nobody decided in time.
pub(super) fn expired(state: &RunState, place: usize, declared: &CallDeclared) -> Kind {
    let told = ("approval_expired", "Not run: nobody allowed it in time.");
    failed(state, place, declared, SettledBy::Expiry, told, Object::new())
}

/// The question was taken back.
pub(super) fn withdrawn(state: &RunState, place: usize, declared: &CallDeclared) -> Kind {
    let told = ("approval_withdrawn", "Not run: the request for approval was taken back.");
    failed(state, place, declared, SettledBy::Supersession, told, Object::new())
}

/// No client executed the tool in time.
pub(super) fn unanswered(state: &RunState, place: usize, declared: &CallDeclared) -> Kind {
    let told = ("runtime_tool_timeout", "No client answered in time.");
    failed(state, place, declared, SettledBy::Timeout, told, Object::new())
}
