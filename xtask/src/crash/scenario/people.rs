//! How people and clients behave in a scenario.

use provost_engine::event::Signal;

/// How a person answers a question whether something may run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum Person {
    Accept,
    /// Yes, and for the rest of the run.
    Remember,
    /// Yes, and in later runs.
    RememberAlways,
    Reject,
    /// Yes, with other arguments.
    Edit,
    /// Nothing: the clock answers, or something else happens.
    Silent,
}

/// How a client, or a person in place of a tool, does work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum Work {
    Done,
    Fails,
    /// Nothing: the clock answers, or something else happens.
    Silent,
}

/// What a person says about an attempt that is in doubt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum Doubt {
    /// Looks whether it happened, and says so or has it done.
    Looks,
    /// Has it done again without looking.
    Again,
    Leave,
    /// Says that it happened without looking.
    Happened,
}

/// When a letter is posted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum When<'a> {
    /// When the run was accepted.
    First,
    /// When something waits for an answer.
    Parked,
    /// While the model is asked for this turn.
    Model(u32),
    /// When a change set is half applied.
    Midway,
    /// While this call is carried out.
    During(&'a str),
}

/// Something for a run from outside.
#[derive(Clone, Debug, PartialEq)]
pub(in super::super) struct Letter {
    pub(in super::super) run: &'static str,
    pub(in super::super) when: When<'static>,
    pub(in super::super) signal: Signal,
}
