//! The last lines that running calls printed.

use std::collections::{BTreeMap, VecDeque};

use provost_engine::ActionId;

use crate::text::{Line, Mark, Overflow, Span, of_program};

/// How many lines are shown at most, and from how many rows of the terminal on.
const LINES: usize = 5;
const LINES_TALL: usize = 10;
const ROWS_TALL: usize = 40;
/// How much is held of a line that has no end yet.
const OPEN_BYTES_MAX: usize = 4 * 1024;

/// What running calls printed last.
#[derive(Default)]
pub(super) struct Tails(BTreeMap<ActionId, Tail>);

#[derive(Default)]
struct Tail {
    whole: VecDeque<String>,
    open: String,
}

impl Tails {
    pub(super) fn push(&mut self, action: ActionId, text: &str) {
        self.0.entry(action).or_default().push(text);
    }

    /// Forgets what is not running any more.
    pub(super) fn retain(&mut self, mut is_running: impl FnMut(ActionId) -> bool) {
        self.0.retain(|action, _| is_running(*action));
    }

    /// The last lines of a call, so many at most.
    pub(super) fn lines(&self, action: ActionId, lines_max: usize) -> Vec<Line> {
        let Some(tail) = self.0.get(&action) else { return Vec::new() };
        let open = Some(&tail.open).filter(|open| !open.trim().is_empty());
        let all: Vec<&String> = tail.whole.iter().chain(open).collect();
        let shown = all.get(all.len().saturating_sub(lines_max)..).unwrap_or_default();
        let line = |text: &&String| {
            Line::new(Mark::Program, "output", vec![Span::text(of_program(text))]).overflow(Overflow::Cut)
        };
        shown.iter().map(line).collect()
    }
}

impl Tail {
    fn push(&mut self, text: &str) {
        let mut parts = text.split('\n').peekable();
        while let Some(part) = parts.next() {
            if self.open.len() + part.len() <= OPEN_BYTES_MAX {
                self.open.push_str(part);
            }
            if parts.peek().is_some() {
                self.whole.push_back(std::mem::take(&mut self.open));
            }
        }
        let over = self.whole.len().saturating_sub(LINES_TALL);
        self.whole.drain(..over);
    }
}

/// How many lines of each call's output are shown: as the terminal allows, and as there is room beside the calls.
pub(super) fn lines_each(rows: usize, room: usize, calls: usize) -> usize {
    let most = if rows >= ROWS_TALL { LINES_TALL } else { LINES };
    most.min(room.saturating_sub(calls) / calls.max(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ACTION: ActionId = ActionId { declaration: 1, index: 0 };

    fn shown(pieces: &[&str], lines_max: usize) -> Vec<String> {
        let mut tails = Tails::default();
        pieces.iter().for_each(|piece| tails.push(ACTION, piece));
        let lines = tails.lines(ACTION, lines_max);
        lines.iter().map(|line| line.spans.iter().map(|span| span.text.as_str()).collect()).collect()
    }

    #[test]
    fn the_last_lines_are_shown_however_they_came() {
        assert_eq!(shown(&["one\ntw", "o\nthree\n"], 2), ["two", "three"]);
        assert_eq!(shown(&["10 %\r20 %"], 5), ["20 %"]);
        assert_eq!(shown(&["\u{1b}[31mred\u{1b}[0m\u{1b}[2J\n"], 5), ["red\\e[2J"]);
        assert!(shown(&["a\n"], 0).is_empty());
    }

    #[test]
    fn a_line_without_an_end_stays_small() {
        let mut tail = Tail::default();
        (0..10_000).for_each(|_| tail.push("0123456789"));
        assert!(tail.open.len() <= OPEN_BYTES_MAX);
    }

    #[test]
    fn tails_leave_room_for_their_calls() {
        assert_eq!(lines_each(24, 10, 1), 5);
        assert_eq!(lines_each(50, 10, 1), 9);
        assert_eq!(lines_each(50, 10, 3), 2);
        assert_eq!(lines_each(24, 10, 12), 0);
    }
}
