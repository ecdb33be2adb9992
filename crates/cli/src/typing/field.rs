//! The rows in which a line is typed, drawn again as it changes.

use std::io::{self, Write as _};

use crossterm::cursor::{MoveToColumn, MoveUp};
use crossterm::queue;
use crossterm::terminal::{self, Clear, ClearType};
use unicode_segmentation::UnicodeSegmentation as _;

use super::EditLine;
use crate::text::width;

/// Where rows below the first one begin.
const INDENT: usize = 3;

/// A line behind its prompt.
pub(crate) struct Field {
    prompt: String,
    /// What stands there: the text, and the row in which the cursor is.
    drawn: Option<(String, usize)>,
}

/// A text as rows, and where the cursor is in them.
#[derive(Debug, PartialEq, Eq)]
struct Rows {
    rows: Vec<String>,
    cursor: (usize, usize),
}

impl Field {
    /// A field behind a painted prompt.
    pub(crate) fn new(prompt: &str) -> Self {
        Self { prompt: prompt.to_owned(), drawn: None }
    }

    /// Draws the line in the place of the last one.
    pub(crate) fn draw(&mut self, line: &EditLine) {
        let columns = terminal::size().map_or(80, |(columns, _)| usize::from(columns).max(INDENT + 3));
        let laid = laid_out(painted_width(&self.prompt), line.text(), line.at(), columns);
        let mut out = io::stderr().lock();
        match &self.drawn {
            // A letter at the end is only added: nothing else has changed.
            Some((before, row))
                if line.at() == line.text().len()
                    && laid.rows.len() == row + 1
                    && laid.cursor.0 == *row
                    && line.text().starts_with(before.as_str()) =>
            {
                let more = line.text().get(before.len()..).unwrap_or_default();
                drop(out.write_all(more.as_bytes()));
            }
            drawn => {
                let up = drawn.as_ref().map_or(0, |(_, row)| *row);
                drop(queue!(out, MoveToColumn(0)));
                if up > 0 {
                    drop(queue!(out, MoveUp(u16::try_from(up).unwrap_or(u16::MAX))));
                }
                drop(queue!(out, Clear(ClearType::FromCursorDown)));
                drop(out.write_all(format!("{}{}", self.prompt, laid.rows.join("\r\n")).as_bytes()));
                let below = laid.rows.len().saturating_sub(1).saturating_sub(laid.cursor.0);
                if below > 0 {
                    drop(queue!(out, MoveUp(u16::try_from(below).unwrap_or(u16::MAX))));
                }
                drop(queue!(out, MoveToColumn(u16::try_from(laid.cursor.1).unwrap_or(u16::MAX))));
            }
        }
        drop(out.flush());
        // Where the cursor is not at the end, the next letter changes what stands behind it.
        let text = if line.at() == line.text().len() { line.text() } else { "\n" };
        self.drawn = Some((text.to_owned(), laid.cursor.0));
    }

    /// Takes the rows away.
    fn clear(&mut self) {
        if let Some((_, row)) = self.drawn.take() {
            let mut out = io::stderr().lock();
            drop(queue!(out, MoveToColumn(0)));
            if row > 0 {
                drop(queue!(out, MoveUp(u16::try_from(row).unwrap_or(u16::MAX))));
            }
            drop(queue!(out, Clear(ClearType::FromCursorDown)));
            drop(out.flush());
        }
    }

    /// A line in the place of the field, which is drawn below it next.
    pub(crate) fn note(&mut self, text: &str) {
        self.clear();
        drop(io::stderr().write_all(format!("   {text}\r\n").as_bytes()));
    }

    /// Leaves the rows there, and goes below them.
    pub(crate) fn end(&mut self) {
        self.drawn = None;
        drop(io::stderr().write_all(b"\r\n"));
    }
}

/// How many cells a painted text takes.
fn painted_width(text: &str) -> usize {
    let mut parts = text.split('\u{1b}');
    let first = width(parts.next().unwrap_or_default());
    first + parts.map(|part| part.split_once('m').map_or(0, |(_, text)| width(text))).sum::<usize>()
}

/// Breaks a text where the screen ends. The last cell stays free, so that no terminal breaks it by itself.
fn laid_out(prompt: usize, text: &str, at: usize, columns: usize) -> Rows {
    let (mut rows, mut taken, mut cursor) = (vec![String::new()], prompt, (0, prompt));
    for (index, grapheme) in text.grapheme_indices(true) {
        let is_break = grapheme.contains('\n');
        if !is_break && taken + width(grapheme) >= columns {
            rows.push(" ".repeat(INDENT));
            taken = INDENT;
        }
        if index == at {
            cursor = (rows.len() - 1, taken);
        }
        if is_break {
            rows.push(" ".repeat(INDENT));
            taken = INDENT;
        } else if let Some(row) = rows.last_mut() {
            row.push_str(grapheme);
            taken += width(grapheme);
        }
    }
    if at >= text.len() {
        cursor = (rows.len() - 1, taken);
    }
    Rows { rows, cursor }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_broken_where_the_screen_ends() {
        let laid = laid_out(2, "abcdefghij", 10, 8);
        assert_eq!(laid.rows, ["abcde", "   fghi", "   j"]);
        assert_eq!(laid.cursor, (2, 4));
        assert_eq!(
            laid_out(2, "ab\ncd", 3, 80),
            Rows { rows: vec!["ab".to_owned(), "   cd".to_owned()], cursor: (1, 3) }
        );
        assert_eq!(laid_out(2, "漢字漢字", 3, 8).cursor, (0, 4));
        assert_eq!(laid_out(2, "漢字漢字", 9, 8).rows, ["漢字", "   漢字"]);
    }
}
