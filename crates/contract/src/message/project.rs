//! The plain `{role, content, metadata?}` form adapters of older providers read.

use serde_json::{Value, json};

use super::{Message, MessageType};

/// Projects a message to `{role, content, metadata?}`. Payload keys join the metadata where it has no
/// such key; a bare text message needs no metadata at all.
pub fn to_provider_message(message: &Message) -> Value {
    let mut metadata = message.metadata.clone();
    let bare_text =
        message.kind == MessageType::Text && message.payload.is_empty() && message.metadata.is_empty();
    if !bare_text {
        metadata.insert("type".into(), json!(message.kind));
    }
    for (key, value) in &message.payload {
        metadata.entry(key.clone()).or_insert_with(|| value.clone());
    }
    let mut wire = json!({ "role": message.role(), "content": message.content.to_value() });
    if let (Some(map), false) = (wire.as_object_mut(), metadata.is_empty()) {
        map.insert("metadata".into(), Value::Object(metadata));
    }
    wire
}

/// Projects a transcript, message by message.
pub fn to_provider_messages(messages: &[Message]) -> Vec<Value> {
    messages.iter().map(to_provider_message).collect()
}
