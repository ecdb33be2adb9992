//! A line that is edited: text, cursor, and what was cut.

use unicode_segmentation::UnicodeSegmentation as _;

use super::Key;
use crate::text::is_plain;

/// How long a line may be.
const BYTES_MAX: usize = 1 << 20;

/// What a key did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Edited {
    Nothing,
    Changed,
    /// The line was entered, and is empty again.
    Entered(String),
    /// Another line of the history is wanted.
    Older,
    Newer,
    /// Tab: what may be meant is wanted.
    Completes,
    /// Ctrl-D in an empty line.
    End,
}

/// The line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct EditLine {
    text: String,
    /// Where the cursor stands, in bytes.
    at: usize,
    cut: String,
    /// Whether it may have line breaks.
    breaks: bool,
}

impl EditLine {
    /// A line that may have line breaks: by Alt-Enter, by a backslash before Enter, and from a paste.
    pub(crate) fn with_breaks() -> Self {
        Self { breaks: true, ..Self::default() }
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Where the cursor stands, in bytes.
    pub(crate) fn at(&self) -> usize {
        self.at
    }

    /// Puts a text in the place of the line; the cursor stands behind it.
    pub(crate) fn set(&mut self, text: &str) {
        self.text = clean(text);
        self.at = self.text.len();
    }

    fn before(&self) -> &str {
        self.text.get(..self.at).unwrap_or_default()
    }

    fn behind(&self) -> &str {
        self.text.get(self.at..).unwrap_or_default()
    }

    /// Does what a key says.
    pub(crate) fn take(&mut self, key: Key) -> Edited {
        match key {
            Key::Letter(letter) => self.insert(letter.encode_utf8(&mut [0; 4])),
            Key::Paste(text) => self.paste(&text),
            Key::LineBreak if self.breaks => self.insert("\n"),
            Key::Enter if self.breaks && self.before().ends_with('\\') => {
                self.remove(self.at - 1, self.at);
                self.insert("\n")
            }
            Key::Enter => {
                self.at = 0;
                Edited::Entered(std::mem::take(&mut self.text))
            }
            Key::Tab => Edited::Completes,
            Key::Backspace => self.remove(self.left(), self.at),
            Key::Delete => self.remove(self.at, self.right()),
            Key::CtrlD if self.text.is_empty() => Edited::End,
            Key::CtrlD => self.remove(self.at, self.right()),
            Key::Left => self.go(self.left()),
            Key::Right => self.go(self.right()),
            Key::WordLeft => self.go(self.word_left()),
            Key::WordRight => self.go(self.word_right()),
            Key::Home => self.go(self.before().rfind('\n').map_or(0, |index| index + 1)),
            Key::End => self.go(self.line_end()),
            Key::CutWordLeft => self.cut(self.word_left(), self.at),
            Key::CutWordRight => self.cut(self.at, self.word_right()),
            Key::CutLeft => self.cut(0, self.at),
            Key::CutRight => self.cut(self.at, self.line_end()),
            Key::PutBack => self.insert(&self.cut.clone()),
            Key::Escape => self.cut(0, self.text.len()),
            Key::Up => Edited::Older,
            Key::Down => Edited::Newer,
            Key::LineBreak => Edited::Nothing,
        }
    }

    /// Pasted text is text: nothing in it is a key, and in a line without breaks its lines stand one behind the other.
    fn paste(&mut self, text: &str) -> Edited {
        let text = text.replace('\t', "    ");
        self.insert(&if self.breaks { text } else { text.trim_end().replace('\n', " ") })
    }

    /// Puts a text in at the cursor.
    pub(crate) fn insert(&mut self, text: &str) -> Edited {
        let text = clean(text);
        if text.is_empty() || self.text.len() + text.len() > BYTES_MAX {
            return Edited::Nothing;
        }
        self.text.insert_str(self.at, &text);
        self.at += text.len();
        Edited::Changed
    }

    fn remove(&mut self, from: usize, to: usize) -> Edited {
        if from >= to {
            return Edited::Nothing;
        }
        self.text.drain(from..to);
        self.at = from;
        Edited::Changed
    }

    fn cut(&mut self, from: usize, to: usize) -> Edited {
        self.text.get(from..to).unwrap_or_default().clone_into(&mut self.cut);
        self.remove(from, to)
    }

    fn go(&mut self, to: usize) -> Edited {
        if self.at == to {
            return Edited::Nothing;
        }
        self.at = to;
        Edited::Changed
    }

    fn left(&self) -> usize {
        self.at - self.before().graphemes(true).next_back().map_or(0, str::len)
    }

    fn right(&self) -> usize {
        self.at + self.behind().graphemes(true).next().map_or(0, str::len)
    }

    fn line_end(&self) -> usize {
        self.behind().find('\n').map_or(self.text.len(), |index| self.at + index)
    }

    fn word_left(&self) -> usize {
        let bare = self.before().trim_end_matches(|letter: char| !letter.is_alphanumeric());
        bare.trim_end_matches(char::is_alphanumeric).len()
    }

    fn word_right(&self) -> usize {
        let behind = self.behind();
        let bare = behind.trim_start_matches(|letter: char| !letter.is_alphanumeric());
        self.text.len() - bare.trim_start_matches(char::is_alphanumeric).len()
    }
}

/// A text without what a terminal would obey, or a reader could not see: it is drawn as it is.
fn clean(text: &str) -> String {
    text.chars().filter(|letter| *letter == '\n' || is_plain(*letter)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed(line: &mut EditLine, text: &str) {
        text.chars().for_each(|letter| drop(line.take(Key::Letter(letter))));
    }

    fn after(text: &str, keys: &[Key]) -> String {
        let mut line = EditLine::with_breaks();
        typed(&mut line, text);
        keys.iter().for_each(|key| drop(line.take(key.clone())));
        let (before, behind) = line.text.split_at(line.at);
        format!("{before}|{behind}")
    }

    #[test]
    fn keys_move_and_change() {
        assert_eq!(after("helo", &[Key::Left, Key::Letter('l')]), "hell|o");
        assert_eq!(after("a e\u{301}b", &[Key::Left, Key::Backspace]), "a |b");
        assert_eq!(after("one two", &[Key::WordLeft, Key::CutRight, Key::Home, Key::PutBack]), "two|one ");
        assert_eq!(after("one two", &[Key::CutWordLeft]), "one |");
        assert_eq!(after("one two", &[Key::Home, Key::CutWordRight, Key::Delete]), "|two");
        assert_eq!(after("gone", &[Key::Escape, Key::PutBack]), "gone|");
        assert_eq!(after("a\\", &[Key::Enter, Key::Letter('b'), Key::Home]), "a\n|b");
        assert_eq!(after("漢字", &[Key::Left, Key::CtrlD, Key::CtrlD]), "漢|");
    }

    #[test]
    fn enter_gives_the_line_and_a_paste_never_does() {
        let mut line = EditLine::default();
        assert_eq!(line.take(Key::Paste("y\nno\u{1b}[A\r\n".to_owned())), Edited::Changed);
        assert_eq!(line.text(), "y no[A");
        assert_eq!(line.take(Key::Enter), Edited::Entered("y no[A".to_owned()));
        assert_eq!(line.take(Key::CtrlD), Edited::End);
        let mut line = EditLine::with_breaks();
        line.set("\u{1b}]0;title\u{7}\u{202e}from a file");
        assert_eq!(line.text(), "]0;titlefrom a file", "a history may have been written by others");
        line.set("");
        line.take(Key::Paste("a\nb".to_owned()));
        assert_eq!(line.take(Key::Enter), Edited::Entered("a\nb".to_owned()));
    }
}
