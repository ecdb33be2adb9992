//! The run as a whole: accepted, claimed, signalled, ended.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use provost_contract::Message;
use provost_contract::tool::{IdenticalFailureTracker, SpinDetector};

use super::super::{Frontier, Illegal, Ledger, ModelState, Repetition, RunState, Transcript, index, queue};
use super::turn::judge_ended;
use super::{Problem, need, opening};
use crate::event::{
    ActionEnd, Choice, Event, EventKind, MessageMode, RunClaimed, RunEnded, RunStopping, Signal, SignalTaken,
    WaitKind,
};
use crate::state::{Action, Resolution, Stage};
use crate::{ActionId, Agent, Epoch, Seq, WorldEffect};

pub(in crate::state) fn begin(
    agent: Arc<Agent>,
    history: Vec<Arc<Message>>,
    event: &Event,
) -> Result<RunState, Illegal> {
    let illegal =
        |problem: &str| Illegal { seq: event.seq, kind: event.kind.name(), problem: problem.into() };
    let EventKind::RunAccepted(accepted) = &event.kind else {
        return Err(illegal("a journal begins with the acceptance of its run"));
    };
    if (event.seq, event.epoch) != (Seq(1), Epoch(0)) {
        return Err(illegal("the acceptance of a run is event 1 of epoch 0"));
    }
    let spec = accepted.spec.clone();
    spec.limits.check().map_err(|error| illegal(&error.to_string()))?;
    let mut transcript = Transcript::default();
    for (seq, message) in opening(&agent, history) {
        transcript.push(seq, message);
    }
    for message in &spec.input {
        transcript.push(event.seq, message.clone());
    }
    let threshold = |limit: Option<u32>| limit.map(i64::from);
    Ok(RunState {
        today: None,
        seq: event.seq,
        epoch: Epoch(0),
        claimed: false,
        policy: spec.policy,
        ended: None,
        stops: Vec::new(),
        cancel: None,
        cancelled_by: None,
        claims: 0,
        model: ModelState::default(),
        unseen: 1,
        owed: false,
        steer: false,
        actions: BTreeMap::new(),
        open: BTreeSet::new(),
        unresolved: BTreeSet::new(),
        unjudged: BTreeSet::new(),
        declarations: 0,
        declared: BTreeMap::new(),
        waits: BTreeMap::new(),
        waits_opened: 0,
        ledger: Ledger::new(&spec.limits, &spec.budgets, &spec.budgets_used),
        standing: BTreeMap::new(),
        remembered: BTreeMap::new(),
        frontier: Frontier::default(),
        external: BTreeMap::new(),
        queued: Vec::new(),
        hooks: BTreeMap::new(),
        transcript,
        turn: None,
        after_turn: Vec::new(),
        repetition: Repetition {
            detector: threshold(spec.limits.repetitions).map(SpinDetector::new),
            found: None,
        },
        failures: threshold(spec.limits.equal_failures).map(IdenticalFailureTracker::new),
        compact_at: 0,
        effect: WorldEffect::None,
        output: None,
        inputs: BTreeMap::new(),
        promoted: Arc::default(),
        resources: queue::Resources::default(),
        index: index::Index::default(),
        agent,
        spec,
    })
}

pub(super) fn claimed(state: &mut RunState, epoch: Epoch, claimed: &RunClaimed) -> Problem {
    state.epoch = epoch;
    state.policy = claimed.policy;
    state.claimed = true;
    state.standing =
        claimed.standing.iter().map(|approval| (approval.scope.clone(), approval.clone())).collect();
    Ok(())
}

pub(super) fn stopping(state: &mut RunState, stopping: &RunStopping) {
    state.stops.push(stopping.stop.clone());
    // No policy is asked any more whether the work is done.
    for id in state.unjudged.clone() {
        judge_ended(state, id);
    }
    let continuation = state.turn.as_mut().map(|turn| std::mem::take(&mut turn.continuation));
    if stopping.stop.is_midway() {
        let unsaid = continuation.unwrap_or_default().min(state.after_turn.len());
        state.after_turn.drain(..unsaid);
    } else if let (Some(turn), Some(continuation)) = (&mut state.turn, continuation) {
        turn.continuation = continuation;
    }
}

