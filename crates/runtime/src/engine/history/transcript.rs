//! The lines in their order.

use std::borrow::Cow;
use std::sync::Arc;

use provost_contract::Message;

use super::Line;
use crate::segments::Segments;

/// The messages of a run, in order. A push costs the new message, however many there are; a clone shares
/// them.
#[derive(Clone, Debug, Default)]
pub struct History(Segments<Line>);

impl History {
    /// How many messages there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether nothing was said yet.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The messages, oldest first; those of calls and results are written as they are asked for.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = Cow<'_, Message>> {
        self.0.iter().map(Line::message)
    }

    /// The newest message.
    pub fn last(&self) -> Option<Cow<'_, Message>> {
        self.0.last().map(Line::message)
    }

    /// The messages as owned values, for whoever rewrites them.
    pub fn to_messages(&self) -> Vec<Message> {
        self.iter().map(Cow::into_owned).collect()
    }

    /// The newest words of the assistant among the first `count` messages: its last text that is not empty
    /// and not part of a call.
    pub fn final_content(&self, count: usize) -> &str {
        self.0.iter().rev().skip(self.len().saturating_sub(count)).find_map(Line::spoken).unwrap_or_default()
    }

    /// The tools that were called, in order.
    pub fn tool_calls(&self) -> Vec<&str> {
        self.0.iter().filter_map(Line::tool_call).collect()
    }

    /// Whether a list of messages is this transcript and what follows it.
    pub(crate) fn is_start_of(&self, messages: &[Message]) -> bool {
        messages.len() >= self.len() && self.iter().zip(messages).all(|(ours, theirs)| *ours == *theirs)
    }

    pub(in crate::engine) fn push(&mut self, message: Arc<Message>) {
        self.0.push(Line::Said(message));
    }

    /// Puts a line at a place near the end; after the last one when there is no such place.
    pub(in crate::engine) fn insert(&mut self, place: usize, line: Line) {
        self.0.insert_before_last(self.len().saturating_sub(place), line);
    }

    /// Takes a line out.
    pub(in crate::engine) fn remove(&mut self, place: usize) {
        if let Some(count) = self.len().checked_sub(place).filter(|count| *count > 0) {
            self.0.remove_from_end(count);
        }
    }

    pub(in crate::engine) fn extend(&mut self, messages: impl IntoIterator<Item = Arc<Message>>) {
        self.0.extend(messages.into_iter().map(Line::Said));
    }

    /// Puts `replacement` in the place of the oldest `count` messages.
    pub(in crate::engine) fn replace_oldest(
        &mut self,
        count: usize,
        replacement: impl IntoIterator<Item = Arc<Message>>,
    ) {
        let rest = self.0.iter().skip(count).cloned();
        self.0 = replacement.into_iter().map(Line::Said).chain(rest).collect();
    }
}

impl From<Vec<Arc<Message>>> for History {
    fn from(messages: Vec<Arc<Message>>) -> Self {
        Self(messages.into_iter().map(Line::Said).collect())
    }
}
