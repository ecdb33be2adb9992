//! Foreign text inside one line of ours.

use super::turn_tags::neutral;

/// The text on one line: runs of white space and control characters become one space.
pub(crate) fn one_line(text: &str) -> String {
    let clean: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let line = clean.split_whitespace().collect::<Vec<_>>().join(" ");
    neutral(&line).into_owned()
}

/// The text as inline code; backticks in it would end the span and become quotes.
pub(crate) fn code_span(text: &str) -> String {
    format!("`{}`", one_line(text).replace('`', "'"))
}
