//! One line: a mark, the text, and a note at the right edge.

use super::{Mark, escaped};

/// The meaning of a piece of text, which determines its colour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Role {
    /// Ordinary text.
    #[default]
    Text,
    /// A name, or something that can be typed.
    Strong,
    /// Less important text.
    Quiet,
    /// Completed, allowed, added.
    Done,
    /// A person must answer.
    You,
    /// Failed, denied, removed.
    Bad,
    /// Running.
    Alive,
    /// The bar before the model's text, and nothing else.
    Model,
    /// Emphasised text of the model.
    Italic,
    /// The text of a link.
    Link,
}

/// Where a piece of text starts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Column {
    /// After the previous piece.
    #[default]
    Flow,
    /// The same; omitted by the plain writer, because the subject already contains it.
    Label,
    /// In the column of tools.
    Tool,
    /// In the column of what a call works on.
    Object,
    /// In the column of verdicts.
    Outcome,
}

/// A piece of text with one meaning, without control sequences.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Span {
    pub(crate) text: String,
    pub(crate) role: Role,
    pub(crate) column: Column,
}

impl Span {
    pub(crate) fn new(text: impl AsRef<str>, role: Role) -> Self {
        Self { text: escaped(text.as_ref()), role, column: Column::Flow }
    }

    pub(crate) fn text(text: impl AsRef<str>) -> Self {
        Self::new(text, Role::Text)
    }

    pub(crate) fn strong(text: impl AsRef<str>) -> Self {
        Self::new(text, Role::Strong)
    }

    pub(crate) fn quiet(text: impl AsRef<str>) -> Self {
        Self::new(text, Role::Quiet)
    }

    /// A piece that the subject of the line already contains.
    pub(crate) fn label(text: impl AsRef<str>, role: Role) -> Self {
        Self::new(text, role).at(Column::Label)
    }

    pub(crate) fn at(mut self, column: Column) -> Self {
        self.column = column;
        self
    }
}

/// How a line that is too long is handled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Overflow {
    /// It is wrapped.
    #[default]
    Wrap,
    /// It is truncated, with a sign.
    Cut,
}

/// Which writer writes a line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Shown {
    #[default]
    Always,
    /// Only the plain writer: a text as its author wrote it.
    Plain,
    /// Only the styled writer.
    Styled,
    /// The styled writer, if text of this many cells fits.
    From(usize),
    /// The styled writer, if it does not fit.
    Below(usize),
}

/// One line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Line {
    pub(crate) mark: Mark,
    /// The subject that starts the line in the plain writer: `call 8`, `model`, `turn 2`.
    pub(crate) subject: String,
    pub(crate) spans: Vec<Span>,
    pub(crate) right: Vec<Span>,
    pub(crate) overflow: Overflow,
    /// The width of the gutter at the left edge, which wrapped text does not enter.
    pub(crate) gutter: usize,
    /// The additional indentation of wrapped text.
    pub(crate) hang: usize,
    /// Whether it may use the whole width: a row of a table.
    pub(crate) wide: bool,
    /// The prefix of the first row, and of the rows below it.
    pub(crate) rail: Vec<Span>,
    pub(crate) rail_rest: Vec<Span>,
    pub(crate) shown: Shown,
}

impl Line {
    pub(crate) fn new(mark: Mark, subject: impl Into<String>, spans: Vec<Span>) -> Self {
        Self { mark, subject: subject.into(), spans, ..Self::default() }
    }

    /// Creates a line of Provost without a mark.
    pub(crate) fn note(subject: impl Into<String>, spans: Vec<Span>) -> Self {
        Self::new(Mark::Nothing, subject, spans)
    }

    /// Creates an empty line; the plain writer omits it.
    pub(crate) fn blank() -> Self {
        Self::default()
    }

    pub(crate) fn is_blank(&self) -> bool {
        self.mark == Mark::Nothing && self.spans.is_empty() && self.right.is_empty()
    }

    pub(crate) fn right(mut self, right: Vec<Span>) -> Self {
        self.right = right;
        self
    }

    pub(crate) fn overflow(mut self, overflow: Overflow) -> Self {
        self.overflow = overflow;
        self
    }

    /// Creates a row of a table.
    pub(crate) fn wide(mut self) -> Self {
        self.wide = true;
        self
    }

    pub(crate) fn gutter(mut self, cells: usize) -> Self {
        self.gutter = cells;
        self
    }
}