pub(super) fn ended(state: &mut RunState, ended: &RunEnded) -> Problem {
    need(state.open.is_empty(), "an action is open")?;
    need(state.waits.is_empty(), "a wait is open")?;
    need(state.model.open.is_none(), "a model call is open")?;
    state.show();
    state.ended = Some(ended.status);
    Ok(())
}

pub(super) fn signal_taken(state: &mut RunState, seq: Seq, taken: &SignalTaken) -> Problem {
    if taken.ignored.is_some() {
        return Ok(());
    }
    if state.ended.is_some() {
        need(matches!(taken.body, Signal::Resume { .. }), "the run is over")?;
    }
    match &taken.body {
        Signal::Message { message, mode, .. } => {
            state.queued.push((seq, message.clone()));
            state.unseen += 1;
            if let Some(turn) = &mut state.turn {
                turn.spoken = true;
            }
            state.steer |= *mode == MessageMode::Steer;
        }
        Signal::Cancel { actions: None, .. } => {
            state.cancel = Some(taken.signal);
            state.cancelled_by = Some(taken.from.clone());
            let open: Vec<ActionId> = state.open.iter().copied().collect();
            open.into_iter().for_each(|id| mark_cancelled(state, id));
        }
        Signal::Cancel { actions: Some(actions), .. } => {
            actions.iter().for_each(|id| mark_cancelled(state, *id));
        }
        Signal::Resume { budgets, .. } => {
            need(state.ended.is_some_and(crate::event::EndStatus::is_resumable), "it cannot be resumed")?;
            resume(state, budgets);
        }
        // Its declaration is the next event.
        Signal::Submit { .. } => {}
        Signal::Decide { action, choice, .. } => reopen(state, *action, *choice, Decider::Person)?,
        Signal::External { name, payload } => {
            state.external.entry(name.clone()).or_default().push_back((taken.signal, payload.clone()));
        }
        Signal::Standing { scope, grant } => match grant {
            Some(approval) => {
                state.standing.insert(scope.clone(), (**approval).clone());
            }
            None => {
                state.standing.remove(scope);
                state.remembered.remove(scope);
            }
        },
        Signal::Answer { .. } => return Err("an answer that counts is the settlement of its wait".into()),
    }
    Ok(())
}

fn resume(state: &mut RunState, budgets: &BTreeMap<String, u64>) {
    state.ended = None;
    state.stops.clear();
    state.model.refusals = 0;
    state.model.failures = 0;
    state.model.retry = None;
    state.hooks.clear();
    state.claims = 0;
    state.repetition.detector =
        state.spec.limits.repetitions.map(|limit| SpinDetector::new(i64::from(limit)));
    state.repetition.found = None;
    state.ledger.raise(budgets);
    // Whatever stopped it, the model is asked again.
    state.unseen += 1;
}

/// Marks an open action, and everything that is a part of it, to be cancelled.
pub(super) fn mark_cancelled(state: &mut RunState, id: ActionId) {
    let Some(action) = state.actions.get_mut(&id).filter(|action| !action.is_ended()) else { return };
    action.cancel = true;
    if let Some(wait) = action.wait.and_then(|number| state.waits.get_mut(&number)) {
        wait.cancel_sent |= matches!(wait.kind, WaitKind::Child { .. });
    }
    let parts: Vec<ActionId> = state
        .open_actions()
        .filter(|(_, part)| part.spec.under == Some(id) && !part.cancel)
        .map(|(part, _)| part)
        .collect();
    parts.into_iter().for_each(|part| mark_cancelled(state, part));
}

/// Who decides about an ended action.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Decider {
    Model,
    Person,
}

