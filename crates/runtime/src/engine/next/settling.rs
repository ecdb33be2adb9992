//! The next step once the calls of a turn are over: whether anything stops the run, and if not, who says
//! that another turn follows.

use super::Step;
use crate::engine::decide::gate;
use crate::engine::{
    BudgetExceeded, Continuation, ContinuationAdded, Kind, LoopStalled, RunState, RunStatus, Subject,
};

/// The budget that counts turns.
const TURNS: &str = "turns";

/// Stops first, then the natural end, then interrupts, limits of turns, and the host's word.
pub(super) fn next(state: &RunState) -> Step {
    if let Some(kind) = to_record(state) {
        return Step::Record(vec![kind]);
    }
    if let Some(status) = state.stops.status() {
        return Step::Finish(status);
    }
    if let Some(subject) = unjudged(state) {
        return Step::AskCompletion(subject);
    }
    if state.batch.complete || state.batch.is_natural_end() {
        return Step::Finish(RunStatus::Completed);
    }
    if state.spec.asks.interrupts && !state.batch.interrupt_heard {
        return Step::AskInterrupt;
    }
    another_turn(state)
}

/// What follows from the turn and is not recorded yet.
fn to_record(state: &RunState) -> Option<Kind> {
    let batch = &state.batch;
    if !batch.continuation.is_empty() && !batch.stopped {
        let roles = batch.continuation.iter().map(|message| message.role().to_owned()).collect();
        return Some(ContinuationAdded { roles }.into());
    }
    if let (Some(repetition), None) = (batch.repetition.as_deref(), &state.stops.stalled) {
        return Some(LoopStalled { repetition: repetition.clone() }.into());
    }
    if state.stops.status().is_none() && !batch.complete && batch.is_natural_end() {
        return gate::blocks_completion(state);
    }
    None
}

/// A result the host reported itself, and the completion policy has not seen.
fn unjudged(state: &RunState) -> Option<Subject> {
    let batch = &state.batch;
    let asked = state.spec.asks.completion && !batch.complete && batch.managed_judged < batch.managed.len();
    asked.then_some(Subject::Managed(batch.managed_judged))
}

fn another_turn(state: &RunState) -> Step {
    if let Some(exceeded) = state.budgets.turns_exceeded() {
        return Step::Record(vec![exceeded.into()]);
    }
    if state.budgets.turns_max().is_none() && state.turn >= state.spec.max_turns {
        return last_turn_over(state);
    }
    if state.batch.spoken_to {
        return Step::StartTurn;
    }
    let go_on = match (state.spec.asks.continuation, state.batch.go_on) {
        (Continuation::Asked, None) => return Step::AskContinue,
        (Continuation::Asked, Some(answer)) => answer,
        (Continuation::WhileCalling, _) => {
            state.batch.completion_blocked || (state.batch.mediated && state.batch.asked_for > 0)
        }
        (Continuation::Never, _) => state.batch.completion_blocked,
    };
    if go_on { Step::StartTurn } else { Step::Finish(RunStatus::Completed) }
}

/// `max_turns` is spent. A run whose model asked for calls in the last turn, or was told to go on, was
/// stopped in the middle of its work and says so.
fn last_turn_over(state: &RunState) -> Step {
    let batch = &state.batch;
    let is_calling =
        batch.mediated && batch.asked_for > 0 && state.spec.asks.continuation != Continuation::Never;
    if is_calling || batch.completion_blocked || batch.continued || batch.spoken_to {
        let (current, ceiling) = (state.turn, state.spec.max_turns);
        let exceeded =
            BudgetExceeded { budget: TURNS.to_owned(), dimension: TURNS.to_owned(), current, ceiling };
        return Step::Record(vec![exceeded.into()]);
    }
    Step::Finish(RunStatus::Completed)
}
