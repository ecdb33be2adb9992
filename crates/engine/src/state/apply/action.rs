//! Actions: started, noted, an attempt ended, ended.

use provost_contract::json;
use provost_contract::tool::{CallSignature, DuplicatePolicy, FailureSignature};
use serde_json::json;

use super::super::{Action, End, RunState, Stage};
use super::run::mark_cancelled;
use super::turn::{judge_ended, promote};
use super::{Problem, need};
use crate::defect::{self, Defect};
use crate::event::{
    ActionEnd, ActionEnded, ActionNoted, ActionStarted, AttemptEnded, ExecutorKind, Next, Note, Origin,
    Outcome, Phase, Probe,
};
use crate::{ActionId, SHOW_TOOLS, Seq, Time, WorldEffect};

fn action_of(state: &mut RunState, id: ActionId) -> Result<&mut Action, String> {
    state.actions.get_mut(&id).map(|action| &mut **action).ok_or_else(|| format!("there is no action {id}"))
}

/// The action of an open attempt.
fn attempt_of(state: &mut RunState, id: ActionId, attempt: u32) -> Result<&mut Action, String> {
    let action = action_of(state, id)?;
    let open = action.stage == Stage::Running && action.attempt == attempt;
    if open { Ok(action) } else { Err(format!("attempt {attempt} of action {id} is not open")) }
}

pub(super) fn started(state: &mut RunState, started: &ActionStarted) -> Problem {
    let epoch = state.epoch;
    let action = action_of(state, started.action)?;
    need(action.wait.is_none(), "it waits for an answer")?;
    need(started.attempt == action.attempt + 1, "attempts are counted one by one")?;
    match (action.stage, started.phase) {
        (Stage::Pending, Phase::Run) => {}
        (Stage::Proposed, Phase::Apply) => need(action.change_set.is_some(), "it has no change set")?,
        (stage, phase) => return Err(format!("{phase:?} cannot start in stage {stage:?}")),
    }
    action.stage = Stage::Running;
    action.attempt = started.attempt;
    action.phase = started.phase;
    action.attempt_epoch = epoch;
    action.holds = true;
    action.not_before = Time(0);
    action.process = None;
    action.must_ask = false;
    action.answered = None;
    action.by_client = action.executor() == ExecutorKind::Client;
    action.effect_before = action.effect;
    action.applying = started.phase == Phase::Apply;
    action.expect = started.expect.clone();
    if let Some(resolved) = &started.resolved {
        action.args = resolved.clone();
    }
    if started.phase == Phase::Run {
        action.bridged = false;
        action.input = None;
        action.request = None;
    }
    let input = started.input.clone();
    if touches_world(action) && action.effect != WorldEffect::Done && !defect::is(Defect::EffectForgotten) {
        action.effect = WorldEffect::Maybe;
    }
    match input {
        Some(input) => state.inputs.insert(started.action, input),
        None => state.inputs.remove(&started.action),
    };
    if started.attempt == 1 {
        observe_call(state, started.action);
    }
    Ok(())
}

/// Whether the open attempt may change something outside by itself. A child says for itself what it did,
/// the parts of a pipeline or a fan-out too, and a program changes nothing until its changes are applied.
fn touches_world(action: &Action) -> bool {
    if action.phase == Phase::Apply {
        return true;
    }
    if action.is_container() {
        return false;
    }
    match action.executor() {
        ExecutorKind::Tool | ExecutorKind::Service | ExecutorKind::Client => !action.spec.only_reads(),
        ExecutorKind::Program => {
            !action.spec.only_reads()
                && action.spec.facts.idempotency != provost_contract::action::Idempotency::Transactional
        }
        ExecutorKind::Runtime
        | ExecutorKind::Pipeline
        | ExecutorKind::Agent
        | ExecutorKind::Human
        | ExecutorKind::Timer
        | ExecutorKind::Signal => false,
    }
}

pub(super) fn noted(state: &mut RunState, noted: &ActionNoted) -> Problem {
    let action = attempt_of(state, noted.action, noted.attempt)?;
    match &noted.note {
        Note::Process { .. } | Note::Remote { .. } => action.process = Some(noted.note.clone()),
        Note::Posture { .. } | Note::Progress { .. } | Note::Output { .. } => {}
    }
    Ok(())
}

