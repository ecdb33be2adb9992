//! A recording in the place of a model.

use std::sync::{Arc, Mutex, PoisonError};

use provost_runtime::port::{Boxed, Model, ModelError, TurnAnswer, TurnRequest};
use serde_json::Value;

use super::difference::difference;
use super::entry::Entry;
use super::fit::fits;
use super::{Cassette, request, scrub};
use crate::{Forecast, Forecasts, Secret};

/// Answers each request as it was answered then, once. Runs that were recorded side by side may ask in
/// another order; a request that was never asked is refused, and told apart from the next one that was.
pub struct Player {
    turns: Vec<Entry>,
    secrets: Vec<Secret>,
    played: Mutex<Vec<bool>>,
}

impl Player {
    /// Plays a cassette. `secrets` are those that were cut out of it, when requests hold some.
    pub fn new(cassette: Cassette, secrets: Vec<Secret>) -> Self {
        let played = Mutex::new(vec![false; cassette.turns.len()]);
        Self { turns: cassette.turns, secrets, played }
    }

    /// Returns the number of turns that were not requested yet.
    pub fn left(&self) -> usize {
        let played = self.played.lock().unwrap_or_else(PoisonError::into_inner);
        played.iter().filter(|played| !**played).count()
    }

    fn play(&self, asked: &Value) -> Result<TurnAnswer, ModelError> {
        let mut played = self.played.lock().unwrap_or_else(PoisonError::into_inner);
        let mut waiting = self.turns.iter().zip(played.iter_mut()).filter(|(_, played)| !**played);
        match waiting.find(|(entry, _)| fits(&entry.request, asked)) {
            Some((entry, played)) => {
                *played = true;
                entry.answer.answer()
            }
            None => Err(self.refused(asked, &played)),
        }
    }

    /// Why a request has no answer: there is none any more, or only to something else. The recorded request
    /// of the same turn is most like it, whatever this process has played so far.
    fn refused(&self, asked: &Value, played: &[bool]) -> ModelError {
        let waiting =
            || self.turns.iter().zip(played).filter(|(_, played)| !**played).map(|(entry, _)| entry);
        let same_turn = |entry: &&Entry| entry.request.get("turn") == asked.get("turn");
        let Some(nearest) = waiting().find(same_turn).or_else(|| waiting().next()) else {
            return ModelError::new("cassette_over", "the cassette holds no further turn");
        };
        let difference = difference(&nearest.request, asked);
        let message =
            format!("the request is not the recorded one; record it again if that is right:\n{difference}");
        ModelError::new("cassette_changed", message)
    }
}

/// A recording spends nothing.
impl Forecasts for Player {
    fn forecast(&self, _request: &TurnRequest<'_>) -> Option<Forecast> {
        None
    }
}

impl Model for Player {
    fn turn<'a>(&'a self, request: TurnRequest<'a>) -> Boxed<'a, Result<TurnAnswer, ModelError>> {
        let asked = scrub::without(request::compared(&request), &self.secrets);
        let answer = self.play(&asked);
        Box::pin(async move { answer })
    }
}

impl From<Player> for Arc<dyn Model> {
    fn from(model: Player) -> Self {
        Arc::new(model)
    }
}
