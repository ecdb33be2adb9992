//! What a provider wants back word for word, on its way through a transcript.
//!
//! A run writes down what was said as text, and a call by its name, id and arguments: that is what people
//! and policies read. What only the provider can read rides along on the message of its turn, and is put
//! back in its place before the transcript is sent again: thinking and other blocks between the texts, and
//! the signatures and item ids of calls.

use std::collections::HashMap;

use provost_contract::Message;
use provost_contract::json::Object;
use provost_contract::message::{Content, MessageType};
use provost_contract::provider::Part;
use serde_json::{Value, json};

/// The key of the metadata under which a message of text keeps the parts it was made of.
const PARTS: &str = "provider_parts";
/// The key under which the message of a turn keeps the fields of its calls, by their ids.
const CALL_FIELDS: &str = "provider_call_fields";
/// The key under which a call itself keeps them.
const FIELDS: &str = "provider_fields";

/// Text with the parts it was made of.
pub(crate) fn text_of(parts: &[Part]) -> Message {
    let mut message = Message::text("assistant", joined(parts));
    message.metadata.insert(PARTS.to_owned(), parts.iter().map(Part::to_value).collect());
    message
}

/// Everything that is text, joined.
pub(crate) fn joined(parts: &[Part]) -> String {
    let texts = parts.iter().filter_map(|part| match part {
        Part::Text { text, .. } => Some(text.as_str()),
        Part::Media { .. } | Part::Opaque { .. } => None,
    });
    texts.collect()
}

/// The message of a turn with the fields of its calls. Where nothing was said, a message without a part
/// carries them: no provider is told of it.
pub(crate) fn with_call_fields(message: Option<Message>, calls: &[Message]) -> Option<Message> {
    let fields_of =
        |call: &Message| Some((call.tool_call_id().to_owned(), call.metadata.get(FIELDS)?.clone()));
    let fields: Object = calls.iter().filter_map(fields_of).collect();
    if fields.is_empty() {
        return message;
    }
    let mut message = message.unwrap_or_else(|| structured(Message::text("assistant", ""), json!([])));
    message.metadata.insert(CALL_FIELDS.to_owned(), Value::Object(fields));
    Some(message)
}

/// Puts everything back in its place. The id of a call that comes again belongs to the newest turn.
pub(crate) fn restore(messages: &mut [Message]) {
    let mut states: HashMap<String, Value> = HashMap::new();
    for message in messages {
        restore_parts(message);
        if let Some(Value::Object(fields)) = message.metadata.remove(CALL_FIELDS) {
            states.extend(fields);
        }
        let own = states.remove(message.tool_call_id()).filter(|_| message.kind == MessageType::ToolCall);
        if let Some(fields) = own {
            message.metadata.entry(FIELDS).or_insert(fields);
        }
    }
}

/// Only where the text is unchanged: a changed text was changed on purpose.
fn restore_parts(message: &mut Message) {
    let Some(Value::Array(values)) = message.metadata.remove(PARTS) else { return };
    let parts: Vec<Part> = values.iter().filter_map(|part| Part::parse(part).ok()).collect();
    if parts.len() == values.len() && message.content.as_text() == Some(&joined(&parts)) {
        *message = structured(message.clone(), Value::Array(values));
    }
}

fn structured(mut message: Message, parts: Value) -> Message {
    message.kind = MessageType::MultimodalPart;
    message.content = Content::Structured(parts);
    message
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(id: &str, fields: Option<Value>) -> Message {
        let mut metadata = Object::from_iter([("tool_call_id".to_owned(), json!(id))]);
        metadata.extend(fields.map(|fields| (FIELDS.to_owned(), fields)));
        Message::tool_call("", "kb/find", Object::new(), 1, metadata)
    }

    #[test]
    fn fields_ride_to_their_own_call_and_no_further() {
        let signed = json!({ "provider": "gemini", "block": { "thoughtSignature": "s" } });
        let calls = [call("a", Some(signed.clone())), call("b", None)];
        let carrier = with_call_fields(None, &calls).unwrap();
        let mut transcript = [carrier, call("a", None), call("b", None), call("a", None)];
        restore(&mut transcript);
        let fields: Vec<_> = transcript.iter().map(|message| message.metadata.get(FIELDS)).collect();
        assert_eq!(fields, [None, Some(&signed), None, None]);
        assert!(transcript.iter().all(|message| !message.metadata.contains_key(CALL_FIELDS)));
    }

    #[test]
    fn without_fields_nothing_is_carried() {
        assert_eq!(with_call_fields(None, &[call("a", None)]), None);
        let said = Message::text("assistant", "hm");
        assert_eq!(with_call_fields(Some(said.clone()), &[]), Some(said));
    }

    #[test]
    fn parts_come_back_unless_the_text_was_changed() {
        let block = json!({ "type": "thinking", "thinking": "hm", "signature": "s" });
        let thought = Part::Opaque { provider: "anthropic".to_owned(), block };
        let said = text_of(&[thought, Part::text("Behind "), Part::text("the shed.")]);
        assert_eq!(said.content.as_text(), Some("Behind the shed."));
        let mut kept = [said.clone()];
        restore(&mut kept);
        assert_eq!(kept[0].content.to_value().as_array().map(Vec::len), Some(3));
        let mut changed = [said];
        changed[0].content = "[redacted]".into();
        restore(&mut changed);
        assert_eq!(changed[0], Message::text("assistant", "[redacted]"));
    }
}
