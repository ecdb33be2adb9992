//! A model that answers by the number of the turn, so that it says the same again after a crash.

use std::sync::Arc;

use provost_runtime::engine::History;
use provost_runtime::port::{Boxed, Model, ModelError, TurnAnswer, TurnRequest};
use serde_json::Value;

use super::fate::Point;
use super::ledger::Entry;
use super::process::Cast;

/// The model of one process.
pub(super) struct ScriptedModel(pub(super) Arc<Cast>);

impl Model for ScriptedModel {
    fn turn<'a>(&'a self, request: TurnRequest<'a>) -> Boxed<'a, Result<TurnAnswer, ModelError>> {
        Box::pin(async move {
            let cast = &self.0;
            cast.pass(Point::BeforeModel).await;
            cast.world.ledger.note(Entry::Asked { turn: request.turn });
            cast.world.turn_begins(request.turn);
            let answer = self.answer(&request);
            cast.pass(Point::AfterModel).await;
            answer
        })
    }
}

impl ScriptedModel {
    fn answer(&self, request: &TurnRequest<'_>) -> Result<TurnAnswer, ModelError> {
        let place = usize::try_from(request.turn).unwrap_or_default().saturating_sub(1);
        let turns = &self.0.world.scenario.turns;
        match turns.get(place) {
            None => Err(ModelError::new("script", "the script has no more turns")),
            Some(turn) if turn.get("provider").is_some() => {
                TurnAnswer::from_adapter(turn.get("provider").unwrap_or(&Value::Null))
            }
            Some(turn) => Ok(TurnAnswer::Host(with_transcript(turn.clone(), request.messages))),
        }
    }
}

/// What a host adds to the transcript stands under `more`, for it gives the whole of it back.
fn with_transcript(mut turn: Value, given: &History) -> Value {
    if let Some(turn) = turn.as_object_mut()
        && let Some(Value::Array(more)) = turn.shift_remove("more")
    {
        let messages = given.iter().map(|message| message.to_value()).chain(more);
        turn.insert("messages".into(), messages.collect());
    }
    turn
}
