//! What a turn will read and may write, told before it is asked for.

use provost_runtime::engine::Reservation;
use provost_runtime::port::{Model, TurnRequest};
use serde_json::Value;

/// What is known of a turn before it begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Forecast {
    /// The model that will be asked.
    pub model: String,
    /// About as many tokens will be read.
    pub prompt_tokens: u64,
    /// At most as many will be written; 0 when nobody set a limit.
    pub completion_tokens: u64,
}

impl Forecast {
    /// What to set aside for the turn.
    pub(crate) fn reservation(&self) -> Reservation {
        let tokens = self.prompt_tokens.saturating_add(self.completion_tokens);
        Reservation { tokens, cost_microusd: 0 }
    }
}

/// A model that can say something of a turn before it begins.
pub trait Forecasts: Model {
    /// The forecast; none when nothing will be spent, or the request is one that will be refused.
    fn forecast(&self, request: &TurnRequest<'_>) -> Option<Forecast>;
}

/// Text and JSON of every language have more bytes a token than this, on the whole.
const BYTES_PER_TOKEN: u64 = 3;
/// A longer text without a blank in it is no text: an image, a sound, sealed reasoning.
const WORD_BYTES_MAX: usize = 4_096;
/// What such a thing costs, on the whole, whatever its size.
const MEDIA_TOKENS: u64 = 2_000;

/// About how many tokens a request is.
pub(crate) fn tokens_of(request: &Value) -> u64 {
    bytes_of(request).div_ceil(BYTES_PER_TOKEN)
}

fn bytes_of(value: &Value) -> u64 {
    let length = |text: &str| u64::try_from(text.len()).unwrap_or(u64::MAX).saturating_add(3);
    match value {
        Value::String(text) if text.len() > WORD_BYTES_MAX && !text.contains(char::is_whitespace) => {
            MEDIA_TOKENS * BYTES_PER_TOKEN
        }
        Value::String(text) => length(text),
        Value::Array(items) => items.iter().map(bytes_of).fold(2, u64::saturating_add),
        Value::Object(fields) => {
            let fields = fields.iter().map(|(key, value)| length(key).saturating_add(bytes_of(value)));
            fields.fold(2, u64::saturating_add)
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => 4,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn words_count_by_their_size_and_media_do_not() {
        let words = "the beds are behind the shed ".repeat(1_000);
        assert!((9_000..11_000).contains(&tokens_of(&json!({ "text": words }))));
        let image = "iVBORw0KGgo".repeat(100_000);
        assert!((2_000..2_100).contains(&tokens_of(&json!([{ "type": "image", "data": image }]))));
    }
}
