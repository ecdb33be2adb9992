//! Which actions start now: a state machine over the graph of a declaration.
//!
//! A [`CheckedGraph`] is the graph with its rules and never changes. A [`Schedule`] is the state of a run of
//! it. An engine calls [`Schedule::ready`], starts the returned attempts, and applies one [`Event`] after
//! another; the same events always lead to the same state, so a journal can be folded again after a crash. A
//! batch of native tool calls is a graph without edges.
//!
//! Nothing here executes, waits or reads a clock. Whether an action is *allowed* to run is decided elsewhere
//! and reported by an event.

mod apply;
mod checked_graph;
mod contention;
mod decide;
mod event;
mod faults;
mod judge;
mod ready;
#[cfg(test)]
mod schedule_tests;
mod settle;
mod state;
mod status;
mod stop;
mod transition;
mod waves;

pub use checked_graph::{CheckedGraph, Rules, ScheduledAction};
pub use event::{Ending, Event, Goal, Illegal, Start, Wait};
pub use faults::ScheduleFault;
pub use ready::Limits;
pub use state::Schedule;
pub use status::GraphStatus;
pub use transition::{TRANSITIONS, Transition, Trigger, transition_table};
pub use waves::{Attempt, Barrier, waves};
