//! What a run used of its limits.

use crate::event::{Event, EventKind, WaitKind};
use crate::state::RunState;

const TURNS: &str = "turns";
const TOKENS: &str = "tokens";
const COST: &str = "cost_microusd";

/// One limit, or something that is only counted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limit {
    /// Its name: `turns`, `tokens`, `cost_microusd`, `wall_clock_seconds`, `tool_calls_<tool>`, …
    pub name: String,
    /// How much was used.
    pub used: u64,
    /// How much there is at most; none when it is only counted.
    pub ceiling: Option<u64>,
}

/// Returns what was used of everything that has a limit, and turns, tokens and cost also without one.
/// `active_ms` is how long the run has worked; parked time does not count.
pub fn usage(state: &RunState, active_ms: u64) -> Vec<Limit> {
    let ledger = &state.ledger;
    let limits = ledger.budgets_used(active_ms).map(|(name, used, ceiling)| Limit {
        name: name.to_owned(),
        used: elsewhere(state, name).unwrap_or(used),
        ceiling: Some(ceiling),
    });
    let spent = ledger.spent();
    let cost = spent.0.get(COST).copied();
    let counted = [
        (TURNS, Some(ledger.turns().into()), Some(ledger.turns_max().into())),
        (TOKENS, Some(spent.get(TOKENS)), None),
        (COST, cost, None),
    ];
    with_counted(limits.collect(), counted)
}

/// Returns how long a run has worked, as far as its journal says: up to its newest model call.
pub fn active_ms(events: &[Event]) -> u64 {
    let noted = events.iter().rev().find_map(|event| match &event.kind {
        EventKind::ModelRequested(requested) => Some(requested.active_ms),
        _ => None,
    });
    noted.unwrap_or_default()
}

/// What is not in the ledger: how deep the run is, and how many children it has open.
fn elsewhere(state: &RunState, name: &str) -> Option<u64> {
    match name {
        "depth" => Some(state.spec.parent.as_ref().map_or(0, |parent| parent.depth.into())),
        "children" => {
            let children = state.waits.values().filter(|wait| matches!(wait.kind, WaitKind::Child { .. }));
            Some(children.count() as u64)
        }
        _ => None,
    }
}

/// What every run has comes first.
fn with_counted(mut limits: Vec<Limit>, counted: [(&str, Option<u64>, Option<u64>); 3]) -> Vec<Limit> {
    for (name, used, ceiling) in counted.into_iter().rev() {
        let is_there = limits.iter().any(|limit| limit.name == name);
        if let Some(used) = used.filter(|_| !is_there) {
            limits.insert(0, Limit { name: name.to_owned(), used, ceiling });
        }
    }
    limits
}
