//! The answers of a recording for requests that have changed since.

use provost_runtime::port::{Boxed, Model, ModelError, TurnAnswer, TurnRequest};

use super::Cassette;

/// Answers each turn as the turn of that number was answered, whatever is asked. Only good for recording
/// again: a [`super::Recorder`] around it writes down what is asked today.
pub struct Retake(Cassette);

impl Retake {
    /// The answers of a cassette.
    pub fn new(cassette: Cassette) -> Self {
        Self(cassette)
    }
}

impl Model for Retake {
    fn turn<'a>(&'a self, request: TurnRequest<'a>) -> Boxed<'a, Result<TurnAnswer, ModelError>> {
        let place = usize::try_from(request.turn.saturating_sub(1)).unwrap_or(usize::MAX);
        let over = || ModelError::new("cassette_over", "the cassette holds no further turn");
        let answer = self.0.turns.get(place).map_or_else(|| Err(over()), |entry| entry.answer.answer());
        Box::pin(async move { answer })
    }
}
