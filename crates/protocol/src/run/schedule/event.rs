//! What happens to a schedule, and what it asks for.

use provost_contract::action::Repeat;
use serde_json::Value;

use crate::Choice;

/// One attempt that may begin now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Start {
    /// The position of the action in its graph.
    pub at: usize,
    /// Counts the attempts of the action, from one.
    pub attempt: u32,
    /// Counts the rounds of its loop, from one.
    pub round: u32,
}

/// Something that happened; positions are those of the graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// An attempt named by [`Schedule::ready`](super::Schedule::ready) began.
    Started(usize),
    /// An attempt ended, or what an action waited for gave its end.
    Ended(usize, Ending),
    /// An action waits for somebody and gives its place to others.
    Parked(usize, Wait),
    /// The gate an action waited at is open.
    Resumed(usize),
    /// The user, or whoever owns the run, wants it to stop.
    CancelAsked,
    /// A model or a person decided about an action that failed or is blocked.
    Decided(usize, Choice),
}

/// How an attempt ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// As wanted; a loop asks whether its goal is reached.
    Completed(Goal),
    /// With an error.
    Failed,
    /// Nobody answered in time, so the effect may or may not be there.
    TimedOut,
    /// The process that ran it went away in the middle.
    Interrupted,
    /// A permission, an input or a gate was refused.
    Denied,
}

/// Whether the `until` of a loop holds for an output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Goal {
    /// It does, or there is none.
    Reached,
    /// Not yet.
    NotReached,
}

impl Goal {
    /// Looks into the structured output of a round.
    pub fn of(repeat: Option<&Repeat>, output: &Value) -> Self {
        let until = repeat.and_then(|repeat| repeat.until.as_ref());
        if until.is_none_or(|until| until.holds_for(output)) { Self::Reached } else { Self::NotReached }
    }
}

/// What an action waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wait {
    /// Leave to begin: nothing has been touched, so its resources are free for others.
    Gate,
    /// Work elsewhere, by a child run, a client or a person: its resources stay taken.
    Work,
}

/// Why an event was refused; the schedule is as it was before.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Illegal {
    /// There is no action at this position.
    #[error("the graph has no action at position {at}")]
    Unknown {
        /// The position.
        at: usize,
    },
    /// The action may not begin now.
    #[error("action {id} may not start now: it is {status}")]
    NotReady {
        /// The action.
        id: String,
        /// Where it stands.
        status: &'static str,
    },
    /// The transition table has no such row.
    #[error("action {id} is {status} and cannot {trigger}")]
    Transition {
        /// The action.
        id: String,
        /// Where it stands.
        status: &'static str,
        /// What was tried.
        trigger: &'static str,
    },
    /// Nothing can be decided about a run that was aborted or canceled.
    #[error("the run was stopped; nothing can be decided about action {id}")]
    Stopped {
        /// The action.
        id: String,
    },
}
