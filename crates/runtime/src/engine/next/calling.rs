//! The next step while the calls of a turn are carried out: results are judged first, then what began is
//! brought further, then the schedule says what begins.

use super::Step;
use crate::engine::decide::{approved, cancelled, gate, proceed, superseded};
use crate::engine::state::{BatchCall, Stage};
use crate::engine::{CallOpened, Kind, RunState, Subject};

/// The next step for the calls of the turn; none when nothing can be done about them now.
pub(super) fn next(state: &RunState) -> Option<Step> {
    let batch = &state.batch;
    if let Some(asked) = &state.stops.cancelled {
        return cancelled(state, asked).map(|kind| Step::Record(vec![kind]));
    }
    if let Some(kind) = superseded(state) {
        return Some(Step::Record(vec![kind]));
    }
    if let Some((place, call)) = batch.unjudged().filter(|_| !batch.stopped) {
        return Some(judge(state, place, call));
    }
    if let Some((place, _)) = batch.first_in(Stage::InDoubt) {
        return Some(Step::Reconcile(place));
    }
    if let Some((place, _)) = batch.first_in(Stage::Opened) {
        return Some(Step::Authorise(place));
    }
    if let Some(step) = begin(state) {
        return Some(step);
    }
    let started: Vec<usize> = batch.in_stage(Stage::Started).map(|(place, _)| place).collect();
    (!started.is_empty()).then_some(Step::Execute(started))
}

/// A limit that is used up speaks first, then the completion policy.
fn judge(state: &RunState, place: usize, call: &BatchCall) -> Step {
    match state.budgets.calls_exceeded(&call.declared.name) {
        Some(exceeded) => Step::Record(vec![exceeded.into()]),
        None => Step::AskCompletion(Subject::Call(place)),
    }
}

/// The next call the schedule and the limits let begin.
fn begin(state: &RunState) -> Option<Step> {
    let (place, call) = state.batch.ready()?;
    let name = &call.declared.name;
    if !state.budgets.has_room_for_call(name, state.batch.at_work(None), state.batch.at_work(Some(name))) {
        return None;
    }
    // What other calls used up while this one waited is not there for it any more.
    if let (Stage::Approved, Some(exceeded)) = (call.stage, state.budgets.calls_exceeded(name)) {
        return Some(Step::Record(vec![exceeded.into()]));
    }
    // Who has a word is asked again: time has passed, and the arguments may be others.
    if call.stage == Stage::Approved && (state.spec.asks.policy || state.spec.asks.mediator) {
        return Some(Step::Authorise(place));
    }
    if call.stage == Stage::Approved {
        return Some(Step::Record(vec![approved(state, place, call)]));
    }
    if let Some(exceeded) = state.budgets.fan_out_exceeded(place + 1) {
        return Some(Step::Record(vec![exceeded.into()]));
    }
    Some(Step::Record(open(state, place, call)))
}

/// A call is opened; what needs nobody's opinion about it is recorded at once.
fn open(state: &RunState, place: usize, call: &BatchCall) -> Vec<Kind> {
    let opened = CallOpened { call: place }.into();
    if let Some(refused) = gate::refuses_call(state, place, &call.declared) {
        return vec![opened, refused];
    }
    if state.asks_about(&call.declared) {
        return vec![opened];
    }
    vec![opened, proceed(state, place, &call.declared, None)]
}