pub(super) fn attempt_ended(state: &mut RunState, ended: &AttemptEnded) -> Problem {
    let action = attempt_of(state, ended.action, ended.attempt)?;
    need(action.wait.is_none(), "it waits for an answer")?;
    let rolls_on = matches!(ended.next, Next::Retry { .. } | Next::Doubt);
    need(action.phase == Phase::Run || rolls_on, "a begun apply is retried or in doubt")?;
    let judged = ended.next == Next::Judge;
    need(!judged || matches!(ended.outcome, Outcome::Proposed { .. }), "only a change set can be judged")?;
    action.answered = None;
    count_outcome(action, &ended.outcome);
    match ended.next {
        Next::Retry { not_before } => {
            action.stage = if action.phase == Phase::Apply { Stage::Proposed } else { Stage::Pending };
            action.not_before = not_before;
        }
        Next::Round => {
            action.stage = Stage::Pending;
            action.round += 1;
            action.counts = crate::state::Counts::default();
        }
        Next::Judge => {
            action.stage = Stage::Proposed;
            if let Outcome::Proposed { change_set } = &ended.outcome {
                action.change_set = Some(change_set.clone());
            }
            action.change_set_gate = None;
            action.applying = false;
        }
        Next::Input => {
            action.stage = Stage::Suspended;
            action.counts.inputs += 1;
            if let Outcome::InputRequired { request, .. } = &ended.outcome {
                action.request = Some(request.clone());
            }
        }
        Next::Doubt => {
            action.stage = Stage::InDoubt;
            action.doubt = Some(cause(&ended.outcome).to_owned());
        }
        Next::AskAgain => {
            action.stage = Stage::Pending;
            action.gate = None;
            action.counts.stale += 1;
        }
    }
    let operation = action.spec.operation.clone();
    state.inputs.remove(&ended.action);
    state.ledger.spend(&ended.usage);
    if state.is_protocol() && matches!(ended.next, Next::Retry { .. } | Next::Round) {
        state.ledger.count_call(&operation);
    }
    cancel_bridged(state, ended.action);
    Ok(())
}

fn count_outcome(action: &mut Action, outcome: &Outcome) {
    match outcome {
        Outcome::Failed { .. } | Outcome::TimedOut { .. } => action.counts.failures += 1,
        Outcome::Lost { probe, .. } => {
            action.counts.losses += 1;
            // Its process is gone, and what the policy hook said with it: rules may have changed since.
            action.ruled = None;
            if *probe == Probe::NotDone {
                action.effect = action.effect_before;
            }
        }
        Outcome::Stale { .. } | Outcome::NotStarted { .. } => action.effect = action.effect_before,
        Outcome::Completed { .. } if action.effect != WorldEffect::None => action.effect = WorldEffect::Done,
        Outcome::Completed { .. }
        | Outcome::Stopped
        | Outcome::Proposed { .. }
        | Outcome::Waits { .. }
        | Outcome::InputRequired { .. } => {}
    }
}

/// Why an attempt leaves its action in doubt.
fn cause(outcome: &Outcome) -> &'static str {
    match outcome {
        Outcome::TimedOut { .. } => "timed_out",
        Outcome::Failed { .. } => "failed",
        Outcome::Lost { gone: false, .. } => "may_still_run",
        Outcome::Completed { .. }
        | Outcome::Stopped
        | Outcome::Lost { .. }
        | Outcome::NotStarted { .. }
        | Outcome::Stale { .. }
        | Outcome::Proposed { .. }
        | Outcome::Waits { .. }
        | Outcome::InputRequired { .. } => "lost",
    }
}

