//! The text of people and the model, each with its own mark.

use super::markdown;
use crate::text::{Line, Mark, Role, Shown, Span};

/// Returns the lines of a person's request.
pub(crate) fn prompt(text: &str) -> Vec<Line> {
    said(Mark::Person, "asked", text.trim(), Role::Strong)
}

/// Returns the model's text: unchanged for the plain writer, formatted for the styled one.
pub(crate) fn words(text: &str) -> Vec<Line> {
    let text = text.trim();
    let mut written = source(text);
    written.iter_mut().for_each(|line| line.shown = Shown::Plain);
    let mut lines = rendered(text);
    if lines.len() > 1 {
        lines.insert(0, Line::blank());
        lines.push(Line::blank());
    }
    written.append(&mut lines);
    written
}

/// Returns the text of a response that still streams: its last block may be incomplete, and is shown
/// unformatted.
pub(crate) fn words_so_far(text: &str) -> Vec<Line> {
    let text = text.trim();
    let (whole, open) = text.split_at_checked(markdown::last_block(text)).unwrap_or(("", text));
    let mut lines = rendered(whole);
    if !lines.is_empty() {
        lines.push(Line::new(Mark::Model, "model", Vec::new()));
    }
    lines.extend(source(open));
    lines
}

fn rendered(text: &str) -> Vec<Line> {
    let mut lines = markdown::lines(text);
    for line in lines.iter_mut().filter(|line| line.shown == Shown::Always) {
        line.shown = Shown::Styled;
    }
    lines
}

/// Returns a text as it was written.
fn source(text: &str) -> Vec<Line> {
    said(Mark::Model, "model", text, Role::Text)
}

/// Returns a text with a mark before each of its lines.
fn said(mark: Mark, subject: &str, text: &str, role: Role) -> Vec<Line> {
    let line = |text: &str| {
        let mut line = Line::new(mark, subject, vec![Span::new(text, role)]);
        line.hang = text.len() - text.trim_start_matches(' ').len();
        line
    };
    let mut lines: Vec<Line> = text.trim_end().lines().map(|line| line.trim_end()).map(line).collect();
    if mark == Mark::Person {
        // Further lines of a person's text are indented below the first.
        lines.iter_mut().skip(1).for_each(|line| line.mark = Mark::Nothing);
        lines.push(Line::blank());
    }
    lines
}
