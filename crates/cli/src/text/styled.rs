//! The styled writer: marks, columns, colours by meaning, wrapped by display width.

use super::plain::plain;
use super::wrap::{self, Piece};
use super::{Column, Line, Mark, Overflow, Paint, Role, Shown, Span, Style, cut, width};

/// The start of text after a mark.
const TEXT_AT: usize = 3;
/// The maximum width of the tool column.
const TOOL_MAX: usize = 24;
/// The maximum width of text: longer lines are hard to read.
const COLUMNS_MAX: usize = 120;
const PROSE_MAX: usize = 100;
/// The default width of a terminal.
const COLUMNS: usize = 80;

/// Writes lines. A long tool name widens its column for the following lines.
#[derive(Clone, Debug)]
pub(crate) struct Writer {
    pub(crate) paint: Paint,
    tool: usize,
}

/// Returns lines as text, each with its line end.
pub(crate) fn styled(lines: &[Line], paint: Paint) -> String {
    let mut writer = Writer::new(paint);
    lines.iter().map(|line| writer.written(line)).collect()
}

impl Writer {
    pub(crate) fn new(paint: Paint) -> Self {
        Self { paint, tool: 0 }
    }

    /// Returns a line as text with its line end; empty if the plain writer omits it.
    pub(crate) fn written(&mut self, line: &Line) -> String {
        let rows = self.rows(line);
        rows.iter().flat_map(|row| [row.as_str(), "\n"]).collect()
    }

    /// Returns the rows of the screen that a line takes.
    pub(crate) fn rows(&mut self, line: &Line) -> Vec<String> {
        if !self.shows(line) {
            return Vec::new();
        }
        match self.paint.style {
            Style::Plain => plain(line, self.paint),
            Style::Colourless | Style::Coloured => {
                let line = if self.paint.unicode { line.clone() } else { ascii(line) };
                let rows = self.laid_out(&line);
                rows.iter().map(|row| self.painted(row)).collect()
            }
        }
    }

    fn shows(&self, line: &Line) -> bool {
        let is_plain = self.paint.style == Style::Plain;
        let room = self.columns().saturating_sub(TEXT_AT + 1);
        match line.shown {
            Shown::Always => true,
            Shown::Plain => is_plain,
            Shown::Styled => !is_plain,
            Shown::From(cells) => !is_plain && cells <= room,
            Shown::Below(cells) => !is_plain && cells > room,
        }
    }

    fn columns(&self) -> usize {
        self.paint.columns.unwrap_or(COLUMNS)
    }

    /// Returns the right edge; the last cell stays free.
    fn edge(&self) -> usize {
        self.columns().min(COLUMNS_MAX).saturating_sub(1)
    }

    fn tool_width(&self) -> usize {
        self.tool.max(if self.columns() >= COLUMNS_MAX { 14 } else { 12 })
    }

    fn outcome_at(&self) -> usize {
        let at = match self.columns() {
            0..=71 => 34,
            72..=119 => 46,
            _ => 64,
        };
        at + self.tool_width().saturating_sub(if self.columns() >= COLUMNS_MAX { 14 } else { 12 })
    }

    fn laid_out(&mut self, line: &Line) -> Vec<Vec<Piece>> {
        if line.is_blank() {
            return vec![Vec::new()];
        }
        match line.spans.first().map(|span| span.column) {
            Some(Column::Tool) => self.call(line),
            Some(Column::Object) => self.text(line, TEXT_AT + self.tool_width()),
            Some(Column::Outcome) => self.text(line, self.outcome_at()),
            Some(Column::Flow | Column::Label) | None => match line.mark {
                Mark::Program => self.text(line, 5),
                _ => self.text(line, TEXT_AT),
            },
        }
    }

    fn painted(&self, row: &[Piece]) -> String {
        row.iter().map(|(text, role)| self.paint.painted(text, *role)).collect::<String>()
    }

    /// Returns the cells before the text of a row.
    fn lead(&self, mark: Mark, at: usize, is_first: bool) -> Vec<Piece> {
        let glyph = if self.paint.unicode { mark.glyph() } else { mark.ascii() };
        match mark {
            Mark::Nothing => vec![(" ".repeat(at), Role::Text)],
            Mark::Program => {
                vec![(format!("   {glyph}"), Role::Quiet), (" ".repeat(at.saturating_sub(4)), Role::Text)]
            }
            // The bar precedes each row, so that no row can be mistaken for one of Provost.
            Mark::Model => vec![
                (glyph.to_owned(), mark.role()),
                (" ".repeat(at.saturating_sub(width(glyph))), Role::Text),
            ],
            _ if is_first => {
                let space = at.saturating_sub(width(glyph));
                vec![(glyph.to_owned(), mark.role()), (" ".repeat(space), Role::Text)]
            }
            _ => vec![(" ".repeat(at), Role::Text)],
        }
    }

