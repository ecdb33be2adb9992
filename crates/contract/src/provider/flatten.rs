//! Opening merged messages, so that every call and result is seen.

use std::borrow::Cow;
use std::convert::Infallible;

use serde_json::Value;

use crate::Message;
use crate::json;
use crate::message::MessageType;
use crate::tool_pair::{Entry, Place};

/// A message and the position of the entry it came from.
#[derive(Clone, Debug)]
pub(super) struct Flat<'a> {
    pub(super) index: usize,
    pub(super) message: Cow<'a, Message>,
}

impl Entry for Flat<'_> {
    type Refusal = Infallible;

    fn place(&self) -> Result<Place<'_>, Infallible> {
        self.message.place()
    }
}

/// The messages of a transcript with merged ones opened; one that cannot be read stays closed.
pub(super) fn flatten(messages: &[Message]) -> Vec<Flat<'_>> {
    let mut flat = Vec::with_capacity(messages.len());
    for (index, message) in messages.iter().enumerate() {
        match opened(message) {
            Some(parts) => {
                flat.extend(parts.into_iter().map(|part| Flat { index, message: Cow::Owned(part) }));
            }
            None => flat.push(Flat { index, message: Cow::Borrowed(message) }),
        }
    }
    flat
}

/// The same for messages that are the caller's to give: none is copied.
pub(super) fn flatten_owned(messages: Vec<Message>) -> Vec<Flat<'static>> {
    let mut flat = Vec::with_capacity(messages.len());
    for (index, message) in messages.into_iter().enumerate() {
        match opened(&message) {
            Some(parts) => {
                flat.extend(parts.into_iter().map(|part| Flat { index, message: Cow::Owned(part) }));
            }
            None => flat.push(Flat { index, message: Cow::Owned(message) }),
        }
    }
    flat
}

/// The parts of a merged message, opened themselves; none when it is not merged or cannot be read.
fn opened(message: &Message) -> Option<Vec<Message>> {
    let mut all = Vec::new();
    for part in merged_parts(message)? {
        let part = Message::parse(part).ok()?;
        match opened(&part) {
            Some(inner) => all.extend(inner),
            None => all.push(part),
        }
    }
    Some(all)
}

/// What a merged message lists.
pub(super) fn merged_parts(message: &Message) -> Option<&Vec<Value>> {
    let merged = Some(message).filter(|message| message.kind == MessageType::MultimodalPart)?;
    json::list(&merged.payload, "parts")
}
