//! What a repair did.

use serde::Serialize;
use strum::{Display, IntoStaticStr};

use crate::Message;

/// The kinds of repair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Display, IntoStaticStr)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Mend {
    /// A call without a result was dropped.
    DroppedCall,
    /// A result without a call was dropped.
    DroppedResult,
    /// A call without a result was given one that says it was interrupted.
    WroteResult,
    /// A result was moved directly behind the calls of its step.
    MovedResult,
    /// A call and its result were given an id, or another one.
    GaveId,
    /// A result was given the name of the tool that was called.
    NamedTool,
}

/// One thing a repair did.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Change {
    /// The position of the message in the transcript as it was given.
    pub index: usize,
    /// What was done.
    pub mend: Mend,
    /// What was done and why, for a person.
    pub explanation: String,
}

/// A sendable transcript, and what had to be done to it.
#[derive(Clone, Debug, PartialEq)]
pub struct Repaired {
    /// The messages; merged ones are opened.
    pub messages: Vec<Message>,
    /// What was done, in the order of the given transcript.
    pub changes: Vec<Change>,
}
