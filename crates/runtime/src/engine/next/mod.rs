//! What to do now. Asked again after a crash, it gives the same answer from the same events.

mod calling;
mod settling;

use super::{Kind, Phase, RunState, RunStatus, SessionSpec, Subject};

/// What the driver does next.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// Take hold of the session.
    LockSession(SessionSpec),
    /// Look at the clock and begin a turn.
    StartTurn,
    /// Shorten the transcript, if it is too long.
    Compact,
    /// Ask the model.
    CallModel,
    /// Find out whether a call may run; the place of the call among those of the turn.
    Authorise(usize),
    /// Find out what became of a call that was started before the run was resumed.
    Reconcile(usize),
    /// Execute these calls, all at once.
    Execute(Vec<usize>),
    /// Ask the completion policy about a result.
    AskCompletion(Subject),
    /// Ask whether somebody has something to say.
    AskInterrupt,
    /// Ask the host whether to go on.
    AskContinue,
    /// Record what follows from what is known: nobody needs to be asked.
    Record(Vec<Kind>),
    /// End the run in this state, or park it.
    Finish(RunStatus),
    /// Nothing: the run is over, or parked.
    Done,
}

/// The next step of a run.
pub fn next(state: &RunState) -> Step {
    if state.ended.is_some() {
        return Step::Done;
    }
    if state.stops.broken.is_some() {
        return Step::Finish(RunStatus::Failed);
    }
    if state.stops.contended.is_some() {
        return Step::Finish(RunStatus::TranscriptLockContention);
    }
    if let (true, Some(session)) = (state.needs_session(), &state.spec.session) {
        return Step::LockSession(session.clone());
    }
    let stopped = |otherwise: Step| state.stops.status().map_or(otherwise, Step::Finish);
    match state.phase {
        Phase::BetweenTurns => stopped(Step::StartTurn),
        Phase::Compacting => stopped(Step::Compact),
        Phase::Thinking => stopped(thinking(state)),
        Phase::Calling => calling::next(state).unwrap_or_else(|| settling::next(state)),
    }
}

/// A summary may have used up what the turn needs, and an attempt nobody heard the end of as well.
fn thinking(state: &RunState) -> Step {
    match state.budgets.turn_exceeded() {
        Some(exceeded) => Step::Record(vec![exceeded.into()]),
        None => Step::CallModel,
    }
}
