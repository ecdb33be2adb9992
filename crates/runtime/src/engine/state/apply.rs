//! The fold: what each event does to the state. Total, and without a clock.

use std::sync::Arc;

use provost_contract::Message;
use provost_contract::json::{self, Object};
use provost_contract::tool::FailureSignature;
use serde_json::{Value, json};

use super::{Batch, CallRecord, Entry, Phase, RunState, Stage};
use crate::engine::{
    CallSettled, CallWaits, CompletionBlocked, CompletionEffect, CompletionJudged, Event, HistoryCompacted,
    InterruptAction, InterruptHeard, Kind, Subject, TranscriptChange, TurnAnswered, TurnFailed, WaitsFor,
};

pub(super) fn apply(state: &mut RunState, event: &Event) {
    match &event.kind {
        Kind::RunStarted(_) => debug_assert!(false, "a run starts once"),
        Kind::SessionLocked(_) => state.phase = Phase::BetweenTurns,
        Kind::SessionContended(contended) => state.stops.contended = Some(contended.session.clone()),
        Kind::TurnStarted(started) => turn_started(state, started.turn),
        Kind::HistoryCompacted(compacted) => history_compacted(state, compacted),
        Kind::TurnAnswered(answered) => turn_answered(state, answered),
        Kind::TurnFailed(failed) => turn_failed(state, failed),
        Kind::CallOpened(opened) => call_opened(state, opened.call),
        Kind::ActionStarted(started) => state.batch.set_stage(started.call, Stage::Started),
        Kind::CallSettled(settled) => call_settled(state, settled),
        Kind::CallWaits(waits) => call_waits(state, waits),
        Kind::CompletionJudged(judged) => completion_judged(state, judged),
        Kind::CompletionBlocked(blocked) => completion_blocked(state, blocked),
        Kind::ContinuationAdded(_) => continuation_added(state),
        Kind::BudgetExceeded(exceeded) => {
            state.stops.budget = Some(exceeded.budget.clone());
            state.batch.stopped = true;
        }
        Kind::LoopStalled(stalled) => state.stops.stalled = Some(stalled.repetition.clone()),
        Kind::InterruptHeard(heard) => interrupt_heard(state, heard),
        Kind::ContinueJudged(judged) => state.batch.go_on = Some(judged.go_on),
        Kind::RunBroken(broken) => state.stops.broken = Some(broken.clone()),
        Kind::RunEnded(ended) => {
            state.phase = Phase::Ended;
            state.ended = Some(ended.status);
        }
    }
}

fn turn_started(state: &mut RunState, turn: u64) {
    state.turn = turn;
    state.budgets.count_turn();
    state.batch = Batch::default();
    state.phase = if state.compaction_due() { Phase::Compacting } else { Phase::Thinking };
}

fn history_compacted(state: &mut RunState, compacted: &HistoryCompacted) {
    if compacted.replaced > 0 {
        state.history.replace_oldest(compacted.replaced, compacted.replacement.iter().cloned());
    }
    state.records.entries.extend(compacted.events.iter().cloned().map(Entry::Lifecycle));
    state.phase = Phase::Thinking;
}

fn turn_answered(state: &mut RunState, answered: &Arc<TurnAnswered>) {
    match &answered.transcript {
        TranscriptChange::Append(messages) => state.history.extend(messages.iter().cloned()),
        TranscriptChange::Replace(messages) => state.history = messages.clone().into(),
    }
    state.records.add_turn(answered);
    state.batch = Batch::of(answered);
    state.phase = Phase::Calling;
}

fn turn_failed(state: &mut RunState, failed: &Arc<TurnFailed>) {
    state.records.provider_diagnostics.extend(failed.provider_diagnostics.clone());
    state.stops.failure = Some(failed.clone());
}

fn call_opened(state: &mut RunState, place: usize) {
    let Some(record) = record(state, place) else { return };
    let declared = &record.declared;
    let metadata = json::into_object(json!({
        "tool_call_id": declared.id,
        "parameters_sha256": declared.parameters_sha256,
        "parameters_redacted": true,
    }));
    let message = Message::tool_call("", &declared.name, declared.parameters.clone(), state.turn, metadata);
    state.history.push(Arc::new(message));
    count_repetition(state, &record);
    state.records.entries.push(Entry::Opened(record));
    state.batch.set_stage(place, Stage::Opened);
}

/// The first repetition too many of a turn is the one that is told.
fn count_repetition(state: &mut RunState, record: &CallRecord) {
    let Some(detector) = &mut state.spin else { return };
    let signature = record.declared.signature();
    let spin = detector.observe_signature(&signature);
    if spin.stalled && state.batch.repetition.is_none() {
        let mut repetition = json::into_object(signature.to_value());
        repetition.insert("turn".into(), record.turn.into());
        repetition.insert("repeat_count".into(), spin.repeat_count.into());
        repetition.insert("threshold".into(), detector.threshold().into());
        state.batch.repetition = Some(repetition);
    }
}