    fn text(&self, line: &Line, at: usize) -> Vec<Vec<Piece>> {
        let edge = match line.mark {
            _ if line.wide => self.columns().saturating_sub(1),
            Mark::Model | Mark::Person => self.edge().min(PROSE_MAX),
            Mark::Program => self.columns().saturating_sub(1),
            _ => self.edge(),
        };
        let spans: Vec<Piece> = line.spans.iter().map(|span| (span.text.clone(), span.role)).collect();
        let at = if line.gutter > 0 { 0 } else { at };
        let room = edge.saturating_sub(at);
        let (rail, rail_rest) = (railed(&line.rail, room), railed(&line.rail_rest, room));
        let room = room.saturating_sub(taken(&rail).max(taken(&rail_rest)));
        // Deeply indented text still has half of the width.
        let hang = (line.gutter + line.hang).min(room / 2);
        let mut rows = match line.overflow {
            Overflow::Wrap => wrap::wrap(&spans, room, room.saturating_sub(hang)),
            Overflow::Cut => vec![cut_spans(&spans, room, self.paint.ellipsis())],
        };
        for (index, row) in rows.iter_mut().enumerate() {
            let mut whole = self.lead(line.mark, at, index == 0);
            whole.extend_from_slice(if index == 0 { &rail } else { &rail_rest });
            if index > 0 {
                whole.push((" ".repeat(hang), Role::Text));
            }
            whole.append(row);
            *row = whole;
        }
        self.with_right(rows, line, edge)
    }

    /// Places the note at the right edge: on the first row if it fits, else on its own row.
    fn with_right(&self, mut rows: Vec<Vec<Piece>>, line: &Line, edge: usize) -> Vec<Vec<Piece>> {
        let right: Vec<Piece> = line.right.iter().map(|span| (span.text.clone(), span.role)).collect();
        let cells = taken(&right);
        if cells == 0 {
            return rows;
        }
        let Some(first) = rows.first_mut() else { return vec![right] };
        let free = edge.saturating_sub(taken(first));
        if free > cells {
            first.push((" ".repeat(free - cells), Role::Text));
            first.extend(right);
        } else {
            let indent = edge.saturating_sub(cells);
            rows.push([vec![(" ".repeat(indent), Role::Text)], right].concat());
        }
        rows
    }

    /// Lays out a call: tool, object, verdict and duration in their columns.
    fn call(&mut self, line: &Line) -> Vec<Vec<Piece>> {
        let of = |column: Column| {
            let mut now = Column::Flow;
            let spans = line.spans.iter().filter(|span| {
                now = if span.column == Column::Flow { now } else { span.column };
                now == column
            });
            spans.map(|span| (span.text.clone(), span.role)).collect::<Vec<Piece>>()
        };
        let (tool, object, outcome) = (of(Column::Tool), of(Column::Object), of(Column::Outcome));
        let sign = self.paint.ellipsis();
        let tool = cut_spans(&tool, TOOL_MAX, sign);
        self.tool = self.tool_width().max(taken(&tool) + 1);
        let (object_at, outcome_at, edge) = (TEXT_AT + self.tool, self.outcome_at(), self.edge());
        let right = taken_right(line);
        let mut row = self.lead(line.mark, TEXT_AT, true);
        row.extend(tool);
        pad(&mut row, object_at);
        let beside = taken(&object) < outcome_at.saturating_sub(object_at)
            && outcome_at + taken(&outcome) + if right > 0 { right + 1 } else { 0 } <= edge;
        if beside {
            row.extend(object);
            if !outcome.is_empty() {
                pad(&mut row, outcome_at);
                row.extend(outcome);
            }
            return self.with_right(vec![row], line, edge);
        }
        row.extend(cut_spans(&object, edge.saturating_sub(object_at), sign));
        let below =
            wrap::wrap(&outcome, edge.saturating_sub(object_at + right + 1), edge.saturating_sub(object_at));
        let indent = || vec![(" ".repeat(object_at), Role::Text)];
        let below = below.into_iter().map(|row| [indent(), row].concat()).collect();
        [vec![row], self.with_right(below, line, edge)].concat()
    }
}

/// Returns the prefix of a text, which leaves a third of the width for it.
fn railed(rail: &[Span], room: usize) -> Vec<Piece> {
    let pieces: Vec<Piece> = rail.iter().map(|span| (span.text.clone(), span.role)).collect();
    cut_spans(&pieces, room * 2 / 3, "")
}

fn taken_right(line: &Line) -> usize {
    line.right.iter().map(|span| width(&span.text)).sum()
}

fn taken(row: &[Piece]) -> usize {
    row.iter().map(|(text, _)| width(text)).sum()
}

fn pad(row: &mut Vec<Piece>, to: usize) {
    let space = to.saturating_sub(taken(row));
    row.push((" ".repeat(space), Role::Text));
}

fn cut_spans(spans: &[Piece], room: usize, sign: &str) -> Vec<Piece> {
    if taken(spans) <= room {
        return spans.to_vec();
    }
    let (mut left, mut row) = (room, Vec::new());
    for (text, role) in spans {
        let fits = width(text) < left;
        row.push((if fits { text.clone() } else { cut(&format!("{text} "), left, sign) }, *role));
        if !fits {
            break;
        }
        left -= width(text);
    }
    row
}

/// Replaces Provost's own non-ASCII characters. Text of models and programs is unchanged.
fn ascii(line: &Line) -> Line {
    let mut line = line.clone();
    for span in line.rail.iter_mut().chain(&mut line.rail_rest) {
        span.text = ascii_text(&span.text);
    }
    let is_own = |span: &Span| span.role == Role::Quiet && span.text.contains('─');
    let is_said = matches!(line.mark, Mark::Model | Mark::Program);
    let spans = line.spans.iter_mut().filter(|span| !is_said || is_own(span));
    spans.chain(&mut line.right).for_each(|span| span.text = ascii_text(&span.text));
    line
}

/// Converts a text of Provost to ASCII.
pub(super) fn ascii_text(text: &str) -> String {
    text.replace(['“', '”'], "\"")
        .replace(['‘', '’'], "'")
        .replace('…', "...")
        .replace('›', ">")
        .replace('×', "x")
        .replace('•', "*")
        .replace('╎', ":")
        .replace('─', "-")
}
