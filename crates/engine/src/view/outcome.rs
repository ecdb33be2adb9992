//! What an action came to, in the words of the agent protocol: the output, its summaries, and why it did not
//! complete.

use provost_contract::action::{ActionStatus, Outcome, OutcomeReason};
use serde_json::Value;

use crate::state::{Action, PARTS, RunState};
use crate::value::value_of;

/// A summary that says nothing.
const DONE: &str = "done";

/// Returns the output of an ended action whose results are known whole: its executor's value, or the list of the
/// outputs of its parts.
pub fn output_of(state: &RunState, action: &Action) -> Value {
    let Some(end) = &action.end else { return Value::Null };
    let result = end.result.shown();
    if result.pointer("/metadata").and_then(|metadata| metadata.get(PARTS)).is_some() {
        return state.parts(action.spec.id).map(|part| output_of(state, part)).collect();
    }
    value_of(result)
}

/// Returns the outcome of an action that has ended or waits; none for one that has not begun, or runs.
pub fn outcome_of(state: &RunState, action: &Action) -> Option<Outcome> {
    let status = action.status();
    if matches!(status, ActionStatus::Pending | ActionStatus::Running) {
        return None;
    }
    let mut outcome = Outcome::new(status);
    let Some(end) = &action.end else {
        outcome.summary = Some(waits_for(state, action).to_owned());
        return Some(outcome);
    };
    let result = end.result.shown();
    let text =
        |pointer: &str| result.pointer(pointer).and_then(Value::as_str).filter(|text| !text.is_empty());
    outcome.output = output_of(state, action);
    outcome.summary = outcome.output.get("summary").and_then(Value::as_str).map(str::to_owned);
    if let Some(facts) = text("/metadata/summary").filter(|facts| *facts != DONE) {
        outcome.native_summary = facts.into();
    }
    outcome.error = text("/error").map(str::to_owned);
    outcome.reason = reason(&end.reason);
    if end.reason == "in_doubt" {
        outcome.error = Some(outcome.error.unwrap_or_else(|| "in doubt".to_owned()));
    }
    Some(outcome)
}

/// What an open action waits for, in a few words.
fn waits_for(state: &RunState, action: &Action) -> &'static str {
    use crate::event::WaitKind;
    let wait = action.wait.and_then(|number| state.waits.get(&number));
    match wait.map(|wait| &wait.kind) {
        Some(WaitKind::Approval { .. }) => "waits for an approval",
        Some(WaitKind::InDoubt { .. }) => "in doubt: a person is asked what became of it",
        Some(WaitKind::Client) => "waits for a client",
        Some(WaitKind::Question) => "waits for the answer of a person",
        Some(WaitKind::Input) => "waits for more input",
        Some(WaitKind::Child { .. }) => "waits for another agent",
        Some(WaitKind::Timer) => "waits for a time",
        Some(WaitKind::Signal { .. }) | None => "waits for a signal",
    }
}

/// The reasons that the protocol has words of its own for; every other one stands in the record only.
fn reason(code: &str) -> Option<OutcomeReason> {
    Some(match code {
        "dependency" => OutcomeReason::DependencyNotCompleted,
        "denied" | "denied_path" | "call_rule" | "mediator" | "rejected" | "expired" => OutcomeReason::Denied,
        "in_doubt" => OutcomeReason::InDoubt,
        "condition_not_met" => OutcomeReason::ConditionNotMet,
        "aborted" => OutcomeReason::Aborted,
        "cancelled" | "stopped_midway" => OutcomeReason::CanceledByUser,
        "rounds_exhausted" => OutcomeReason::RoundsExhausted,
        "skipped" => OutcomeReason::Skipped,
        _ => return None,
    })
}