fn call_settled(state: &mut RunState, settled: &Arc<CallSettled>) {
    let Some(record) = record(state, settled.call) else { return };
    let declared = &record.declared;
    if let Some(truncated) = &settled.truncated {
        state.records.lifecycle("tool_result_truncated", truncated.metadata.clone());
    }
    let content = result_content(&settled.result);
    state.history.push(Arc::new(result_message(
        &content,
        &declared.name,
        settled.result.clone(),
        &declared.id,
    )));
    if let (Some(tracker), false) = (&mut state.failures, settled.success()) {
        tracker.observe(&FailureSignature::of_call(declared.signature(), &settled.result));
    }
    if let Some(nudge) = &settled.nudge {
        let text = json::text(nudge, "message").unwrap_or_default();
        state.history.push(Arc::new(told(
            "assistant",
            text,
            "identical_failure_nudge",
            "identical_failure_signature",
            nudge,
        )));
    }
    state.budgets.count_call(&declared.name);
    state.records.results += 1;
    state.batch.complete |= settled.completes;
    let over_budget = state.budgets.calls_exceeded(&record.declared.name).is_some();
    let waits_for_policy = state.spec.asks.completion && !settled.completes;
    state.records.entries.push(Entry::Settled(record, settled.clone()));
    state.batch.stopped |= settled.completes && !over_budget;
    state
        .batch
        .set_stage(settled.call, if over_budget || waits_for_policy { Stage::Settled } else { Stage::Done });
}

fn call_waits(state: &mut RunState, waits: &Arc<CallWaits>) {
    let Some(record) = record(state, waits.call) else { return };
    match &waits.waits_for {
        WaitsFor::Approval { envelope, message } => {
            state.history.push(message.clone());
            state.stops.approval = Some(envelope.clone());
        }
        WaitsFor::Client(request) => {
            let payload = json::into_object(json!({
                "success": false,
                "status": "runtime_tool_pending",
                "result": request,
            }));
            let message =
                result_message(&request.to_string(), &record.declared.name, payload, &record.declared.id);
            state.history.push(Arc::new(message));
            state.stops.client = Some(request.clone());
        }
    }
    state.records.entries.push(Entry::Waits(record, waits.clone()));
    state.batch.stopped = true;
}

fn completion_judged(state: &mut RunState, judged: &CompletionJudged) {
    match (judged.subject, judged.effect) {
        (Subject::Call(_), CompletionEffect::Stop) => {
            state.batch.complete = true;
            state.records.lifecycle("completion_policy_stop", judged.record.clone());
        }
        (Subject::Call(_), CompletionEffect::Nudge) => {
            let text = json::text(&judged.record, "message").unwrap_or_default();
            let kind = "completion_policy_continue";
            state.history.push(Arc::new(told(
                "user",
                text,
                kind,
                "completion_policy_context",
                &judged.record,
            )));
            state.records.lifecycle(kind, judged.record.clone());
        }
        (Subject::Managed(_), CompletionEffect::Stop) => state.batch.complete = true,
        (Subject::Managed(_), CompletionEffect::Nudge) | (_, CompletionEffect::Nothing) => {}
    }
    match judged.subject {
        Subject::Call(place) => state.batch.set_stage(place, Stage::Done),
        Subject::Managed(place) => state.batch.managed_judged = place + 1,
    }
}

fn completion_blocked(state: &mut RunState, blocked: &CompletionBlocked) {
    let kind = "tool_call_gate_completion_blocked";
    state.history.push(Arc::new(told("user", &blocked.message, kind, "tool_call_gate", &blocked.rule)));
    state.records.lifecycle(kind, blocked.rule.clone());
    state.batch.completion_blocked = true;
}

fn continuation_added(state: &mut RunState) {
    for message in std::mem::take(&mut state.batch.continuation) {
        let metadata = json::into_object(json!({ "turn": state.turn, "role": message.role() }));
        state.records.lifecycle("continuation_message_added", metadata);
        state.history.push(message);
    }
    state.batch.continued = true;
}

fn interrupt_heard(state: &mut RunState, heard: &InterruptHeard) {
    state.batch.interrupt_heard = true;
    match heard {
        InterruptHeard::Nothing | InterruptHeard::Ignored { .. } => {}
        InterruptHeard::Received { action, message, record } => {
            state.history.push(message.clone());
            state.records.lifecycle("interrupt_received", record.clone());
            match action {
                InterruptAction::Cancel => state.stops.interrupted = Some(record.clone()),
                InterruptAction::Redirect | InterruptAction::Message => {}
            }
        }
    }
}

fn record(state: &RunState, place: usize) -> Option<CallRecord> {
    let call = state.batch.call(place);
    debug_assert!(call.is_some(), "an event speaks of a call the turn does not have");
    Some(CallRecord { turn: state.turn, declared: call?.declared.clone() })
}

/// A message of the engine itself: the words, and beside them why they were said.
fn told(role: &str, text: &str, kind: &str, key: &str, why: &Object) -> Message {
    let mut message = Message::text(role, text);
    message.metadata.insert("type".into(), kind.into());
    message.metadata.insert(key.into(), Value::Object(why.clone()));
    message
}

fn result_message(content: &str, tool: &str, payload: Object, call_id: &str) -> Message {
    let metadata = Object::from_iter([("tool_call_id".to_owned(), call_id.into())]);
    Message::tool_result(content, tool, payload, metadata)
}

/// What the model reads of a result: its payload as JSON, or the error in plain words.
fn result_content(result: &Object) -> String {
    match (json::text(result, "error"), result.get("result")) {
        (Some(error), _) => error.to_owned(),
        (None, payload) => payload.map(Value::to_string).unwrap_or_default(),
    }
}
