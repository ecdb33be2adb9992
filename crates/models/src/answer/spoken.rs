//! What an answer says: its parts as one message.

use provost_contract::Message;
use provost_contract::json::Object;
use provost_contract::message::Content;
use provost_contract::provider::{Part, ProviderFields};
use serde_json::Value;

use crate::{Fault, FaultKind, provider_state};

const FIELDS: &str = "provider_fields";

/// The parts of everything that was said, in order.
pub(super) fn parts(said: &[Message]) -> Vec<Part> {
    said.iter().flat_map(parts_of).filter(|part| *part != Part::text("")).collect()
}

fn parts_of(message: &Message) -> Vec<Part> {
    match &message.content {
        Content::Text(text) => {
            let fields = message.metadata.get(FIELDS).and_then(|fields| ProviderFields::parse(fields).ok());
            vec![Part::Text { text: text.clone(), fields }]
        }
        Content::Structured(Value::Array(parts)) => {
            parts.iter().filter_map(|part| Part::parse(part).ok()).collect()
        }
        Content::Structured(part) => Part::parse(part).into_iter().collect(),
    }
}

/// The message that says all parts: text, wherever something was said in words.
pub(super) fn message(parts: &[Part]) -> Result<Option<Message>, Fault> {
    let bare = |part: &Part| matches!(part, Part::Text { fields: None, .. });
    let text = provider_state::joined(parts);
    match parts {
        [] => Ok(None),
        [Part::Text { text, fields: Some(fields) }] => {
            let mut message = Message::text("assistant", text);
            message.metadata.insert(FIELDS.to_owned(), fields.to_value());
            Ok(Some(message))
        }
        parts if parts.iter().all(bare) => Ok(Some(Message::text("assistant", text))),
        parts if !text.is_empty() => Ok(Some(provider_state::text_of(parts))),
        parts => {
            let content = parts.iter().map(Part::to_value).collect();
            let message = Message::new("assistant", &content, Object::new());
            message.map(Some).map_err(|error| Fault::new(FaultKind::MalformedAnswer, error.message()))
        }
    }
}
