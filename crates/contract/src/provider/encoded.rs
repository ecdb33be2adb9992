//! What encoding gives: the body, and what the format could not carry.

use serde::Serialize;
use serde_json::Value;

/// Something of a transcript that a provider's format cannot carry.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Loss {
    /// The position of the message it was said in.
    pub index: usize,
    /// What is not sent, or not as it was.
    pub what: String,
    /// Why, and what is sent instead.
    pub why: String,
}

/// The part of a request that carries a transcript.
#[derive(Clone, Debug, PartialEq)]
pub struct Encoded {
    /// An object with the keys of that provider's request.
    pub body: Value,
    /// Everything the body does not say; empty when the body says all.
    pub losses: Vec<Loss>,
}

/// Collects losses while encoding.
#[derive(Debug, Default)]
pub(super) struct Losses(Vec<Loss>);

impl Losses {
    pub(super) fn note(&mut self, index: usize, what: impl Into<String>, why: impl Into<String>) {
        self.0.push(Loss { index, what: what.into(), why: why.into() });
    }

    /// The losses in the order of the messages they belong to.
    pub(super) fn sorted(mut self) -> Vec<Loss> {
        self.0.sort_by_key(|loss| loss.index);
        self.0
    }
}
