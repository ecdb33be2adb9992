//! The text of a `$ref`: a reference, and the part of its value that is meant.

use std::fmt;

use serde_json::Value;

use super::{ActionPart, CODE, Reference};
use crate::{ContractError, Result};

const ITEM: &str = "item";

/// What a `$ref` names.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum InputSource {
    /// `item`: the current item of the action's own `for_each`.
    Item,
    /// A result, a text or a record.
    Reference(Reference),
}

impl InputSource {
    /// Whether the value is always a text, so that it is no list and has no parts.
    pub fn is_text(&self) -> bool {
        match self {
            Self::Reference(Reference::Section(_) | Reference::UserGoal) => true,
            Self::Reference(Reference::Action { part, .. }) => *part == ActionPart::Summary,
            Self::Item
            | Self::Reference(
                Reference::Runtime(_) | Reference::Artifact(_) | Reference::StoredArtifact(_),
            ) => false,
        }
    }
}

impl fmt::Display for InputSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Item => f.write_str(ITEM),
            Self::Reference(reference) => reference.fmt(f),
        }
    }
}

/// A reference with an optional JSON pointer: `action:look.output#/files/0`. `Display` returns the text it
/// was parsed from.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct InputRef {
    /// What is named.
    pub reference: InputSource,
    /// Empty, or a text that starts with `/`.
    pointer: Option<String>,
}

impl InputRef {
    /// Parses `<reference>[#<JSON pointer>]`.
    ///
    /// # Errors
    /// `invalid_schema` for a bad pointer, `unresolved_reference` for an unknown reference.
    pub fn parse(text: &str) -> Result<Self> {
        let (name, pointer) = split(text);
        if let Some(pointer) = pointer.filter(|pointer| !is_pointer(pointer)) {
            let reason =
                format!("{pointer:?} in {text:?} is no JSON pointer; write #/<key> or #/<index> behind it");
            return Err(ContractError::whole(CODE, &reason));
        }
        let reference = match name {
            ITEM => InputSource::Item,
            name => InputSource::Reference(Reference::parse(name)?),
        };
        Ok(Self { reference, pointer: pointer.map(str::to_owned) })
    }

    /// The JSON pointer into the value; none means the whole value.
    pub fn pointer(&self) -> Option<&str> {
        self.pointer.as_deref()
    }

    /// Returns the part of `value` that is meant, if it exists.
    pub fn select<'v>(&self, value: &'v Value) -> Option<&'v Value> {
        self.pointer().map_or(Some(value), |pointer| value.pointer(pointer))
    }
}

impl fmt::Display for InputRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.reference.fmt(f)?;
        self.pointer().map_or(Ok(()), |pointer| write!(f, "#{pointer}"))
    }
}

/// Splits a text at the `#`. The name of a section may contain one, so only `#/` ends it.
fn split(text: &str) -> (&str, Option<&str>) {
    let at = if text.starts_with("md:") { text.find("#/") } else { text.find('#') };
    match at.and_then(|at| text.split_at_checked(at)) {
        Some((name, rest)) => (name, rest.strip_prefix('#')),
        None => (text, None),
    }
}

/// Whether a text is a JSON pointer (RFC 6901).
fn is_pointer(text: &str) -> bool {
    let escapes = text.split('~').skip(1).all(|rest| rest.starts_with(['0', '1']));
    escapes && (text.is_empty() || text.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_reference_reads_and_writes_the_same_text() {
        for (text, pointer) in [
            ("item", None),
            ("item#/name", Some("/name")),
            ("action:look.output", None),
            ("action:look.v2.output#/files/0/a~1b", Some("/files/0/a~1b")),
            ("action:look.summary", None),
            ("action:look.output#", Some("")),
            ("action:look.output#/a#/b", Some("/a#/b")),
            ("artifact:look#/a", Some("/a")),
            ("input:user.goal", None),
            ("md:c# style", None),
            ("md:c##/a", Some("/a")),
            ("runtime://runs/r7/actions/look/output#/a", Some("/a")),
            ("artifact://r7/look", None),
        ] {
            let parsed = InputRef::parse(text).unwrap();
            assert_eq!((parsed.to_string().as_str(), parsed.pointer()), (text, pointer));
        }
    }

    #[test]
    fn a_bad_pointer_is_not_an_unknown_reference() {
        for (text, code) in [
            ("item#a", "invalid_schema"),
            ("action:look.output#a/b", "invalid_schema"),
            ("action:look.output#/a~2", "invalid_schema"),
            ("action:look.output#/a~", "invalid_schema"),
            ("", "unresolved_reference"),
            ("items", "unresolved_reference"),
            ("item.name", "unresolved_reference"),
            ("action:look", "unresolved_reference"),
            ("file:a#/b", "unresolved_reference"),
        ] {
            assert_eq!(InputRef::parse(text).unwrap_err().code(), code, "{text:?}");
        }
    }

    #[test]
    fn a_pointer_selects_a_part() {
        let value = json!({ "a": [{ "b/c": 7 }] });
        let select = |text: &str| InputRef::parse(text).unwrap().select(&value).cloned();
        assert_eq!(select("item#/a/0/b~1c"), Some(json!(7)));
        assert_eq!(select("item#"), Some(value.clone()));
        assert_eq!(select("item#/a/1"), None);
    }
}
