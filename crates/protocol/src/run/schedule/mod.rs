//! Which actions start now: a state machine over the graph of a declaration.
//!
//! A [`CheckedGraph`] is the graph with its rules and never changes. A [`Schedule`] is where a run of it stands.
//! An engine asks [`Schedule::ready`], starts what it names, and applies one [`Event`] after another;
//! the same events always lead to the same state, so a journal can be folded again after a crash. A
//! batch of native tool calls is a graph without edges.
//!
//! Nothing here executes, waits or looks at a clock; whether an action *may* run is decided elsewhere
//! and told by an event.

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
