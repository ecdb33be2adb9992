//! `repeat`: a bounded loop over one action.

use serde_json::{Value, json};

use super::CODE;
use crate::json::{self as read, Object};
use crate::{ContractError, Result};

/// When to stop before the last round: a field of the action's structured output has a value.
#[derive(Clone, Debug, PartialEq)]
pub struct Until {
    /// A JSON pointer into the structured output.
    pub field: String,
    /// The scalar it must equal.
    pub equals: Value,
}

/// How often an action is done; each round is an attempt of its own.
#[derive(Clone, Debug, PartialEq)]
pub struct Repeat {
    /// At least one, at most [`Repeat::ROUNDS_MAX`].
    max: u32,
    /// When to stop earlier.
    pub until: Option<Until>,
}

impl Repeat {
    /// How many rounds a declaration may ask for.
    pub const ROUNDS_MAX: u32 = 20;

    /// The most rounds.
    pub fn max(&self) -> u32 {
        self.max
    }

    /// Reads `{max, until?: {field, equals}}`.
    pub fn parse(value: &Value) -> Result<Self> {
        let Some(raw) = value.as_object() else {
            return Err(ContractError::field(CODE, "repeat", "must be {max, until?}"));
        };
        read::only_keys(CODE, "repeat", raw, &["max", "until"])?;
        let rounds = raw.get("max").and_then(Value::as_u64).and_then(|max| u32::try_from(max).ok());
        let Some(max) = rounds.filter(|max| (1..=Self::ROUNDS_MAX).contains(max)) else {
            let reason = format!("must be an integer from 1 to {}", Self::ROUNDS_MAX);
            return Err(ContractError::field(CODE, "repeat.max", &reason));
        };
        let until = match read::present(raw, "until") {
            None => None,
            Some(Value::Object(until)) => Some(Until::parse(until)?),
            Some(_) => return Err(ContractError::field(CODE, "repeat.until", "must be {field, equals}")),
        };
        Ok(Self { max, until })
    }

    /// The wire form `{max, until?}`.
    pub fn to_value(&self) -> Value {
        match &self.until {
            None => json!({ "max": self.max }),
            Some(until) => {
                json!({ "max": self.max, "until": { "field": until.field, "equals": until.equals } })
            }
        }
    }
}

impl Until {
    fn parse(raw: &Object) -> Result<Self> {
        read::only_keys(CODE, "repeat.until", raw, &["field", "equals"])?;
        let pointer = read::text(raw, "field").filter(|field| field.is_empty() || field.starts_with('/'));
        let Some(field) = pointer else {
            return Err(ContractError::field(
                CODE,
                "repeat.until.field",
                "must be a JSON pointer such as /done",
            ));
        };
        match raw.get("equals") {
            Some(equals) if !read::is_container(equals) => {
                Ok(Self { field: field.to_owned(), equals: equals.clone() })
            }
            Some(_) | None => Err(ContractError::field(
                CODE,
                "repeat.until.equals",
                "must be a text, number, true, false or null",
            )),
        }
    }

    /// Whether an output says to stop.
    pub fn holds_for(&self, output: &Value) -> bool {
        output.pointer(&self.field) == Some(&self.equals)
    }
}

impl serde::Serialize for Repeat {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        self.to_value().serialize(serializer)
    }
}

impl<'de> serde::Deserialize<'de> for Repeat {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        let value = Value::deserialize(deserializer)?;
        Self::parse(&value).map_err(serde::de::Error::custom)
    }
}
