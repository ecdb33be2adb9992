//! The model's words, as they come.

use super::news::News;
use crate::screen::{Screen, Stream};

/// How words are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Voice {
    /// Not at all: whoever waits for the end gets them then.
    Silent,
    /// Piece by piece.
    Pieces(Stream),
    /// Each answer when it is whole.
    Answers(Stream),
}

/// The words of one run.
pub(super) struct Speech {
    screen: Screen,
    voice: Voice,
    /// What was shown of the answer under way.
    shown: String,
    /// Whether pieces of it were missed.
    missed: bool,
    /// The last answer that was shown as a whole.
    last: Option<String>,
}

impl Speech {
    pub(super) fn new(screen: Screen, voice: Voice) -> Self {
        Self { screen, voice, shown: String::new(), missed: false, last: None }
    }

    /// Takes in a piece of a response.
    pub(super) fn take_in(&mut self, news: &News) {
        match (self.voice, news) {
            (Voice::Pieces(stream), News::Text(text)) => {
                self.screen.piece(stream, text);
                self.shown.push_str(text);
            }
            (Voice::Pieces(_), News::Restart) => self.broke_off(),
            (Voice::Pieces(stream), News::Whole { text, .. }) if self.shown.is_empty() || self.missed => {
                self.end_line();
                self.whole(stream, text);
            }
            (Voice::Pieces(_), News::Whole { text, .. }) => {
                self.end_line();
                self.last = Some(text.clone());
            }
            (Voice::Answers(stream), News::Whole { text, .. }) => self.whole(stream, text),
            (Voice::Silent | Voice::Answers(_), _)
            | (_, News::Event { .. } | News::Trouble(_) | News::LeftOut(_) | News::Unreadable(_)) => {}
        }
    }

    /// Whether an answer is in the middle of a line.
    pub(super) fn is_speaking(&self) -> bool {
        !self.shown.is_empty()
    }

    /// Some of what was said never came.
    pub(super) fn miss(&mut self) {
        self.missed = true;
    }

    /// Ends the line under way, so that something else can stand on the next.
    pub(super) fn end_line(&mut self) {
        if let Voice::Pieces(stream) = self.voice
            && !self.shown.is_empty()
        {
            if !self.shown.ends_with('\n') {
                self.screen.piece(stream, "\n");
            }
            self.shown.clear();
        }
    }

    /// Whether these words were the last to be shown.
    pub(super) fn has_just_said(&self, words: &str) -> bool {
        self.last.as_deref().is_some_and(|last| last.trim() == words.trim())
    }

    fn whole(&mut self, stream: Stream, text: &str) {
        self.missed = false;
        if !text.trim().is_empty() {
            self.screen.piece(stream, &format!("{}\n", text.trim_end_matches('\n')));
        }
        self.last = Some(text.to_owned());
    }

    fn broke_off(&mut self) {
        if !self.shown.is_empty() {
            self.end_line();
            self.screen.note("  ! the answer broke off; what was said of it does not count. Asked again:");
        }
        self.missed = false;
    }
}
