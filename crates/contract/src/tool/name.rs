//! The canonical name of a tool.

use std::fmt;
use std::str::FromStr;

use crate::{ContractError, Result};

const CODE: &str = "invalid_tool_name";

/// `namespace/name`: two slugs of lower-case letters, digits, `_` and `-`, each starting with a letter.
///
/// Policies, budgets, audits and transcripts know a tool by this name and no other.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ToolName(String);

impl ToolName {
    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The part before the slash.
    pub fn namespace(&self) -> &str {
        namespace_of(&self.0).unwrap_or_default()
    }
}

impl FromStr for ToolName {
    type Err = ContractError;

    fn from_str(text: &str) -> Result<Self> {
        let is_name = text.split_once('/').is_some_and(|(left, right)| is_slug(left) && is_slug(right));
        if !is_name {
            let expected = "must be namespace/name in lower-case letters, digits, `_` and `-`";
            return Err(ContractError::field(CODE, "name", expected));
        }
        Ok(Self(text.to_owned()))
    }
}

impl fmt::Display for ToolName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// The part of any name before its first slash, when it has one.
pub(super) fn namespace_of(name: &str) -> Option<&str> {
    name.split_once('/').map(|(namespace, _)| namespace)
}

/// Whether the text starts with a lower-case letter and goes on with those, digits, `_` and `-`.
pub(super) fn is_slug(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_lowercase())
        && text.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'_' | b'-'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_two_slugs() {
        let name: ToolName = "knowledge-base/find_all".parse().unwrap();
        assert_eq!((name.as_str(), name.namespace()), ("knowledge-base/find_all", "knowledge-base"));
        for bad in ["find", "kb/", "/find", "kb/Find", "kb/a/b", "kb/2fast", "kb find/x", ""] {
            assert_eq!(bad.parse::<ToolName>().unwrap_err().code(), "invalid_tool_name", "{bad}");
        }
    }
}
