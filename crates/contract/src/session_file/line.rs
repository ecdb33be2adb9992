//! Cutting a file into lines, each a JSON object.

use super::Reason;
use super::left_out::Tally;
use crate::json::{self, Object};
use crate::{ContractError, Result};

const CODE: &str = "invalid_session_line";
/// What a line counts as that shows no kind.
pub(super) const NO_KIND: &str = "(no kind)";

/// What becomes of lines that cannot be read, as a crash in the middle of a line leaves one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BrokenLines {
    /// The file is refused, with the number of the line.
    Refuse,
    /// They are left out and told.
    Skip,
}

/// One line that is an object.
pub(super) struct Line {
    /// From 1.
    pub(super) number: usize,
    pub(super) object: Object,
}

impl Line {
    pub(super) fn text(&self, key: &str) -> Option<&str> {
        json::non_empty_text(&self.object, key)
    }

    /// The kind the line says it is.
    pub(super) fn kind(&self) -> &str {
        self.text("type").unwrap_or(NO_KIND)
    }

    /// Refuses the line for what one of its fields is.
    pub(super) fn refused(&self, field: &str, expected: &str) -> ContractError {
        ContractError::field(CODE, format!("lines.{}.{field}", self.number), expected)
    }
}

/// The lines of a text; blank ones do not count.
pub(super) fn lines(text: &str, broken: BrokenLines, tally: &mut Tally) -> Result<Vec<Line>> {
    let mut lines = Vec::new();
    let numbered = text.lines().enumerate().map(|(place, line)| (place + 1, line));
    for (number, line) in numbered.filter(|(_, line)| !line.trim().is_empty()) {
        match object(number, line) {
            Ok(object) => lines.push(Line { number, object }),
            Err(error) => skip_or_refuse(broken, error, NO_KIND, number, tally)?,
        }
    }
    Ok(lines)
}

/// Tells of a line that cannot be read, or refuses it.
pub(super) fn skip_or_refuse(
    broken: BrokenLines,
    error: ContractError,
    kind: &str,
    number: usize,
    tally: &mut Tally,
) -> Result<()> {
    match broken {
        BrokenLines::Refuse => Err(error),
        BrokenLines::Skip => {
            tally.note(kind, Reason::Broken, number);
            Ok(())
        }
    }
}

/// The objects among the first lines, as far as they can be read.
pub(super) fn objects(text: &str) -> impl Iterator<Item = Object> + '_ {
    text.lines().filter_map(|line| object(0, line).ok())
}

fn object(number: usize, line: &str) -> Result<Object> {
    let refused = |why: &str| ContractError::field(CODE, format!("lines.{number}"), why);
    let value = json::parse_text(line.trim())
        .map_err(|error| refused(&format!("must be one JSON object: {}", error.message())))?;
    value.as_object().cloned().ok_or_else(|| refused("must be one JSON object"))
}
