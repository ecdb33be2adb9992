//! The prefixes of lines in lists, quotes and code: one for the first row, one for the rows below it.

use crate::text::{Line, Span, width};

/// The maximum width of a prefix. More deeply nested lists are not indented further.
pub(super) const CELLS_MAX: usize = 20;

/// The open lists, quotes and code blocks.
#[derive(Default)]
pub(super) struct Rails(Vec<Rail>);

struct Rail {
    first: Span,
    rest: Span,
    is_begun: bool,
}

impl Rails {
    /// A list's item with its number.
    pub(super) fn item(&mut self, number: Option<u64>) {
        let sign = number.map_or_else(|| "• ".to_owned(), |number| format!("{number}. "));
        let rest = " ".repeat(width(&sign));
        self.open(Span::text(sign), Span::text(rest));
    }

    pub(super) fn quote(&mut self) {
        self.open(Span::quiet("> "), Span::quiet("> "));
    }

    pub(super) fn code(&mut self) {
        self.open(Span::quiet("╎ "), Span::quiet("╎ "));
    }

    fn open(&mut self, first: Span, rest: Span) {
        let has_room = self.cells() + width(&rest.text) <= CELLS_MAX;
        let rest = if has_room { rest } else { Span::text("") };
        let first = if has_room { first } else { Span::text("") };
        self.0.push(Rail { first, rest, is_begun: false });
    }

    pub(super) fn pop(&mut self) {
        self.0.pop();
    }

    /// Returns whether the innermost one already has its first line.
    pub(super) fn is_begun(&self) -> bool {
        self.0.last().is_none_or(|rail| rail.is_begun)
    }

    pub(super) fn cells(&self) -> usize {
        self.0.iter().map(|rail| width(&rail.rest.text)).sum()
    }

    /// Returns the prefix of further rows.
    pub(super) fn rest(&self) -> Vec<Span> {
        self.0.iter().map(|rail| rail.rest.clone()).collect()
    }

    /// Adds the prefixes to a line.
    pub(super) fn stand_before(&mut self, line: &mut Line) {
        line.rail_rest = self.rest();
        line.rail =
            self.0.iter().map(|rail| if rail.is_begun { &rail.rest } else { &rail.first }.clone()).collect();
        self.0.iter_mut().for_each(|rail| rail.is_begun = true);
    }
}
