//! The chat input: the edited line and the queue of messages.

use std::collections::VecDeque;

use super::complete::Complete;
use super::history::History;
use super::{EditLine, Edited, Field, Key, Keys, PAUSE};
use crate::text::{Line, Mark, Span, cut, escaped, width};

/// The line, the queue, and the keys.
pub(crate) struct ChatInput {
    keys: Option<Keys>,
    line: EditLine,
    history: History,
    complete: Complete,
    queue: VecDeque<String>,
}

/// What a chat_input shows while the agent works.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ChatInputView {
    /// The queued messages.
    pub(crate) queued: Vec<Line>,
    /// What is typed, in one row, and the cell of the cursor in it.
    pub(crate) line: Line,
    pub(crate) cursor: usize,
}

/// What was typed at a prompt.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Typed {
    Line(String),
    /// Ctrl-C, with nothing at work.
    Interrupted,
    /// The input has ended.
    End,
}

impl ChatInput {
    pub(crate) fn new(history: History, complete: Complete) -> Self {
        Self { keys: None, line: EditLine::with_breaks(), history, complete, queue: VecDeque::new() }
    }

    fn keys(&mut self) -> Option<&mut Keys> {
        if self.keys.is_none() {
            self.keys = Keys::take(true);
        }
        self.keys.as_mut()
    }

    /// Leaves the keys to others: a question, or a person's own editor.
    pub(crate) fn release(&mut self) {
        self.keys = None;
    }

    /// Takes the message that was queued first.
    pub(crate) fn take_queued(&mut self) -> Option<String> {
        self.queue.pop_front()
    }

    /// Puts everything that was queued back into the line: the work was stopped, and a person says what is next.
    pub(crate) fn take_back(&mut self) {
        let mut lines: Vec<String> = self.queue.drain(..).collect();
        lines.extend(Some(self.line.text().to_owned()).filter(|text| !text.is_empty()));
        self.line.set(&lines.join("\n"));
    }

    /// The next key while the agent works; never resolves when there are no more.
    ///
    /// # Cancel safety
    /// Dropping it loses nothing.
    pub(crate) async fn next_key(&mut self) -> Key {
        match self.keys() {
            Some(keys) => match keys.next().await {
                Some(key) => key,
                None => std::future::pending().await,
            },
            None => std::future::pending().await,
        }
    }

    /// Does what a key says while the agent works: Enter queues, and Up in an empty line takes the last one back.
    pub(crate) fn work(&mut self, key: Key) {
        match self.line.take(key) {
            Edited::Entered(text) if !text.trim().is_empty() => {
                self.history.add(&text);
                self.queue.push_back(text);
            }
            edited => drop(self.edit(&edited)),
        }
    }

    /// Handles keys that need history or completion. Returns the candidates if it is ambiguous.
    fn edit(&mut self, edited: &Edited) -> Vec<String> {
        let other = match edited {
            Edited::Older if self.line.text().is_empty() && !self.queue.is_empty() => self.queue.pop_back(),
            Edited::Older => self.history.older(self.line.text()).map(str::to_owned),
            Edited::Newer => self.history.newer().map(str::to_owned),
            Edited::Completes => return self.complete.complete(&mut self.line),
            _ => None,
        };
        if let Some(other) = other {
            self.line.set(&other);
        }
        Vec::new()
    }

    /// Reads a line at a prompt. What was typed while the agent worked stands there; where something is asked, keys
    /// count after a pause.
    pub(crate) async fn read(&mut self, prompt: &str, is_question: bool) -> Typed {
        if let Some(keys) = self.keys().filter(|_| is_question) {
            keys.pause(PAUSE).await;
        }
        let mut field = Field::new(prompt);
        field.draw(&self.line);
        loop {
            let key = match self.keys() {
                None => None,
                Some(keys) => tokio::select! {
                    key = keys.next() => key,
                    _ = tokio::signal::ctrl_c() => {
                        field.end();
                        return Typed::Interrupted;
                    }
                },
            };
            let edited = key.map_or(Edited::End, |key| self.line.take(key));
            match edited {
                Edited::Entered(text) => {
                    field.end();
                    self.history.add(&text);
                    return Typed::Line(text);
                }
                Edited::End => {
                    field.end();
                    return Typed::End;
                }
                Edited::Nothing => {}
                edited => {
                    let meant = self.edit(&edited);
                    if !meant.is_empty() {
                        field.note(&meant.join("   "));
                    }
                    field.draw(&self.line);
                }
            }
        }
    }

    /// What stands below the lines of a run, in so many cells.
    pub(crate) fn view(&self, cells: usize) -> ChatInputView {
        let row = |text: &str| escaped(&text.replace('\n', " / "));
        let queued = |text: &String| {
            let text = cut(&row(text), cells.saturating_sub(8), "…");
            Line::note("queued", vec![Span::quiet("queued  "), Span::text(text)])
        };
        let (before, behind) = self.line.text().split_at_checked(self.line.at()).unwrap_or_default();
        let (mut before, behind) = (row(before), row(behind));
        // The end of what is before the cursor is what a person looks at.
        while width(&before) + 1 > cells {
            before.remove(0);
        }
        let cursor = width(&before);
        let behind = cut(&behind, cells.saturating_sub(cursor + 1), "");
        let spans = vec![Span::text(before), Span::text(behind)];
        ChatInputView {
            queued: self.queue.iter().map(queued).collect(),
            line: Line::new(Mark::Person, "", spans),
            cursor,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chat_input() -> ChatInput {
        ChatInput::new(History::default(), Complete::default())
    }

    fn types(chat_input: &mut ChatInput, text: &str) {
        text.chars().for_each(|letter| {
            chat_input.work(if letter == '\n' { Key::Enter } else { Key::Letter(letter) });
        });
    }

    #[test]
    fn messages_are_queued_in_order_and_the_last_can_be_taken_back() {
        let mut chat_input = chat_input();
        types(&mut chat_input, "one\n  \ntwo\n");
        assert_eq!(chat_input.queue, ["one", "two"]);
        chat_input.work(Key::Up);
        assert_eq!((chat_input.line.text(), chat_input.queue.len()), ("two", 1));
        chat_input.work(Key::Escape);
        assert_eq!(chat_input.line.text(), "");
        assert_eq!(chat_input.take_queued().as_deref(), Some("one"));
        assert_eq!(chat_input.take_queued(), None);
    }

    #[test]
    fn a_long_line_shows_where_its_cursor_is() {
        let mut chat_input = chat_input();
        types(&mut chat_input, "0123456789");
        let view = chat_input.view(6);
        let shown: String = view.line.spans.iter().map(|span| span.text.as_str()).collect();
        assert_eq!((shown.as_str(), view.cursor), ("56789", 5));
        chat_input.work(Key::Home);
        let view = chat_input.view(6);
        let shown: String = view.line.spans.iter().map(|span| span.text.as_str()).collect();
        assert_eq!((shown.as_str(), view.cursor), ("01234", 0));
    }
}
