//! What watchers are told about each event.

use provost_contract::json::{self, Object};
use provost_contract::tool::ToolExecution;
use serde_json::{Value, json};

use super::diagnostics;
use crate::engine::{
    CallDeclared, CallSettled, CallWaits, CompletionEffect, CompletionJudged, InterruptHeard, Kind, RunState,
    RunStatus, Subject, WaitsFor,
};
use crate::port::Observed;

/// What an event means to a watcher, in order; `state` has taken it in already.
pub fn observed(state: &RunState, kind: &Kind) -> Vec<Observed> {
    match kind {
        Kind::RunStarted(_) => about_tools(state),
        Kind::SessionContended(contended) => {
            one("transcript_lock_contention", json!({ "session_id": contended.session }))
        }
        Kind::TurnStarted(started) => {
            let payload = json!({
                "turn": started.turn,
                "max_turns": state.spec.max_turns,
                "message_count": state.history.len(),
            });
            one("turn_started", payload)
        }
        Kind::TurnFailed(failed) => {
            let error = json::text(&failed.failure, "message").unwrap_or_default();
            one("failed", json!({ "turn": state.turn, "error": error }))
        }
        Kind::CallOpened(opened) => about_call(state, opened.call, tool_call),
        Kind::CallSettled(settled) => {
            about_call(state, settled.call, |turn, declared| tool_result(turn, declared, settled))
        }
        Kind::CallWaits(waits) => {
            about_call(state, waits.call, |turn, declared| vec![waiting(turn, declared, waits)])
        }
        Kind::CompletionJudged(judged) => completion(judged),
        Kind::CompletionBlocked(blocked) => {
            one("tool_call_gate_completion_blocked", Value::Object(blocked.rule.clone()))
        }
        Kind::ContinuationAdded(added) => {
            let payload = |role: &String| json!({ "turn": state.turn, "role": role });
            added.roles.iter().flat_map(|role| one("continuation_message_added", payload(role))).collect()
        }
        Kind::BudgetExceeded(exceeded) => {
            let payload = json!({
                "budget": exceeded.budget,
                "dimension": exceeded.dimension,
                "current": exceeded.current,
                "ceiling": exceeded.ceiling,
            });
            one("budget_exceeded", payload)
        }
        Kind::LoopStalled(stalled) => one("loop_stalled", Value::Object(stalled.repetition.clone())),
        Kind::InterruptHeard(heard) => interrupt(state, heard),
        Kind::RunParked(parked) => finished(state, parked.status),
        Kind::RunEnded(ended) => finished(state, ended.status),
        Kind::RunResumed(_) => one("resumed", json!({ "turn": state.turn })),
        Kind::CallApproved(approved) => about_call(state, approved.call, |turn, declared| {
            let payload = json!({
                "turn": turn,
                "tool_name": declared.name,
                "tool_call_id": declared.id,
                "approval": approved.approval,
                "edited": approved.edited.is_some(),
            });
            one("approval_granted", payload)
        }),
        Kind::MessageQueued(queued) => one(
            "message_queued",
            json!({ "turn": state.turn, "by": queued.by, "role": queued.message.role() }),
        ),
        Kind::CancelAsked(asked) => {
            one("cancel_asked", json!({ "turn": state.turn, "by": asked.by, "reason": asked.reason }))
        }
        Kind::SessionLocked(_)
        | Kind::HistoryCompacted(_)
        | Kind::TurnAnswered(_)
        | Kind::ActionStarted(_)
        | Kind::ContinueJudged(_)
        | Kind::RunBroken(_) => Vec::new(),
    }
}

fn one(event: &'static str, payload: Value) -> Vec<Observed> {
    vec![Observed { event, payload }]
}

fn about_tools(state: &RunState) -> Vec<Observed> {
    let execution =
        if state.spec.has_executor { ToolExecution::Mediated } else { ToolExecution::CallerManaged };
    let events = state.rules.tools.catalog.events(execution);
    events.into_iter().map(|event| Observed { event: event.event, payload: event.payload }).collect()
}

