//! What follows for a call that was started before the process died and did not end.

use provost_contract::Result;

use super::settle::{Decided, attempt};
use super::{RawCall, executed, propose_doubt, unfinished};
use crate::engine::RunState;
use crate::engine::state::BatchCall;
use crate::port::Recalled;

/// Whether somebody can be asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum People {
    /// Questions are kept until somebody answers.
    Reachable,
    /// Nobody could ever answer.
    Unreachable,
}

/// A call that may be repeated is; what the executor knows settles the rest; and what nobody knows is
/// asked, or told to the model.
///
/// # Errors
/// When the executor's reply cannot be read.
pub fn reconciled(
    state: &RunState,
    place: usize,
    call: &BatchCall,
    raw: &RawCall,
    recalled: Recalled,
    people: People,
    now_ms: i64,
) -> Result<Decided> {
    let declared = &call.declared;
    let may_repeat = state.rules.facts(&declared.name).is_some_and(|facts| facts.may_repeat);
    match (recalled, people) {
        (Recalled::Done(reply), _) => executed(state, place, declared, raw, Ok(reply)),
        (Recalled::NotDone, _) => Ok(attempt(state, place, declared, raw).into()),
        (Recalled::Unknown, _) if may_repeat => Ok(attempt(state, place, declared, raw).into()),
        (Recalled::Unknown, People::Reachable) => propose_doubt(state, place, declared, now_ms),
        (Recalled::Unknown, People::Unreachable) => Ok(unfinished::in_doubt(state, place, declared).into()),
    }
}
