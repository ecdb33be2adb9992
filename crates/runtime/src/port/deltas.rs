//! Who hears an answer while it is still being spoken.

use std::fmt;

/// A piece of an answer. What counts is the whole answer, which alone is written down; pieces are for
/// people who watch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Delta<'a> {
    /// More text.
    Text(&'a str),
    /// More of what the model thinks, where the provider shows it.
    Reasoning(&'a str),
    /// A call begins.
    Call {
        /// Its place among the calls of the turn, from 0.
        place: usize,
        /// The provider's id of the call; may be empty.
        id: &'a str,
        /// The tool, as the provider was told it.
        name: &'a str,
    },
    /// More of the JSON text of a call's arguments.
    Arguments {
        /// The place of the call.
        place: usize,
        /// The piece.
        text: &'a str,
    },
    /// The answer broke off and is asked for again: what was heard of it does not count.
    Restart,
    /// A try failed, and the next one follows.
    Retry {
        /// Where the model is asked, without keys.
        address: &'a str,
        /// What went wrong.
        problem: &'a str,
        /// The try that failed; the first is 1.
        attempt: u32,
        /// How many there may be.
        attempts_max: u32,
        /// How long it takes until the next one.
        wait_ms: u64,
    },
}

/// Hears the pieces of a run's answers, in order. What it does changes nothing.
pub trait Deltas: Send + Sync {
    /// Takes notice of a piece of a turn. Must not block: whoever has to wait queues, within a bound, and
    /// drops the rest.
    fn hear(&self, turn: u64, delta: Delta<'_>);
}

/// Whoever hears one turn, or nobody.
#[derive(Clone, Copy, Default)]
pub struct Hearing<'a> {
    turn: u64,
    listener: Option<&'a dyn Deltas>,
}

impl<'a> Hearing<'a> {
    /// A turn that is heard.
    pub fn new(turn: u64, listener: &'a dyn Deltas) -> Self {
        Self { turn, listener: Some(listener) }
    }

    /// Hands a piece on.
    pub fn hear(&self, delta: Delta<'_>) {
        if let Some(listener) = self.listener {
            listener.hear(self.turn, delta);
        }
    }
}

impl fmt::Debug for Hearing<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.listener.is_some() { "somebody" } else { "nobody" })
    }
}