fn about_call(
    state: &RunState,
    place: usize,
    told: impl FnOnce(u64, &CallDeclared) -> Vec<Observed>,
) -> Vec<Observed> {
    state.batch.call(place).map(|call| told(state.turn, &call.declared)).unwrap_or_default()
}

fn tool_call(turn: u64, declared: &CallDeclared) -> Vec<Observed> {
    let payload = json!({
        "turn": turn,
        "tool_name": declared.name,
        "tool_call_id": declared.id,
        "parameters": declared.parameters,
        "parameters_sha256": declared.parameters_sha256,
        "parameters_redacted": true,
    });
    one("tool_call", payload)
}

fn tool_result(turn: u64, declared: &CallDeclared, settled: &CallSettled) -> Vec<Observed> {
    let mut told = Vec::new();
    if let Some(truncated) = &settled.truncated {
        let mut payload = truncated.metadata.clone();
        payload.insert("original_result".into(), Value::Object(truncated.original.clone()));
        told.extend(one("tool_result_truncated", Value::Object(payload)));
    }
    let payload = json!({
        "turn": turn,
        "tool_name": declared.name,
        "tool_call_id": declared.id,
        "success": settled.success(),
    });
    told.extend(one("tool_result", payload));
    let noted = diagnostics::noted(turn, declared, settled);
    told.extend(noted.map(|payload| Observed { event: diagnostics::EVENT, payload }));
    let nudge = settled.nudge.clone().map(Value::Object);
    told.extend(nudge.map(|payload| Observed { event: "identical_failure_nudged", payload }));
    told
}

fn waiting(turn: u64, declared: &CallDeclared, waits: &CallWaits) -> Observed {
    let (event, key, value) = match &waits.waits_for {
        WaitsFor::Approval(proposal) | WaitsFor::Doubt(proposal) => (
            "approval_required",
            "action_id",
            proposal.envelope.pointer("/payload/action_id").cloned().unwrap_or_default(),
        ),
        WaitsFor::Client(request) => {
            ("runtime_tool_pending", "request_id", request.get("request_id").cloned().unwrap_or_default())
        }
    };
    let mut payload = Object::new();
    payload.insert("turn".into(), turn.into());
    payload.insert("tool_name".into(), declared.name.as_str().into());
    payload.insert("tool_call_id".into(), declared.id.as_str().into());
    payload.insert(key.into(), value);
    Observed { event, payload: Value::Object(payload) }
}

fn completion(judged: &CompletionJudged) -> Vec<Observed> {
    match (judged.subject, judged.effect) {
        (Subject::Call(_), CompletionEffect::Nudge) => {
            one("completion_policy_continue", Value::Object(judged.record.clone()))
        }
        (Subject::Managed(_), _) | (_, CompletionEffect::Stop | CompletionEffect::Nothing) => Vec::new(),
    }
}

fn interrupt(state: &RunState, heard: &InterruptHeard) -> Vec<Observed> {
    match heard {
        InterruptHeard::Nothing => Vec::new(),
        InterruptHeard::Ignored { reason } => {
            one("interrupt_ignored", json!({ "turn": state.turn, "reason": reason }))
        }
        InterruptHeard::Received { record, .. } => one("interrupt_received", Value::Object(record.clone())),
    }
}

/// Every orderly end is told; a failed or contended run said what it had to say before.
fn finished(state: &RunState, status: RunStatus) -> Vec<Observed> {
    match status {
        RunStatus::Failed | RunStatus::TranscriptLockContention => Vec::new(),
        RunStatus::Completed
        | RunStatus::BudgetExceeded
        | RunStatus::Stalled
        | RunStatus::ApprovalRequired
        | RunStatus::RuntimeToolPending
        | RunStatus::Interrupted
        | RunStatus::Cancelled => {
            let payload = json!({
                "turn": state.turn,
                "message_count": state.history.len(),
                "tool_results": state.records.results,
            });
            one("completed", payload)
        }
    }
}
