//! The next step while the calls of a turn are carried out, one after the other in the model's order.

use super::Step;
use crate::engine::decide::{gate, proceed};
use crate::engine::state::{BatchCall, Stage};
use crate::engine::{CallOpened, Kind, RunState, Subject};

/// The step of the first call that still needs one; none when the turn's calls are over.
pub(super) fn next(state: &RunState) -> Option<Step> {
    let (place, call) = state.batch.current()?;
    match call.stage {
        Stage::Declared => Some(Step::Record(open(state, place, call))),
        Stage::Opened => Some(Step::AskMediator(place)),
        Stage::Started => Some(Step::Execute(place)),
        Stage::Settled => Some(settled(state, place, call)),
        Stage::Done => None,
    }
}

/// A call is opened; what needs nobody's opinion about it is recorded at once.
fn open(state: &RunState, place: usize, call: &BatchCall) -> Vec<Kind> {
    let opened = CallOpened { call: place }.into();
    if let Some(refused) = gate::refuses_call(state, place, &call.declared) {
        return vec![opened, refused];
    }
    if state.spec.asks.mediator {
        return vec![opened];
    }
    vec![opened, proceed(state, place, &call.declared)]
}

/// A limit that is used up speaks first, then the completion policy.
fn settled(state: &RunState, place: usize, call: &BatchCall) -> Step {
    match state.budgets.calls_exceeded(&call.declared.name) {
        Some(exceeded) => Step::Record(vec![exceeded.into()]),
        None => Step::AskCompletion(Subject::Call(place)),
    }
}
