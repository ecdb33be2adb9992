//! About how much a model reads in a message, without encoding it for a provider.

use serde_json::Value;

use super::{Content, Message, MessageType};

/// A longer text without a blank in it is no text: an image, a sound, sealed reasoning.
const WORD_BYTES_MAX: usize = 4_096;
/// What such a thing counts for, whatever its size.
const MEDIA_BYTES: u64 = 6_000;
/// What a provider's shape adds to a message.
const ENVELOPE_BYTES: u64 = 32;

/// Returns about how many bytes of text a JSON value is to a model. Media count as a fixed number.
pub fn text_bytes(value: &Value) -> u64 {
    match value {
        Value::String(text) => bytes_of_text(text),
        Value::Array(items) => items.iter().map(text_bytes).fold(2, u64::saturating_add),
        Value::Object(fields) => {
            let fields =
                fields.iter().map(|(key, value)| bytes_of_text(key).saturating_add(text_bytes(value)));
            fields.fold(2, u64::saturating_add)
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => 4,
    }
}

fn bytes_of_text(text: &str) -> u64 {
    if text.len() > WORD_BYTES_MAX && !text.contains(char::is_whitespace) {
        return MEDIA_BYTES;
    }
    u64::try_from(text.len()).unwrap_or(u64::MAX).saturating_add(3)
}

impl Message {
    /// Returns about how many bytes of text the message is to a model.
    pub fn text_bytes(&self) -> u64 {
        let said = match &self.content {
            Content::Text(text) => bytes_of_text(text),
            Content::Structured(parts) => text_bytes(parts),
        };
        // What a provider wants back word for word rides in the metadata, with the text it belongs to.
        let rides = self.metadata.values().map(text_bytes).fold(0, u64::saturating_add);
        let called = match self.kind {
            MessageType::ToolCall => self.payload.values().map(text_bytes).fold(0, u64::saturating_add),
            _ => 0,
        };
        said.max(rides).saturating_add(called).saturating_add(ENVELOPE_BYTES)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn words_count_by_their_size_and_media_do_not() {
        let words = "the beds are behind the shed ".repeat(1_000);
        assert!((29_000..29_100).contains(&Message::text("user", &words).text_bytes()));
        let image = "iVBORw0KGgo".repeat(100_000);
        assert!((6_000..6_100).contains(&text_bytes(&json!([{ "type": "image", "data": image }]))));
    }
}
