//! The lines at the bottom of a terminal that are drawn anew.

use std::io::{self, Write as _};

use crate::text::width;
use crossterm::cursor::{MoveToColumn, MoveToNextLine, MoveUp};
use crossterm::queue;
use crossterm::terminal::{self, BeginSynchronizedUpdate, Clear, ClearType, EndSynchronizedUpdate};

/// As much of the screen as the area takes at most.
const LINES_MAX: usize = 12;

/// How much room there is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Room {
    /// How many rows the terminal has.
    pub(super) rows: usize,
    /// How many of them the area may take.
    pub(super) lines: usize,
}

impl Room {
    /// The room there is now; none on a terminal that does not say its size.
    pub(super) fn now() -> Option<Self> {
        let (_, rows) = terminal::size().ok()?;
        let rows = usize::from(rows);
        Some(Self { rows, lines: (rows / 2).min(LINES_MAX) })
    }
}

/// What is drawn.
#[derive(Default)]
pub(super) struct Area {
    /// How wide each line is that stands there now.
    drawn: Vec<usize>,
    /// What stands there.
    shown: Vec<String>,
    /// The cell of the cursor in the last row, if it stands there and not below it.
    cursor: Option<usize>,
}

impl Area {
    /// Whether nothing is drawn.
    pub(super) fn is_empty(&self) -> bool {
        self.shown.is_empty()
    }

    /// Takes away what was drawn.
    pub(super) fn clear(&mut self) {
        let (columns, height) = terminal::size().unwrap_or((80, 24));
        let rows = rows_taken(&self.drawn, columns.into());
        self.drawn.clear();
        self.shown.clear();
        if self.cursor.take().is_some() {
            drop(queue!(io::stderr(), MoveToNextLine(1)));
        }
        // On a terminal that became too small for it, clearing it would also clear other lines.
        if rows > 0 && rows < height.into() {
            let up = u16::try_from(rows).unwrap_or(u16::MAX);
            // Errors of a closed terminal are ignored.
            drop(queue!(io::stderr(), MoveToColumn(0), MoveUp(up), Clear(ClearType::FromCursorDown)));
            drop(io::stderr().flush());
        }
    }

    /// Draws rows in the place of the last ones, unless they are the same; the cursor goes to a cell of the last row,
    /// or below it.
    pub(super) fn draw(&mut self, rows: &[String], cursor: Option<usize>) {
        if rows == self.shown && cursor == self.cursor {
            return;
        }
        drop(queue!(io::stderr(), BeginSynchronizedUpdate));
        self.clear();
        self.drawn = rows.iter().map(|row| visible_width(row)).collect();
        self.shown = rows.to_vec();
        let text: String = rows.iter().flat_map(|row| [row.as_str(), "\r\n"]).collect();
        drop(io::stderr().write_all(text.as_bytes()));
        if let Some(cell) = cursor {
            let cell = u16::try_from(cell).unwrap_or(u16::MAX);
            drop(queue!(io::stderr(), MoveUp(1), MoveToColumn(cell)));
        }
        self.cursor = cursor;
        drop(queue!(io::stderr(), EndSynchronizedUpdate));
        drop(io::stderr().flush());
    }
}

/// How many cells a painted row takes.
fn visible_width(row: &str) -> usize {
    let mut parts = row.split('\u{1b}');
    let first = width(parts.next().unwrap_or_default());
    first + parts.map(|part| part.split_once('m').map_or(0, |(_, text)| width(text))).sum::<usize>()
}

/// How many rows lines of these widths take: a terminal that became narrower has wrapped them.
fn rows_taken(widths: &[usize], columns: usize) -> usize {
    widths.iter().map(|width| width.div_ceil(columns.max(1)).max(1)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_take_no_cells() {
        assert_eq!(visible_width("\u{1b}[32m✓\u{1b}[0m  fs/read"), 10);
    }

    #[test]
    fn a_narrower_terminal_has_wrapped_what_stands_there() {
        assert_eq!(rows_taken(&[79, 10], 80), 2);
        assert_eq!(rows_taken(&[79, 10, 0], 40), 4);
        assert_eq!(rows_taken(&[], 80), 0);
    }
}
