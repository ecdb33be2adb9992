//! Who hears an answer while it is still being spoken.

use provost_runtime::port::TurnRequest;

/// A piece of an answer. What counts is the whole answer; pieces are for people who watch.
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
}

/// Hears the pieces of answers, in order.
pub trait Deltas: Send + Sync {
    /// Takes notice. Must not block: whoever has to wait queues, within a bound, and drops the rest.
    fn hear(&self, request: &TurnRequest<'_>, delta: Delta<'_>);
}
