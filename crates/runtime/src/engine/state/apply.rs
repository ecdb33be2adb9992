//! The fold: what each event does to the state. Total, and without a clock.

use std::sync::Arc;

use provost_contract::Message;
use provost_contract::json::{self, Object};
use provost_contract::tool::FailureSignature;
use serde_json::{Value, json};

use super::{Batch, BatchCall, CallRecord, Entry, Phase, RunState, Stage, resume};
use crate::engine::decide::COMPACTION_USAGE;
use crate::engine::history::{Line, result_message};
use crate::engine::{
    CallApproved, CallDeclared, CallSettled, CallWaits, CancelAsked, CompletionBlocked, CompletionEffect,
    CompletionJudged, Event, HistoryCompacted, InterruptAction, InterruptHeard, Kept, Kind, Meanwhile,
    MessageQueued, RunStatus, Subject, TranscriptChange, TurnAnswered, TurnFailed, TurnStarted, WaitsFor,
};

pub(super) fn apply(state: &mut RunState, event: &Event) {
    match &event.kind {
        Kind::RunStarted(_) => debug_assert!(false, "a run starts once"),
        Kind::SessionLocked(_) => state.session_held = true,
        Kind::SessionContended(contended) => state.stops.contended = Some(contended.session.clone()),
        Kind::TurnStarted(started) => turn_started(state, started),
        Kind::HistoryCompacted(compacted) => history_compacted(state, compacted),
        Kind::TurnAnswered(answered) => turn_answered(state, answered, event),
        Kind::TurnFailed(failed) => turn_failed(state, failed),
        Kind::CallOpened(opened) => call_opened(state, opened.call),
        Kind::ActionStarted(started) => {
            state.batch.start(started);
            state.words.note(event.seq, started);
        }
        Kind::CallSettled(settled) => call_settled(state, settled, &Kept::of(event)),
        Kind::CallWaits(waits) => call_waits(state, waits),
        Kind::CallApproved(approved) => call_approved(state, approved, event),
        Kind::CompletionJudged(judged) => completion_judged(state, judged),
        Kind::CompletionBlocked(blocked) => completion_blocked(state, blocked),
        Kind::ContinuationAdded(_) => continuation_added(state),
        Kind::BudgetExceeded(exceeded) => {
            state.stops.budget = Some(exceeded.budget.clone());
            state.batch.stopped = true;
        }
        Kind::LoopStalled(stalled) => state.stops.stalled = Some(Box::new(stalled.repetition.clone())),
        Kind::InterruptHeard(heard) => interrupt_heard(state, heard),
        Kind::ContinueJudged(judged) => state.batch.go_on = Some(judged.go_on),
        Kind::MessageQueued(queued) => message_queued(state, queued),
        Kind::CancelAsked(asked) => cancel_asked(state, asked),
        Kind::RunBroken(broken) => state.stops.broken = Some(broken.clone()),
        Kind::RunParked(parked) => stopped(state, parked.status),
        Kind::RunEnded(ended) => stopped(state, ended.status),
        Kind::RunResumed(resumed) => resume::resumed(state, resumed),
    }
}

fn stopped(state: &mut RunState, status: RunStatus) {
    state.ended = Some(status);
    state.session_held = false;
}

fn turn_started(state: &mut RunState, started: &TurnStarted) {
    state.turn = started.turn;
    state.budgets.count_turn();
    state.budgets.reserve(started.reserved);
    state.batch = Batch::default();
    state.phase = if state.compaction_due() { Phase::Compacting } else { Phase::Thinking };
}

fn history_compacted(state: &mut RunState, compacted: &HistoryCompacted) {
    if compacted.replaced > 0 {
        state.history.replace_oldest(compacted.replaced, compacted.replacement.iter().cloned());
    } else if !compacted.events.is_empty() {
        let room = state.rules.compaction.as_ref().map_or(0, |policy| policy.max_messages() / 2);
        state.summed_up_again_at = state.history.len() + room.max(1);
    }
    let costs = compacted
        .events
        .iter()
        .filter(|event| event.get("type").is_some_and(|kind| kind == COMPACTION_USAGE));
    for usage in costs.filter_map(|event| event.pointer("/metadata/usage")?.as_object()) {
        state.budgets.count_beside(usage);
        state.records.add_usage(usage);
    }
    state.records.entries.extend(compacted.events.iter().cloned().map(Box::new).map(Entry::Lifecycle));
    state.phase = Phase::Thinking;
}

