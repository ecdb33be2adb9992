//! What going on does to the state: nothing that happened is undone, and what ended the run is lifted.

use super::{RunState, Stage, Stops};
use crate::engine::RunResumed;

pub(super) fn resumed(state: &mut RunState, resumed: &RunResumed) {
    state.session_held = false;
    state.budgets.change(&resumed.budgets, state.turn);
    state.budgets.forfeit();
    state.batch.doubt();
    // A crash lifts nothing: what was about to end the run still does.
    if state.ended.take().is_some() {
        lift_stops(state);
    }
}

/// A call that waits still does; every other reason is looked at anew.
fn lift_stops(state: &mut RunState) {
    let stops = std::mem::take(&mut state.stops);
    if stops.budget.is_some() {
        state.batch.stopped = false;
        look_again_at_results(state);
    }
    state.stops = Stops { approval: stops.approval, client: stops.client, ..Stops::default() };
    state.batch.repetition = None;
    state.batch.go_on = None;
}

/// A limit that stopped the run at a result may have been raised.
fn look_again_at_results(state: &mut RunState) {
    let over = |name: &str| state.budgets.calls_exceeded(name).is_some();
    let settled = state.batch.in_stage(Stage::Settled);
    let free: Vec<usize> = settled
        .filter(|(_, call)| !state.spec.asks.completion && !over(&call.declared.name))
        .map(|(place, _)| place)
        .collect();
    free.into_iter().for_each(|place| state.batch.judge(place, "run_resumed"));
}
