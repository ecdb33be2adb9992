//! What a provider wrote beside its calls, on its way through a transcript.
//!
//! A run writes down a call by its name, id and arguments. A signature or an item id that belongs to it
//! rides on the message the call was made in, and is put back on the call before both are sent again.

use std::collections::HashMap;

use provost_contract::Message;
use provost_contract::json::Object;
use provost_contract::message::{Content, MessageType};
use serde_json::{Value, json};

/// The key of the metadata under which the message of a turn keeps the fields of its calls, by their ids.
const RIDING: &str = "provider_call_fields";
/// The key under which a call itself keeps them.
const FIELDS: &str = "provider_fields";

/// The message of a turn with the fields of its calls. Where nothing was said, a message without a part
/// carries them: no provider is told of it.
pub(crate) fn put(message: Option<Message>, calls: &[Message]) -> Option<Message> {
    let fields = calls
        .iter()
        .filter_map(|call| Some((call.tool_call_id().to_owned(), call.metadata.get(FIELDS)?.clone())));
    let fields: Object = fields.collect();
    if fields.is_empty() {
        return message;
    }
    let mut message = message.unwrap_or_else(silent);
    message.metadata.insert(RIDING.to_owned(), Value::Object(fields));
    Some(message)
}

fn silent() -> Message {
    let mut message = Message::text("assistant", "");
    message.kind = MessageType::MultimodalPart;
    message.content = Content::Structured(json!([]));
    message
}

/// Puts the fields back on the calls they belong to. An id that comes again belongs to the newest turn.
pub(crate) fn restore(messages: &mut [Message]) {
    let mut riding: HashMap<String, Value> = HashMap::new();
    for message in messages {
        if let Some(Value::Object(fields)) = message.metadata.remove(RIDING) {
            riding.extend(fields);
        }
        let own = riding.remove(message.tool_call_id()).filter(|_| message.kind == MessageType::ToolCall);
        if let Some(fields) = own {
            message.metadata.entry(FIELDS).or_insert(fields);
        }
    }
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
        let carrier = put(None, &calls).unwrap();
        let mut transcript = [carrier, call("a", None), call("b", None), call("a", None)];
        restore(&mut transcript);
        let fields: Vec<_> = transcript.iter().map(|message| message.metadata.get(FIELDS)).collect();
        assert_eq!(fields, [None, Some(&signed), None, None]);
        assert!(transcript.iter().all(|message| !message.metadata.contains_key(RIDING)));
    }

    #[test]
    fn without_fields_nothing_is_carried() {
        assert_eq!(put(None, &[call("a", None)]), None);
        let said = Message::text("assistant", "hm");
        assert_eq!(put(Some(said.clone()), &[]), Some(said));
    }
}
