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

    /// Makes an id `<word>_<name>` for an action nobody named, with `_<number>` from the second on. What
    /// an id cannot hold becomes `_`; a long name is cut.
    pub fn made(word: &'static str, name: &str, number: usize) -> Self {
        debug_assert!(word.starts_with(char::is_alphanumeric), "an id starts with a letter or digit");
        let suffix = if number > 1 { format!("_{number}") } else { String::new() };
        let room = Self::CHARS_MAX - suffix.chars().count();
        let plain = name.chars().map(|c| if c.is_alphanumeric() { c } else { '_' });
        let stem: String = word.chars().chain(std::iter::once('_')).chain(plain).take(room).collect();
        Self(stem + &suffix)
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
    fn a_made_id_is_an_id_whatever_the_name() {
        for name in ["fs_read", "release-notes", "", "a/b c", "名前", &"x".repeat(500)] {
            for number in [1, 2, usize::MAX] {
                let id = ActionId::made("recovered", name, number);
                assert_eq!(ActionId::parse(id.as_str()).unwrap(), id);
            }
        }
        assert_eq!(ActionId::made("recovered", "release-notes", 2).as_str(), "recovered_release_notes_2");
    }

    #[test]
    fn the_length_counts_characters_not_bytes() {
        assert!(ActionId::parse(&"é".repeat(128)).is_ok());
        assert!(ActionId::parse(&"e".repeat(129)).is_err());
    }
}
