//! The answers of a recording for requests that have changed since.

use std::sync::atomic::{AtomicUsize, Ordering};

use provost_runtime::port::{Boxed, Model, ModelError, TurnAnswer, TurnRequest};

use super::Cassette;

/// Answers in the order of the recording, whatever is asked. Only good for recording again: a
/// [`super::Recorder`] around it writes down what is asked today.
pub struct ReplayInOrder {
    cassette: Cassette,
    next: AtomicUsize,
}

impl ReplayInOrder {
    /// The answers of a cassette.
    pub fn new(cassette: Cassette) -> Self {
        Self { cassette, next: AtomicUsize::new(0) }
    }
}

impl Model for ReplayInOrder {
    fn turn<'a>(&'a self, _request: TurnRequest<'a>) -> Boxed<'a, Result<TurnAnswer, ModelError>> {
        let place = self.next.fetch_add(1, Ordering::Relaxed);
        let over = || ModelError::new("cassette_over", "the cassette holds no further turn");
        let answer =
            self.cassette.turns.get(place).map_or_else(|| Err(over()), |entry| entry.answer.answer());
        Box::pin(async move { answer })
    }
}
