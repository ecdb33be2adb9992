//! What follows from an opinion of the completion policy.

use provost_contract::json;
use serde_json::json;

use crate::engine::{CompletionEffect, CompletionJudged, Kind, RunState, Subject};
use crate::port::CompletionOpinion;

/// One stop is recorded for a turn, and nobody is nudged after it.
pub fn judged(state: &RunState, subject: Subject, opinion: &CompletionOpinion) -> Kind {
    let message = opinion.message.trim();
    let effect = match (state.batch.complete, opinion.complete) {
        (false, true) => CompletionEffect::Stop,
        (false, false) if !message.is_empty() => CompletionEffect::Nudge,
        (false, false) | (true, _) => CompletionEffect::Nothing,
    };
    let tool = match subject {
        Subject::Call(place) => state.batch.call(place).map(|call| call.declared.name.as_str()),
        Subject::Managed(place) => {
            state.batch.managed.get(place).and_then(|result| json::text(result, "tool_name"))
        }
    };
    let record = json::into_object(json!({
        "tool_name": tool.unwrap_or_default(),
        "turn": state.turn,
        "message": message,
        "context": opinion.context,
    }));
    CompletionJudged { subject, effect, record }.into()
}
