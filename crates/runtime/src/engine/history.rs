//! The transcript of a run: shared, never copied.

use std::sync::Arc;

use provost_contract::Message;
use provost_contract::message::MessageType;

/// The messages of a run, in order. A clone costs a reference count; a push costs the new message, as
/// long as nobody still holds an older clone.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct History(Arc<Vec<Arc<Message>>>);

impl History {
    /// How many messages there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether nothing was said yet.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The messages, oldest first.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &Message> {
        self.0.iter().map(Arc::as_ref)
    }

    /// The newest message.
    pub fn last(&self) -> Option<&Message> {
        self.0.last().map(Arc::as_ref)
    }

    /// The messages as owned values, for whoever rewrites them.
    pub fn to_messages(&self) -> Vec<Message> {
        self.iter().cloned().collect()
    }

    /// The newest words of the assistant among the first `count` messages: its last text that is not empty
    /// and not part of a call.
    pub fn final_content(&self, count: usize) -> &str {
        let spoken = self
            .0
            .iter()
            .take(count)
            .rev()
            .map(Arc::as_ref)
            .filter(|message: &&Message| message.role() == "assistant");
        let mut texts = spoken
            .filter(|message| message.kind != MessageType::ToolCall)
            .filter_map(|message| message.content.as_text());
        texts.find(|text| !text.is_empty()).unwrap_or_default()
    }

    /// Whether a list of messages is this transcript and what follows it.
    pub(super) fn is_start_of(&self, messages: &[Message]) -> bool {
        messages.len() >= self.len() && self.iter().zip(messages).all(|(ours, theirs)| ours == theirs)
    }

    pub(super) fn push(&mut self, message: Arc<Message>) {
        Arc::make_mut(&mut self.0).push(message);
    }

    /// Puts a message at a place near the end; after the last one when there is no such place.
    pub(super) fn insert(&mut self, place: usize, message: Arc<Message>) {
        let messages = Arc::make_mut(&mut self.0);
        messages.insert(place.min(messages.len()), message);
    }

    /// Takes a message out.
    pub(super) fn remove(&mut self, place: usize) {
        let messages = Arc::make_mut(&mut self.0);
        if place < messages.len() {
            messages.remove(place);
        }
    }

    pub(super) fn extend(&mut self, messages: impl IntoIterator<Item = Arc<Message>>) {
        Arc::make_mut(&mut self.0).extend(messages);
    }

    /// Puts `replacement` in the place of the oldest `count` messages.
    pub(super) fn replace_oldest(
        &mut self,
        count: usize,
        replacement: impl IntoIterator<Item = Arc<Message>>,
    ) {
        let messages = Arc::make_mut(&mut self.0);
        let count = count.min(messages.len());
        messages.splice(..count, replacement);
    }
}

impl From<Vec<Arc<Message>>> for History {
    fn from(messages: Vec<Arc<Message>>) -> Self {
        Self(Arc::new(messages))
    }
}