pub(super) fn ended(state: &mut RunState, seq: Seq, ended: &ActionEnded) -> Problem {
    let has_model = state.has_model();
    let action = action_of(state, ended.action)?;
    need(!action.is_ended(), "it has ended")?;
    need(action.wait.is_none(), "it waits for an answer")?;
    let never_began = action.attempt == 0;
    let open = (action.stage == Stage::Running).then_some(action.attempt);
    need(ended.attempt == open, "its open attempt ends with it")?;
    action.effect = ended.effect;
    if ended.reason != "in_doubt" {
        action.applying = false;
    }
    action.stage = Stage::Ended;
    action.holds = false;
    action.seen = false;
    action.decided = false;
    action.answered = None;
    action.end = Some(End {
        seq,
        status: ended.status,
        reason: ended.reason.clone(),
        satisfying: ended.satisfying,
        by: ended.by,
        result: ended.result.clone(),
        nudge: ended.nudge.clone(),
        remarks: Vec::new(),
    });
    let spec = action.spec.clone();
    if spec.operation == SHOW_TOOLS && ended.status == ActionEnd::Completed {
        let names = action.args.redacted.get("names").map(json::string_list).unwrap_or_default();
        names.iter().for_each(|name| promote(state, name));
    }
    note_frontier(state, ended.action);
    state.resources.leave(spec.under, spec.id, &spec.resources);
    state.open.remove(&ended.action);
    state.unresolved.remove(&ended.action);
    state.inputs.remove(&ended.action);
    state.ledger.spend(&ended.usage);
    let shown = state.action(ended.action).is_some_and(|action| state.is_shown(action));
    if has_model && shown {
        state.unseen += 1;
    }
    cancel_bridged(state, ended.action);
    if is_counted(&ended.reason) {
        // A fan-out counts by its entries.
        if spec.each.is_none() {
            state.ledger.count_call(&spec.operation);
        }
        observe_failure(state, ended);
        if never_began {
            observe_call(state, ended.action);
        }
        judge_ended(state, ended.action);
    }
    Ok(())
}

/// Only a transcript that is shortened needs to be told what was done.
fn note_frontier(state: &mut RunState, id: ActionId) {
    if state.agent.compaction.is_none() {
        return;
    }
    let turn = state.turn_of(id);
    if let Some(action) = state.actions.get(&id).filter(|action| action.spec.under.is_none()) {
        state.frontier.note(turn, action);
    }
}

/// Calls that were never made count against no budget.
fn is_counted(reason: &str) -> bool {
    !matches!(reason, "left_out" | "superseded" | "stopping")
}

/// The call of an action, as far as repetition goes; none when it may repeat.
fn signature(action: &Action) -> Option<CallSignature> {
    let repeatable = action.spec.facts.duplicate_policy == DuplicatePolicy::Repeatable;
    (!repeatable && action.spec.under.is_none()).then(|| CallSignature {
        tool_name: action.spec.operation.trim().to_owned(),
        parameters_hash: action.args.raw.to_string(),
    })
}

/// Equal failures in a row.
fn observe_failure(state: &mut RunState, ended: &ActionEnded) {
    let signature = state.actions.get(&ended.action).and_then(|action| signature(action));
    let (Some(signature), Some(result)) = (signature, ended.result.shown().as_object()) else { return };
    let failed = result.get("success") != Some(&true.into());
    if let Some(tracker) = state.failures.as_mut().filter(|_| failed) {
        tracker.observe(&FailureSignature::of_call(signature, result));
    }
}

/// Equal calls in a row, in plain mode: counted when they begin, or end without having begun.
fn observe_call(state: &mut RunState, id: ActionId) {
    let turn = state.turn_number();
    let signature = state.actions.get(&id).and_then(|action| signature(action));
    let Some(signature) = signature.filter(|_| !state.is_protocol()) else { return };
    let Some(detector) = &mut state.repetition.detector else { return };
    let spin = detector.observe_signature(&signature);
    if spin.stalled && state.repetition.found.is_none() {
        let mut found = signature.to_value();
        if let Some(found) = found.as_object_mut() {
            found.insert("turn".into(), turn.into());
            found.insert("repeat_count".into(), spin.repeat_count.into());
            found.insert("threshold".into(), json!(detector.threshold()));
        }
        let count = u32::try_from(spin.repeat_count).unwrap_or(u32::MAX);
        state.repetition.found = Some((found, count));
    }
}

/// Calls out of a sandbox end with the attempt that made them.
fn cancel_bridged(state: &mut RunState, id: ActionId) {
    if !state.has_open_parts(id) {
        return;
    }
    let bridged: Vec<ActionId> = state
        .open_actions()
        .filter(|(_, part)| part.spec.under == Some(id) && part.is_bridged())
        .map(|(part, _)| part)
        .collect();
    bridged.into_iter().for_each(|part| mark_cancelled(state, part));
}

impl Action {
    /// Returns whether its open attempt makes a change set real.
    pub fn is_applying(&self) -> bool {
        self.phase == Phase::Apply
    }

    /// Returns whether it is a call out of a running sandbox.
    pub fn is_bridged(&self) -> bool {
        matches!(self.spec.origin, Origin::Bridge { .. })
    }
}