fn turn_answered(state: &mut RunState, answered: &Arc<TurnAnswered>, event: &Event) {
    match &answered.transcript {
        TranscriptChange::Append(messages) => state.history.extend(messages.iter().cloned()),
        TranscriptChange::Replace(messages) => state.history = messages.clone().into(),
    }
    state.records.add_turn(state.turn, answered);
    state.budgets.count_usage(&answered.usage);
    let parallel_max = state.spec.limits.parallel_max;
    state.batch = Batch::of(answered, event, &state.rules, (state.turn, parallel_max), state.history.len());
    state.phase = Phase::Calling;
}

fn turn_failed(state: &mut RunState, failed: &Arc<TurnFailed>) {
    state.records.provider_diagnostics.extend(failed.provider_diagnostics.clone());
    state.stops.failure = Some(failed.clone());
}

fn call_opened(state: &mut RunState, place: usize) {
    let Some((called, record)) = called(state, place) else { return };
    add_line(state, place, Line::Call(record.clone(), None));
    count_repetition(state, &called);
    state.records.add(Entry::Called(record, None));
    state.batch.open(place);
}

/// Puts a line beside what else was said about a call.
fn add_line(state: &mut RunState, place: usize, line: Line) {
    let at = state.batch.add_line(place);
    state.history.insert(at, line);
}

/// What stood in the transcript while a call waited gives way to what came of it.
fn end_waiting(state: &mut RunState, place: usize) {
    let Some(call) = state.batch.call(place).filter(|call| call.stage == Stage::Waiting) else { return };
    debug_assert!(call.waits.is_some(), "a call waits for something");
    let line = state.batch.take_line(place);
    state.history.remove(line);
    let waits_for = |call: &BatchCall, client: bool| {
        call.waits.as_ref().is_some_and(|waits| matches!(waits.waits_for, WaitsFor::Client(_)) == client)
    };
    let others = |client: bool| {
        let mut waiting = state.batch.in_stage(Stage::Waiting);
        waiting.any(|(other, call)| other != place && waits_for(call, client))
    };
    let (approval, client) = (others(false), others(true));
    state.stops.approval = state.stops.approval.take().filter(|_| approval);
    state.stops.client = state.stops.client.take().filter(|_| client);
    state.batch.stopped = false;
}

fn call_approved(state: &mut RunState, approved: &CallApproved, event: &Event) {
    end_waiting(state, approved.call);
    let by = json::text(&approved.approval, "by").unwrap_or("a person");
    state.batch.approve(approved.call, (approved.edited.as_ref(), by), event);
    let Some(call) = state.batch.call(approved.call).filter(|_| !approved.remember.is_no()).cloned() else {
        return;
    };
    if let Some(WaitsFor::Approval(proposal)) = call.waits.as_ref().map(|waits| &waits.waits_for) {
        let by = json::text(&approved.approval, "by").unwrap_or_default();
        proposal.asked_by().into_iter().for_each(|rule| state.remember(&call.declared.name, rule, by));
    }
}

/// The first repetition too many of a turn is the one that is told.
fn count_repetition(state: &mut RunState, called: &CallDeclared) {
    let is_repeatable = state.rules.is_repeatable(&called.name);
    let Some(detector) = state.spin.as_mut().filter(|_| !is_repeatable) else { return };
    let signature = called.signature();
    let spin = detector.observe_signature(&signature);
    if spin.stalled && state.batch.repetition.is_none() {
        let mut repetition = json::into_object(signature.to_value());
        repetition.insert("turn".into(), state.turn.into());
        repetition.insert("repeat_count".into(), spin.repeat_count.into());
        repetition.insert("threshold".into(), detector.threshold().into());
        state.batch.repetition = Some(Box::new(repetition));
    }
}

fn call_settled(state: &mut RunState, settled: &CallSettled, kept: &Kept<CallSettled>) {
    let Some((called, record)) = called(state, settled.call) else { return };
    end_waiting(state, settled.call);
    add_line(state, settled.call, Line::Call(record.clone(), Some(kept.clone())));
    let counts = !settled.success() && !state.rules.is_repeatable(&called.name);
    if let (Some(tracker), true) = (&mut state.failures, counts) {
        tracker.observe(&FailureSignature::of_call(called.signature(), &settled.result));
    }
    if let Some(nudge) = &settled.nudge {
        let text = json::text(nudge, "message").unwrap_or_default();
        let (kind, key) = ("identical_failure_nudge", "identical_failure_signature");
        add_line(state, settled.call, Line::Said(told("assistant", text, kind, key, nudge)));
    }
    state.budgets.count_call(&called.name);
    state.batch.complete |= settled.completes;
    state.batch.ended_by_mediator |= settled.completes;
    let over_budget = state.budgets.calls_exceeded(&called.name).is_some();
    let waits_for_policy = state.spec.asks.completion && !settled.completes;
    state.records.settle(record, kept.clone());
    state.batch.stopped |= settled.completes && !over_budget;
    let stage = if over_budget || waits_for_policy { Stage::Settled } else { Stage::Done };
    state.batch.settle(settled.call, stage);
}

