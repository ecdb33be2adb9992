//! A table: aligned if it fits, else a list of its rows.

use pulldown_cmark::Alignment;

use crate::text::{Line, Mark, Shown, Span, width};

const GAP: usize = 3;

type Cell = Vec<Span>;

/// A table while it is parsed. The first row is its head.
pub(super) struct Table {
    alignments: Vec<Alignment>,
    rows: Vec<Vec<Cell>>,
    row: Vec<Cell>,
}

impl Table {
    pub(super) fn new(alignments: Vec<Alignment>) -> Self {
        Self { alignments, rows: Vec::new(), row: Vec::new() }
    }

    pub(super) fn cell(&mut self, cell: Cell) {
        self.row.push(cell);
    }

    pub(super) fn end_row(&mut self) {
        self.rows.push(std::mem::take(&mut self.row));
    }

    /// Returns the lines of both forms, after a prefix of this width; the width of the screen selects one.
    pub(super) fn lines(&self, rail: usize) -> Vec<Line> {
        let widths: Vec<usize> = (0..self.alignments.len()).map(|column| self.width(column)).collect();
        let cells = rail + widths.iter().sum::<usize>() + GAP * widths.len().saturating_sub(1);
        let line = |spans: Vec<Span>, shown: Shown| {
            let mut line = Line::new(Mark::Model, "model", spans).wide();
            line.shown = shown;
            line
        };
        let mut lines = Vec::new();
        for (index, row) in self.rows.iter().enumerate() {
            lines.push(line(self.aligned(row, &widths), Shown::From(cells)));
            if index == 0 {
                let rules: Vec<String> = widths.iter().map(|width| "─".repeat(*width)).collect();
                lines.push(line(vec![Span::quiet(rules.join(&" ".repeat(GAP)))], Shown::From(cells)));
            }
        }
        lines.extend(self.listed().into_iter().map(|(spans, hang)| {
            let mut line = line(spans, Shown::Below(cells));
            (line.hang, line.wide) = (hang, false);
            line
        }));
        lines
    }

    fn width(&self, column: usize) -> usize {
        self.rows.iter().filter_map(|row| row.get(column)).map(|cell| cells(cell)).max().unwrap_or(0).max(1)
    }

    fn aligned(&self, row: &[Cell], widths: &[usize]) -> Vec<Span> {
        let mut spans = Vec::new();
        let last = widths.len().saturating_sub(1);
        for (column, (cell_width, alignment)) in widths.iter().zip(&self.alignments).enumerate() {
            let cell = row.get(column).map(Vec::as_slice).unwrap_or_default();
            let free = cell_width.saturating_sub(cells(cell));
            let before = match alignment {
                Alignment::Right => free,
                Alignment::Center => free / 2,
                Alignment::Left | Alignment::None => 0,
            };
            let after = if column == last { 0 } else { free - before + GAP };
            spans.push(Span::text(" ".repeat(before)));
            spans.extend_from_slice(cell);
            spans.push(Span::text(" ".repeat(after)));
        }
        spans
    }

    /// Returns each row as an item, with one line per cell and its head; and the indentation of each line.
    fn listed(&self) -> Vec<(Vec<Span>, usize)> {
        let Some((heads, rows)) = self.rows.split_first() else { return Vec::new() };
        let mut lines = Vec::new();
        for row in rows {
            let said = heads.iter().zip(row).filter(|(_, cell)| cells(cell) > 0);
            for (index, (head, cell)) in said.enumerate() {
                let mut spans = vec![Span::text(if index == 0 { "• " } else { "  " })];
                spans.extend_from_slice(head);
                if cells(head) > 0 {
                    spans.push(Span::text(": "));
                }
                spans.extend_from_slice(cell);
                lines.push((spans, 4));
            }
        }
        lines
    }
}

fn cells(cell: &[Span]) -> usize {
    cell.iter().map(|span| width(&span.text)).sum()
}
