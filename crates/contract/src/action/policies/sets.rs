//! Policies that are a set of words: what is allowed shrinks, what is required grows.

use std::collections::BTreeSet;
use std::str::FromStr;

use serde::Serialize;
use serde_json::{Value, json};
use strum::VariantArray;

use super::CODE;
use super::rule::Policy;
use crate::{ContractError, Result, json as read};

/// All that is allowed; of two sets only what both allow remains.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Allowed<T: Ord>(pub BTreeSet<T>);

/// All that is required; of two sets everything either requires.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Required<T: Ord>(pub BTreeSet<T>);

impl<T: Ord + Copy + VariantArray> Allowed<T> {
    /// Every word of the vocabulary.
    pub fn all() -> Self {
        Self(T::VARIANTS.iter().copied().collect())
    }
}

impl<T: Ord> Allowed<T> {
    /// Whether something is allowed.
    pub fn allows(&self, word: &T) -> bool {
        self.0.contains(word)
    }
}

impl<T: Ord> Default for Required<T> {
    fn default() -> Self {
        Self(BTreeSet::new())
    }
}

impl<T: Ord> Required<T> {
    /// Whether something is required.
    pub fn requires(&self, word: &T) -> bool {
        self.0.contains(word)
    }
}

impl<T> Policy for Allowed<T>
where
    T: Ord + Copy + Serialize + FromStr + VariantArray + Into<&'static str>,
{
    fn read(field: &str, value: &Value) -> Result<Self> {
        word_set(field, value).map(Self)
    }

    fn wire(&self) -> Value {
        json!(self.0)
    }

    fn strictest(self, other: Self) -> Self {
        Self(self.0.intersection(&other.0).copied().collect())
    }
}

impl<T> Policy for Required<T>
where
    T: Ord + Copy + Serialize + FromStr + VariantArray + Into<&'static str>,
{
    fn read(field: &str, value: &Value) -> Result<Self> {
        word_set(field, value).map(Self)
    }

    fn wire(&self) -> Value {
        json!(self.0)
    }

    fn strictest(self, other: Self) -> Self {
        Self(self.0.union(&other.0).copied().collect())
    }
}

/// Reads a list of words of one vocabulary; a word outside it is refused with its place.
pub(super) fn word_set<T>(field: &str, value: &Value) -> Result<BTreeSet<T>>
where
    T: Ord + Copy + FromStr + VariantArray + Into<&'static str>,
{
    let Some(words) = value.as_array() else {
        return Err(ContractError::field(CODE, field, "must be a list of words"));
    };
    let word = |(index, word)| read::word(CODE, &format!("{field}.{index}"), word);
    words.iter().enumerate().map(word).collect()
}
