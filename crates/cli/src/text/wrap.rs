//! Truncates and wraps text by display width.

use unicode_segmentation::UnicodeSegmentation as _;
use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

use super::Role;

/// Returns how many cells a text takes at most. Terminals disagree about clusters such as an emoji with a skin tone or
/// an Arabic ligature; a line that is drawn wider than it was measured would go on at the left edge without its bar.
pub(crate) fn width(text: &str) -> usize {
    let cells = |cluster: &str| {
        let each: usize = cluster.chars().map(|letter| letter.width().unwrap_or(0)).sum();
        cluster.width().max(each)
    };
    text.graphemes(true).map(cells).sum()
}

/// Truncates a text to a number of cells, with a sign.
pub(crate) fn cut(text: &str, cells: usize, sign: &str) -> String {
    if width(text) <= cells {
        return text.to_owned();
    }
    let (head, _) = split(text, cells.saturating_sub(width(sign)));
    format!("{head}{sign}")
}

/// Splits a text into the part that fits and the rest. Graphemes stay whole.
pub(super) fn split(text: &str, cells: usize) -> (&str, &str) {
    let (mut taken, mut end) = (0, 0);
    for (index, grapheme) in text.grapheme_indices(true) {
        taken += width(grapheme);
        if taken > cells {
            break;
        }
        end = index + grapheme.len();
    }
    text.split_at_checked(end).unwrap_or((text, ""))
}

/// A piece of a row.
pub(super) type Piece = (String, Role);

/// Wraps spans into rows of a maximum width: `first` for the first row, `rest` for those below it.
pub(super) fn wrap(spans: &[Piece], first: usize, rest: usize) -> Vec<Vec<Piece>> {
    let mut rows =
        Rows { rows: Vec::new(), row: Vec::new(), taken: 0, room: first.max(1), rest: rest.max(1) };
    // Text without a space is not split, even if it consists of several spans.
    let mut word: Vec<(&str, Role)> = Vec::new();
    for (text, role) in spans {
        for part in words(text) {
            word.push((part, *role));
            if part.ends_with(' ') {
                rows.push(&std::mem::take(&mut word));
            }
        }
    }
    rows.push(&word);
    rows.end();
    rows.rows
}

struct Rows {
    rows: Vec<Vec<Piece>>,
    row: Vec<Piece>,
    taken: usize,
    room: usize,
    rest: usize,
}

impl Rows {
    fn push(&mut self, word: &[(&str, Role)]) {
        let cells: usize = word.iter().map(|(part, _)| width(part)).sum();
        let spaces = word.last().map_or(0, |(part, _)| width(part) - width(part.trim_end_matches(' ')));
        let bare = cells - spaces;
        if self.taken > 0 && self.taken + bare > self.room && bare > 0 {
            self.end();
        }
        word.iter().for_each(|(part, role)| self.push_part(part, *role));
    }

    fn push_part(&mut self, part: &str, role: Role) {
        let mut part = part;
        // Text that is wider than a row is broken where the row ends.
        while width(part.trim_end_matches(' ')) > self.room.saturating_sub(self.taken) {
            let (head, tail) = split(part, self.room.saturating_sub(self.taken));
            if head.is_empty() && self.taken == 0 {
                break;
            }
            self.add(head, role);
            self.end();
            part = tail;
        }
        self.add(part, role);
    }

    fn add(&mut self, text: &str, role: Role) {
        self.taken += width(text);
        match self.row.last_mut() {
            Some((last, known)) if *known == role => last.push_str(text),
            _ => self.row.push((text.to_owned(), role)),
        }
    }

    fn end(&mut self) {
        let mut row = std::mem::take(&mut self.row);
        while let Some((text, _)) = row.last_mut() {
            text.truncate(text.trim_end_matches(' ').len());
            if !text.is_empty() {
                break;
            }
            row.pop();
        }
        self.rows.push(row);
        (self.taken, self.room) = (0, self.rest);
    }
}

/// Returns the words of a text, each with the spaces after it; leading spaces are a separate word.
fn words(text: &str) -> Vec<&str> {
    let mut words = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let word = rest.find(' ').unwrap_or(rest.len());
        let after = rest.get(word..).unwrap_or_default();
        let end = word + after.len() - after.trim_start_matches(' ').len();
        words.push(rest.get(..end).unwrap_or(rest));
        rest = rest.get(end..).unwrap_or_default();
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(text: &str, first: usize, rest: usize) -> Vec<String> {
        let rows = wrap(&[(text.to_owned(), Role::Text)], first, rest);
        rows.into_iter().map(|row| row.into_iter().map(|(text, _)| text).collect()).collect()
    }

    /// Where terminals disagree, the widest of them counts.
    #[test]
    fn clusters_count_as_wide_as_any_terminal_draws_them() {
        assert_eq!((width("👨🏽"), width("⌚\u{fe0e}"), width("لا"), width("❤\u{fe0f}")), (4, 2, 2, 2));
        assert_eq!((width("abc"), width("漢字"), width("e\u{301}")), (3, 4, 1));
    }

    #[test]
    fn a_text_is_cut_by_what_it_takes_on_the_screen() {
        assert_eq!(cut("abcdef", 6, "…"), "abcdef");
        assert_eq!(cut("abcdef", 5, "…"), "abcd…");
        assert_eq!(cut("漢字漢字", 6, "…"), "漢字…");
        assert_eq!(cut("漢字", 1, "…"), "…");
    }

    #[test]
    fn a_text_is_wrapped_between_words() {
        assert_eq!(rows("one two three", 20, 20), ["one two three"]);
        assert_eq!(rows("one two three", 8, 20), ["one two", "three"]);
        assert_eq!(rows("onetwothree", 4, 5), ["onet", "wothr", "ee"]);
        assert_eq!(rows("漢字漢字 漢字", 5, 9), ["漢字", "漢字 漢字"]);
        assert_eq!(rows("", 5, 5), [""]);
    }
}
