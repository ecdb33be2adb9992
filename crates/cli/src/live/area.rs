//! The lines at the bottom of a terminal that are drawn anew.

use std::io::{self, Write as _};

use crossterm::cursor::{MoveToColumn, MoveUp};
use crossterm::queue;
use crossterm::style::{Attribute, SetAttribute};
use crossterm::terminal::{self, BeginSynchronizedUpdate, Clear, ClearType, EndSynchronizedUpdate};
use provost_project::environment;
use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

/// The smallest terminal on which something is drawn anew; on a smaller one lines are only added.
const COLUMNS_MIN: u16 = 40;
const ROWS_MIN: u16 = 10;

/// How much room there is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Room {
    pub(super) columns: usize,
    pub(super) rows: usize,
}

impl Room {
    /// The room there is now; none on a terminal that is too small, or tells nobody its size.
    pub(super) fn now() -> Option<Self> {
        let (columns, rows) = terminal::size().ok()?;
        let fits = columns >= COLUMNS_MIN && rows >= ROWS_MIN;
        fits.then_some(Self { columns: columns.into(), rows: rows.into() })
    }
}

/// What is drawn.
#[derive(Default)]
pub(super) struct Area {
    /// How wide each line is that stands there now.
    drawn: Vec<usize>,
}

impl Area {
    /// Takes away what was drawn.
    pub(super) fn clear(&mut self) {
        let (columns, height) = terminal::size().unwrap_or((COLUMNS_MIN, ROWS_MIN));
        let rows = rows_taken(&self.drawn, columns.into());
        self.drawn.clear();
        // On a terminal that became too small for it, taking it away would take other lines along.
        if rows > 0 && rows < height.into() {
            let up = u16::try_from(rows).unwrap_or(u16::MAX);
            // A terminal that does not listen any more is nobody's fault.
            drop(queue!(io::stderr(), MoveToColumn(0), MoveUp(up), Clear(ClearType::FromCursorDown)));
            drop(io::stderr().flush());
        }
    }

    /// Draws lines in the place of the last ones.
    pub(super) fn draw(&mut self, lines: &[String], room: Room) {
        drop(queue!(io::stderr(), BeginSynchronizedUpdate));
        self.clear();
        let mut text = String::new();
        for line in lines {
            // The last column stays free: some terminals begin a new line behind it.
            let line = cut(line, room.columns - 1);
            self.drawn.push(line.width());
            text.push_str(&line);
            text.push_str("\r\n");
        }
        drop(write_dim(&text));
        drop(queue!(io::stderr(), EndSynchronizedUpdate));
        drop(io::stderr().flush());
    }
}

fn write_dim(text: &str) -> io::Result<()> {
    let mut stderr = io::stderr().lock();
    if environment::has("NO_COLOR") {
        return stderr.write_all(text.as_bytes());
    }
    queue!(stderr, SetAttribute(Attribute::Dim))?;
    stderr.write_all(text.as_bytes())?;
    queue!(stderr, SetAttribute(Attribute::Reset))
}

/// How many rows lines of these widths take: a terminal that became narrower has wrapped them.
fn rows_taken(widths: &[usize], columns: usize) -> usize {
    widths.iter().map(|width| width.div_ceil(columns.max(1)).max(1)).sum()
}

/// As much of a line as fits, with a sign where it was cut.
fn cut(line: &str, columns: usize) -> String {
    if line.width() <= columns {
        return line.to_owned();
    }
    let mut left = columns.saturating_sub(1);
    let fits = |letter: &char| {
        let width = letter.width().unwrap_or(0);
        let fits = width <= left;
        left = left.saturating_sub(width);
        fits
    };
    line.chars().take_while(fits).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_cut_by_what_it_takes_on_the_screen() {
        assert_eq!(cut("abcdef", 6), "abcdef");
        assert_eq!(cut("abcdef", 5), "abcd…");
        assert_eq!(cut("漢字漢字", 6), "漢字…");
        assert_eq!(cut("漢字", 1), "…");
    }

    #[test]
    fn a_narrower_terminal_has_wrapped_what_stands_there() {
        assert_eq!(rows_taken(&[79, 10], 80), 2);
        assert_eq!(rows_taken(&[79, 10, 0], 40), 4);
        assert_eq!(rows_taken(&[], 80), 0);
    }
}
