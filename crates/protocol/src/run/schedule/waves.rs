//! The barrier schedule: a small driver that runs a graph wave by wave.

use std::sync::Arc;

use super::checked_graph::CheckedGraph;
use super::event::{Ending, Event, Start, Wait};
use super::ready::Limits;
use super::state::Schedule;

/// The result of one attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Attempt {
    /// It ended.
    Ended(Ending),
    /// It is executed elsewhere.
    Waiting,
}

/// A run in waves: the actions of each wave, and the final state.
#[derive(Clone, Debug)]
pub struct Barrier {
    /// The positions of each wave, in declaration order.
    pub waves: Vec<Vec<usize>>,
    /// The final state.
    pub schedule: Schedule,
}

/// Runs a graph so that a wave starts when the previous one has ended; attempts and rounds of an action
/// stay inside its wave.
///
/// The outcomes of a wave are judged together: an abort, or a cancel after `cancel_after`
/// waves, takes precedence over their consequences.
pub fn waves(
    graph: Arc<CheckedGraph>,
    limits: Limits,
    cancel_after: Option<usize>,
    mut run: impl FnMut(Start) -> Attempt,
) -> Barrier {
    let mut schedule = Schedule::new(graph, limits);
    let mut waves: Vec<Vec<usize>> = Vec::new();
    loop {
        if cancel_after.is_some_and(|count| waves.len() >= count) {
            let _ = schedule.record(Event::CancelAsked);
        }
        schedule.settle();
        let wave: Vec<Start> = schedule.ready().collect();
        if wave.is_empty() {
            return Barrier { waves, schedule };
        }
        // All actions of a wave start before any of them ends.
        for start in &wave {
            let _ = schedule.record(Event::Started(start.at));
        }
        for start in &wave {
            run_to_its_end(&mut schedule, *start, &mut run);
        }
        waves.push(wave.into_iter().map(|start| start.at).collect());
    }
}

fn run_to_its_end(schedule: &mut Schedule, first: Start, run: &mut impl FnMut(Start) -> Attempt) {
    let mut start = first;
    loop {
        let event = match run(start) {
            Attempt::Ended(ending) => Event::Ended(start.at, ending),
            Attempt::Waiting => Event::Parked(start.at, Wait::Work),
        };
        let _ = schedule.record(event);
        let Some(next) = schedule.next_attempt(start.at) else { return };
        let _ = schedule.record(Event::Started(start.at));
        start = next;
    }
}
