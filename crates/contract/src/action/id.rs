//! The id a model gives an action: stable, readable, and safe in references.

use std::borrow::Borrow;
use std::fmt;

use serde::Serialize;

use super::CODE;
use crate::{ContractError, Result};

/// A letter or digit, then letters, digits, `_`, `-` and `.`, of any script.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct ActionId(String);

impl ActionId {
    /// How many characters an id may have.
    pub const CHARS_MAX: usize = 128;

    /// Reads an id; space around it is dropped.
    pub fn parse(text: &str) -> Result<Self> {
        let id = text.trim();
        let mut characters = id.chars();
        let starts_well = characters.next().is_some_and(char::is_alphanumeric);
        let goes_on_well = characters.all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.'));
        if starts_well && goes_on_well && id.chars().count() <= Self::CHARS_MAX {
            return Ok(Self(id.to_owned()));
        }
        Err(ContractError::field(
            CODE,
            "id",
            "must have 1 to 128 characters: a letter or digit, then letters, digits, _ - or .",
        ))
    }

    /// The id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ActionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Borrow<str> for ActionId {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl AsRef<str> for ActionId {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_letters_and_digits_of_any_script_with_a_few_marks_inside() {
        for good in ["a", "0", "read.file-2_b", "检查代码", " padded "] {
            assert!(ActionId::parse(good).is_ok(), "{good}");
        }
        for bad in ["", " ", "_a", ".a", "-a", "a b", "a/b", "a:b"] {
            assert_eq!(ActionId::parse(bad).unwrap_err().code(), "invalid_schema", "{bad}");
        }
    }

    #[test]
    fn the_length_counts_characters_not_bytes() {
        assert!(ActionId::parse(&"é".repeat(128)).is_ok());
        assert!(ActionId::parse(&"e".repeat(129)).is_err());
    }
}