fn call_waits(state: &mut RunState, waits: &Arc<CallWaits>) {
    let Some((called, record)) = called(state, waits.call) else { return };
    match &waits.waits_for {
        WaitsFor::Approval(proposal) | WaitsFor::Doubt(proposal) => {
            add_line(state, waits.call, Line::Said(proposal.message.clone()));
            state.stops.approval = Some(Box::new(proposal.envelope.clone()));
        }
        WaitsFor::Client(request) => {
            let payload = json::into_object(json!({
                "success": false,
                "status": "runtime_tool_pending",
                "result": request,
            }));
            let message = result_message(&request.to_string(), &called, payload);
            add_line(state, waits.call, Line::Said(Arc::new(message)));
            state.stops.client = Some(Box::new(request.clone()));
        }
    }
    state.records.add(Entry::Waits(record, waits.clone()));
    state.batch.wait(waits.call, waits);
    state.batch.stopped |= waits.meanwhile == Meanwhile::Nothing;
}

fn completion_judged(state: &mut RunState, judged: &CompletionJudged) {
    match (judged.subject, judged.effect) {
        (Subject::Call(_), CompletionEffect::Stop) => {
            state.batch.complete = true;
            state.records.lifecycle("completion_policy_stop", judged.record.clone());
        }
        (Subject::Call(place), CompletionEffect::Nudge) => {
            let text = json::text(&judged.record, "message").unwrap_or_default();
            let kind = "completion_policy_continue";
            let said = told("user", text, kind, "completion_policy_context", &judged.record);
            add_line(state, place, Line::Said(said));
            state.records.lifecycle(kind, judged.record.clone());
        }
        (Subject::Managed(_), CompletionEffect::Stop) => state.batch.complete = true,
        (Subject::Managed(_), CompletionEffect::Nudge) | (_, CompletionEffect::Nothing) => {}
    }
    match judged.subject {
        Subject::Call(place) => state.batch.judge(place, "completion_judged"),
        Subject::Managed(place) => state.batch.managed_judged = place + 1,
    }
}

fn completion_blocked(state: &mut RunState, blocked: &CompletionBlocked) {
    let kind = "tool_call_gate_completion_blocked";
    state.history.push(told("user", &blocked.message, kind, "tool_call_gate", &blocked.rule));
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
                InterruptAction::Cancel => state.stops.interrupted = Some(Box::new(record.clone())),
                InterruptAction::Redirect | InterruptAction::Message => {}
            }
        }
    }
}

fn message_queued(state: &mut RunState, queued: &MessageQueued) {
    state.heard = queued.place;
    state.history.push(queued.message.clone());
    state.batch.spoken_to = true;
    if state.batch.first_in(Stage::Waiting).is_some() {
        // The user speaks instead of answering: what has not begun is not wanted any more.
        state.batch.leave_out_rest("message_queued");
    }
}

fn cancel_asked(state: &mut RunState, asked: &Arc<CancelAsked>) {
    state.heard = asked.place;
    state.stops.cancelled = Some(asked.clone());
    state.batch.leave_out_rest("cancel_asked");
    state.batch.stopped = true;
}

/// A call of the turn, and what records keep of it.
fn called(state: &RunState, place: usize) -> Option<(Arc<CallDeclared>, Arc<CallRecord>)> {
    let call = state.batch.call(place);
    debug_assert!(call.is_some(), "an event speaks of a call the turn does not have");
    let call = call?;
    Some((call.declared.clone(), call.kept.clone()))
}

/// A message of the engine itself: the words, and beside them why they were said.
fn told(role: &str, text: &str, kind: &str, key: &str, why: &Object) -> Arc<Message> {
    let mut message = Message::text(role, text);
    message.metadata.insert("type".into(), kind.into());
    message.metadata.insert(key.into(), Value::Object(why.clone()));
    Arc::new(message)
}
