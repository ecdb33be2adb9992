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
    /// Ask the host about a call before it is executed; the place of the call among those of the turn.
    AskMediator(usize),
    /// Execute a call.
    Execute(usize),
    /// Ask the completion policy about a result.
    AskCompletion(Subject),
    /// Ask whether somebody has something to say.
    AskInterrupt,
    /// Ask the host whether to go on.
    AskContinue,
    /// Record what follows from what is known: nobody needs to be asked.
    Record(Vec<Kind>),
    /// End or park the run in this state.
    Finish(RunStatus),
    /// Nothing: the run is over, or parked.
    Done,
}

/// The next step of a run.
pub fn next(state: &RunState) -> Step {
    if state.phase == Phase::Ended {
        return Step::Done;
    }
    if state.stops.broken.is_some() {
        return Step::Finish(RunStatus::Failed);
    }
    match state.phase {
        Phase::Locking => match (&state.stops.contended, &state.spec.session) {
            (None, Some(session)) => Step::LockSession(session.clone()),
            (Some(_), _) | (None, None) => Step::Finish(RunStatus::TranscriptLockContention),
        },
        Phase::BetweenTurns => state.stops.status().map_or(Step::StartTurn, Step::Finish),
        Phase::Compacting => Step::Compact,
        Phase::Thinking => state.stops.status().map_or(Step::CallModel, Step::Finish),
        Phase::Calling => calling::next(state).unwrap_or_else(|| settling::next(state)),
        Phase::Ended => Step::Done,
    }
}
