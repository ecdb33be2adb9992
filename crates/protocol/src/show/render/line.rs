//! Untrusted text inside one line.

use super::turn_tags::neutral;

/// Returns the text on one line: runs of white space and control characters become one space.
pub(crate) fn one_line(text: &str) -> String {
    let clean: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let line = clean.split_whitespace().collect::<Vec<_>>().join(" ");
    neutral(&line).into_owned()
}

/// Returns the text as inline code; backticks would end the span, so they become quotes.
pub(crate) fn code_span(text: &str) -> String {
    format!("`{}`", one_line(text).replace('`', "'"))
}
