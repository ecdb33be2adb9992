//! The inputs and outputs of a schedule.

use provost_contract::action::Repeat;
use serde_json::Value;

use crate::Choice;

/// An attempt that may start now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Start {
    /// The position of the action in its graph.
    pub at: usize,
    /// The number of the attempt, from 1.
    pub attempt: u32,
    /// The number of the round, from 1.
    pub round: u32,
}

/// An event; positions are those of the graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// An attempt returned by [`Schedule::ready`](super::Schedule::ready) started.
    Started(usize),
    /// An attempt ended, or a waiting action ended.
    Ended(usize, Ending),
    /// An action waits and releases its slot.
    Parked(usize, Wait),
    /// The gate that an action waited at opened.
    Resumed(usize),
    /// The owner of the run cancels it.
    CancelAsked,
    /// A model or a person decided about an action that failed or is blocked.
    Decided(usize, Choice),
}

/// How an attempt ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// Successfully; a loop checks whether its goal is reached.
    Completed(Goal),
    /// With an error.
    Failed,
    /// It timed out, so the effect may or may not have happened.
    TimedOut,
    /// The process that ran it died.
    Interrupted,
    /// A permission, an input or a gate was refused.
    Denied,
}

/// Whether the `until` of a loop holds for an output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Goal {
    /// It holds, or there is none.
    Reached,
    /// It does not hold yet.
    NotReached,
}

impl Goal {
    /// Checks the structured output of a round.
    pub fn of(repeat: Option<&Repeat>, output: &Value) -> Self {
        let until = repeat.and_then(|repeat| repeat.until.as_ref());
        if until.is_none_or(|until| until.holds_for(output)) { Self::Reached } else { Self::NotReached }
    }
}

/// What an action waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wait {
    /// Permission to start: nothing has happened yet, so its resources are free.
    Gate,
    /// Work elsewhere, by a child run, a client or a person: its resources stay held.
    Work,
}

/// Why an event was rejected; the schedule is unchanged.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Illegal {
    /// There is no action at this position.
    #[error("the graph has no action at position {at}")]
    Unknown {
        /// The position.
        at: usize,
    },
    /// The action may not start now.
    #[error("action {id} may not start now: it is {status}")]
    NotReady {
        /// The action.
        id: String,
        /// Its status.
        status: &'static str,
    },
    /// The transition table has no such row.
    #[error("action {id} is {status} and cannot {trigger}")]
    Transition {
        /// The action.
        id: String,
        /// Its status.
        status: &'static str,
        /// The trigger.
        trigger: &'static str,
    },
    /// Nothing can be decided in a run that was aborted or canceled.
    #[error("the run was stopped; nothing can be decided about action {id}")]
    Stopped {
        /// The action.
        id: String,
    },
}
