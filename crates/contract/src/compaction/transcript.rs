//! A transcript to shorten: its messages in normal form and, beside them, what their owner wrote.

use serde_json::Value;

use crate::message::Message;
use crate::{Result, canonical};

/// A transcript. What is archived of it is archived in its owner's words.
#[derive(Clone, Debug, PartialEq)]
pub struct Transcript {
    pub(super) messages: Vec<Message>,
    /// As many entries as `messages`; none when the normal form is all there ever was.
    source: Option<Vec<Value>>,
}

impl Transcript {
    /// Reads a transcript; the first bad message refuses it.
    pub fn parse(source: Vec<Value>) -> Result<Self> {
        Ok(Self { messages: Message::parse_many(&source)?, source: Some(source) })
    }

    /// How large it is, as compact JSON.
    pub(super) fn byte_count(&self) -> usize {
        match &self.source {
            Some(source) => list_bytes(source.iter().map(|value| canonical::compact(value).len())),
            None => list_bytes(self.messages.iter().map(message_bytes)),
        }
    }

    /// Takes off everything before the boundary, in its owner's words; the rest stays.
    pub(super) fn split_archive(mut self, boundary: usize) -> (Vec<Value>, Vec<Message>) {
        let retained = self.messages.split_off(boundary.min(self.messages.len()));
        let archived = match self.source {
            Some(mut source) => {
                source.truncate(boundary);
                source
            }
            None => self.messages.iter().map(Message::to_value).collect(),
        };
        (archived, retained)
    }
}

impl From<Vec<Message>> for Transcript {
    fn from(messages: Vec<Message>) -> Self {
        Self { messages, source: None }
    }
}

/// The size of a message in normal form.
pub(super) fn message_bytes(message: &Message) -> usize {
    canonical::compact(&message.to_value()).len()
}

/// The size of a list of values of these sizes: two brackets, and a comma between neighbours.
fn list_bytes(sizes: impl ExactSizeIterator<Item = usize>) -> usize {
    let commas = sizes.len().saturating_sub(1);
    sizes.sum::<usize>() + commas + 2
}
