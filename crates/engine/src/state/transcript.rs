//! What the model is shown, line by line, and cheap to copy: a long conversation is shared, not copied.

use std::sync::Arc;

use provost_contract::Message;
use provost_contract::message::MessageType;

use crate::Seq;

/// How many lines a full chunk has.
const CHUNK: usize = 64;

/// One line, and the event that it comes from.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// The event.
    pub seq: Seq,
    /// The message.
    pub message: Arc<Message>,
}

/// The transcript of a run. Full chunks are shared between copies, so that a copy costs the number of
/// chunks and a turn costs what is new in it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Transcript {
    full: Vec<Arc<[Line]>>,
    tail: Vec<Line>,
    full_len: usize,
    text_bytes: u64,
}

impl Transcript {
    /// Returns how many lines it has.
    pub fn len(&self) -> usize {
        self.full_len + self.tail.len()
    }

    /// Returns whether it has no lines.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the lines in order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &Line> {
        self.full.iter().flat_map(|chunk| chunk.iter()).chain(&self.tail)
    }

    /// Returns the messages in order.
    pub fn messages(&self) -> impl DoubleEndedIterator<Item = &Arc<Message>> {
        self.iter().map(|line| &line.message)
    }

    /// Returns about how many bytes of text it is to a model; counted as it grows.
    pub fn text_bytes(&self) -> u64 {
        self.text_bytes
    }

    /// Adds a line.
    pub fn push(&mut self, seq: Seq, message: Arc<Message>) {
        self.text_bytes = self.text_bytes.saturating_add(message.text_bytes());
        self.tail.push(Line { seq, message });
        if self.tail.len() == CHUNK {
            self.full_len += CHUNK;
            self.full.push(std::mem::take(&mut self.tail).into());
        }
    }

    /// Puts other lines in the place of the oldest `count`.
    pub(crate) fn replace_oldest(&mut self, count: usize, with: impl IntoIterator<Item = Line>) {
        let rest: Vec<Line> = self.iter().skip(count).cloned().collect();
        *self = Self::default();
        for line in with.into_iter().chain(rest) {
            self.push(line.seq, line.message);
        }
    }

    /// Returns the names of the tools that were called, in order.
    pub fn tool_calls(&self) -> impl Iterator<Item = &str> {
        let calls = self.messages().filter(|message| message.kind == MessageType::ToolCall);
        calls.map(|message| message.tool_name())
    }

    /// Returns the last text of the assistant that is not empty.
    pub fn last_text(&self) -> Option<&str> {
        self.messages().rev().find_map(|message| {
            let speaks = message.role() == "assistant" && message.kind != MessageType::ToolCall;
            message.content.as_text().filter(|text| speaks && !text.is_empty())
        })
    }
}

/// A transcript of messages that no event said.
impl FromIterator<Arc<Message>> for Transcript {
    fn from_iter<I: IntoIterator<Item = Arc<Message>>>(messages: I) -> Self {
        let mut transcript = Self::default();
        messages.into_iter().for_each(|message| transcript.push(Seq(0), message));
        transcript
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn transcript(lines: u64) -> Transcript {
        let mut transcript = Transcript::default();
        for seq in 0..lines {
            transcript.push(Seq(seq), Arc::new(Message::text("user", seq.to_string())));
        }
        transcript
    }

    #[test]
    fn a_copy_shares_the_full_chunks() {
        let (whole, copy) = (transcript(200), transcript(200).clone());
        assert_eq!((whole.len(), copy.len(), whole.full.len()), (200, 200, 3));
        assert_eq!(whole, copy);
        let seqs: Vec<u64> = whole.iter().map(|line| line.seq.0).collect();
        assert_eq!(seqs, (0..200).collect::<Vec<_>>());
    }

    #[test]
    fn the_oldest_lines_give_way() {
        let mut lines = transcript(150);
        lines.replace_oldest(140, [Line { seq: Seq(999), message: Arc::new(Message::text("system", "s")) }]);
        assert_eq!(lines.len(), 11);
        assert_eq!(lines.iter().next().unwrap().seq, Seq(999));
        assert_eq!(lines.iter().last().unwrap().seq, Seq(149));
        let counted: u64 = lines.messages().map(|message| message.text_bytes()).sum();
        assert_eq!(lines.text_bytes(), counted);
    }
}