/// A decision about an ended action: it is tried again, left out, or its end stands.
pub(super) fn reopen(state: &mut RunState, id: ActionId, choice: Choice, by: Decider) -> Problem {
    let Some(action) = state.actions.get_mut(&id) else {
        return Err(format!("there is no action {id}"));
    };
    let end = action.end.as_ref().map(|end| end.status);
    let decidable = matches!(end, Some(ActionEnd::Failed | ActionEnd::Blocked));
    need(decidable, format!("action {id} has not failed and is not blocked"))?;
    match choice {
        Choice::Accept => {
            action.decided = true;
            // Only a person knows enough to build on what is in doubt.
            action.passed_over = by == Decider::Person || !is_in_doubt(action);
            if action.passed_over {
                reset_dependents(state, id);
            }
        }
        Choice::Skip => {
            if let Some(end) = &mut action.end {
                end.status = ActionEnd::Cancelled;
                end.reason = "skipped".into();
                end.satisfying = false;
            }
            action.decided = true;
            action.passed_over = false;
            reset_dependents(state, id);
        }
        Choice::Retry if by == Decider::Model && is_in_doubt(action) => doubt_again(state, id),
        Choice::Retry => {
            let by_model = by == Decider::Model;
            need(!by_model || end == Some(ActionEnd::Failed), "a model may retry only what failed")?;
            retry(state, id, by_model);
            reset_dependents(state, id);
        }
    }
    Ok(())
}

fn is_in_doubt(action: &Action) -> bool {
    action.end.as_ref().is_some_and(|end| end.status == ActionEnd::Blocked && end.reason == "in_doubt")
}

/// A model's retry of what is in doubt asks a person; the wait is opened in the same commit.
fn doubt_again(state: &mut RunState, id: ActionId) {
    if let Some(action) = state.actions.get_mut(&id) {
        action.end = None;
        action.stage = Stage::InDoubt;
        action.holds = true;
        action.cancel = false;
        action.decided = false;
        action.doubt.get_or_insert_with(|| "lost".into());
    }
    enter(state, id);
}

fn retry(state: &mut RunState, id: ActionId, by_model: bool) {
    let Some(action) = state.actions.get_mut(&id) else { return };
    let applies = action.applying;
    if by_model {
        if !applies {
            action.phase = crate::event::Phase::Run;
        }
        action.must_ask = !crate::defect::is(crate::defect::Defect::ModelRepeatsEffects)
            && !action.is_repeatable()
            && (action.effect != WorldEffect::None || action.bridged);
    }
    action.end = None;
    action.stage = if applies { Stage::Proposed } else { Stage::Pending };
    action.counts = crate::state::Counts::default();
    action.gate = None;
    action.mediated = None;
    action.ruled = None;
    action.cancel = false;
    action.replaced = false;
    action.decided = false;
    action.passed_over = false;
    action.doubt = None;
    action.seen = false;
    if action.resolution != Resolution::Known {
        // What it refers to may have come to something else since.
        action.resolution = Resolution::Open;
    }
    if !applies {
        action.change_set = None;
        action.change_set_gate = None;
    }
    enter(state, id);
}

/// An action is open again.
fn enter(state: &mut RunState, id: ActionId) {
    let Some(action) = state.actions.get(&id) else { return };
    let (scope, resources) = (action.spec.under, action.spec.resources.clone());
    state.open.insert(id);
    if action.resolution == Resolution::Open {
        state.unresolved.insert(id);
    }
    state.unjudged.remove(&id);
    state.resources.enter(scope, id, &resources);
}

/// What was blocked by an action, or aborted with its declaration, is judged again. An abort stands if its cause does.
fn reset_dependents(state: &mut RunState, id: ActionId) {
    let stands = state.action(id).is_some_and(|action| action.passed_over);
    let blocked: Vec<ActionId> = state
        .actions
        .iter()
        .filter(|(other, action)| {
            let Some(end) = &action.end else { return false };
            (end.reason == "dependency" && action.spec.depends_on.contains(&id))
                || (end.reason == "aborted" && other.declaration == id.declaration && !stands)
        })
        .map(|(other, _)| *other)
        .collect();
    for other in blocked {
        if let Some(action) = state.actions.get_mut(&other) {
            action.end = None;
            action.stage = Stage::Pending;
            action.cancel = false;
            action.seen = false;
        }
        enter(state, other);
        reset_dependents(state, other);
    }
}
