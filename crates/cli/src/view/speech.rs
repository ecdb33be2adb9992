//! The text of people and the model, each with its own mark.

use crate::text::{Line, Mark, Role, Span};

/// Returns the lines of a person's request.
pub(crate) fn prompt(text: &str) -> Vec<Line> {
    said(Mark::Person, "asked", text, Role::Strong)
}

/// Returns the lines of the model's text.
pub(crate) fn words(text: &str) -> Vec<Line> {
    let mut lines = said(Mark::Model, "model", text, Role::Text);
    if lines.len() > 1 {
        lines.insert(0, Line::blank());
        lines.push(Line::blank());
    }
    lines
}

/// Returns a text with a mark before each of its lines.
fn said(mark: Mark, subject: &str, text: &str, role: Role) -> Vec<Line> {
    let mut fenced = false;
    let line = |text: &str| {
        let is_fence = text.trim_start().starts_with("```");
        let spans = match mark {
            Mark::Model if is_fence || fenced => {
                vec![Span::new(text, if is_fence { Role::Quiet } else { role })]
            }
            Mark::Model => markdown(text),
            _ => vec![Span::new(text, role)],
        };
        fenced ^= is_fence;
        let hang = hang(text);
        let mut line = Line::new(mark, subject, spans);
        line.hang = hang;
        line
    };
    let mut lines: Vec<Line> = text.trim().lines().map(|line| line.trim_end()).map(line).collect();
    if mark == Mark::Person {
        // Further lines of a person's text are indented below the first.
        lines.iter_mut().skip(1).for_each(|line| line.mark = Mark::Nothing);
        lines.push(Line::blank());
    }
    lines
}

/// Formats headings and `**strong**` words without their signs.
fn markdown(text: &str) -> Vec<Span> {
    let bare = text.trim_start_matches('#');
    let marks = text.len() - bare.len();
    if (1..=6).contains(&marks) && bare.starts_with(' ') {
        return vec![Span::strong(bare.trim_start())];
    }
    let parts: Vec<&str> = text.split("**").collect();
    if parts.len() < 3 || parts.len().is_multiple_of(2) {
        return vec![Span::text(text)];
    }
    let span =
        |(index, part): (usize, &&str)| if index % 2 == 1 { Span::strong(part) } else { Span::text(part) };
    parts.iter().enumerate().map(span).filter(|span| !span.text.is_empty()).collect()
}

/// Returns the indentation of wrapped lines: that of the list text, or of the line.
fn hang(text: &str) -> usize {
    let bare = text.trim_start_matches(' ');
    let indent = text.len() - bare.len();
    let digits = bare.len() - bare.trim_start_matches(|letter: char| letter.is_ascii_digit()).len();
    let is_bullet = ["- ", "* ", "• "].iter().any(|sign| bare.starts_with(sign));
    let is_number = digits > 0 && bare.get(digits..).is_some_and(|rest| rest.starts_with(". "));
    indent
        + if is_bullet {
            2
        } else if is_number {
            digits + 2
        } else {
            0
        }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_hang_under_their_text() {
        assert_eq!((hang("- one"), hang("  12. one"), hang("    code"), hang("one")), (2, 6, 4, 0));
    }

    #[test]
    fn strong_words_lose_their_signs() {
        assert_eq!(markdown("a **b** c"), [Span::text("a "), Span::strong("b"), Span::text(" c")]);
        assert_eq!(markdown("## Summary"), [Span::strong("Summary")]);
        assert_eq!(markdown("2 ** 3"), [Span::text("2 ** 3")]);
    }
}
