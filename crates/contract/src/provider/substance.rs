//! What a transcript says, without how it is cut into messages.

use serde_json::{Value, json};

use super::encoded::Losses;
use super::flatten::flatten;
use super::item::{Item, What};
use super::read::read;
use crate::Message;

/// What a transcript says, piece by piece: speaker and part, call or result.
///
/// Two transcripts of the same substance are the same to every provider. Where messages of one speaker
/// begin and end, and our own bookkeeping, is not substance.
pub fn substance(messages: &[Message]) -> Vec<Value> {
    let items = read(flatten(messages).iter(), &mut Losses::default());
    items.iter().map(piece).collect()
}

fn piece(item: &Item) -> Value {
    let parts = |parts: &[super::Part]| -> Vec<Value> { parts.iter().map(super::Part::to_value).collect() };
    let fields =
        |fields: &Option<super::ProviderFields>| fields.as_ref().map(super::ProviderFields::to_value);
    let (name, what) = match &item.what {
        What::Say(part) => ("says", part.to_value()),
        What::Call(call) => (
            "calls",
            json!({
                "id": call.id,
                "tool_name": call.name,
                "parameters": call.parameters,
                "unread_arguments": call.unread,
                "provider_fields": fields(&call.fields),
            }),
        ),
        What::Answer(answer) => (
            "answers",
            json!({
                "id": answer.id,
                "tool_name": answer.name,
                "content": parts(&answer.content),
                "failed": answer.failed(),
                "provider_fields": fields(&answer.fields),
            }),
        ),
    };
    json!({ "speaker": item.speaker.word(), name: what })
}
