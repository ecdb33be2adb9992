//! What doing an action changes outside, and whether it may be done twice.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use strum::{EnumString, IntoStaticStr, VariantArray};

use super::CODE;
use crate::{ContractError, Result, json};

/// One kind of change an executor may make, from harmless to grave.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    EnumString,
    IntoStaticStr,
    VariantArray,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum SideEffect {
    /// Touches nothing.
    None,
    /// Reads what exists.
    Read,
    /// Changes data.
    Write,
    /// Sends something to somebody.
    Send,
    /// Removes data.
    Delete,
    /// Spends money.
    Purchase,
    /// Makes something public.
    Publish,
    /// Runs code or commands, hence possibly all of the above.
    Execute,
}

/// What an executor declares of its effects. Silence means unknown, and unknown is never harmless.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Option<Vec<SideEffect>>", into = "Option<Vec<SideEffect>>")]
pub enum SideEffects {
    /// Nobody said.
    #[default]
    Unknown,
    /// All that it may do.
    Declared(Vec<SideEffect>),
}

impl SideEffects {
    /// Reads a list of words; null and an empty list mean unknown.
    pub fn parse(value: &Value) -> Result<Self> {
        let words = match value {
            Value::Null => return Ok(Self::Unknown),
            Value::Array(words) => words,
            Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Object(_) => {
                return Err(ContractError::field(CODE, "side_effects", "must be a list of words"));
            }
        };
        let effects: Result<Vec<SideEffect>> =
            words.iter().map(|value| json::word(CODE, "side_effects", value)).collect();
        Ok(effects?.into_iter().collect())
    }

    /// Whether the declared effects are none or read, and nothing else.
    pub fn are_harmless(&self) -> bool {
        match self {
            Self::Unknown => false,
            Self::Declared(effects) => effects.iter().all(|effect| *effect <= SideEffect::Read),
        }
    }

    /// The wire form: a list, or null when unknown.
    pub fn to_value(&self) -> Value {
        match self {
            Self::Unknown => Value::Null,
            Self::Declared(effects) => serde_json::json!(effects),
        }
    }
}

impl From<Option<Vec<SideEffect>>> for SideEffects {
    fn from(effects: Option<Vec<SideEffect>>) -> Self {
        effects.into_iter().flatten().collect()
    }
}

impl From<SideEffects> for Option<Vec<SideEffect>> {
    fn from(effects: SideEffects) -> Self {
        match effects {
            SideEffects::Unknown => None,
            SideEffects::Declared(effects) => Some(effects),
        }
    }
}

impl FromIterator<SideEffect> for SideEffects {
    fn from_iter<I: IntoIterator<Item = SideEffect>>(effects: I) -> Self {
        let effects: Vec<SideEffect> = effects.into_iter().collect();
        if effects.is_empty() { Self::Unknown } else { Self::Declared(effects) }
    }
}

/// Whether an action may be done again under the same key, from safest to gravest.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    EnumString,
    IntoStaticStr,
    VariantArray,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Idempotency {
    /// Doing it again changes nothing.
    Pure,
    /// Doing it again under the same key changes nothing.
    Keyed,
    /// Nothing of it is seen until its changes are applied as a whole; before that it can be discarded.
    Transactional,
    /// Doing it again does it twice.
    #[default]
    None,
}

impl Idempotency {
    /// Whether a second attempt under the same key is safe.
    pub fn may_repeat(self) -> bool {
        match self {
            Self::Pure | Self::Keyed | Self::Transactional => true,
            Self::None => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_declared_none_and_read_are_harmless() {
        for (effects, harmless) in [
            (json!(["none"]), true),
            (json!(["read", "none"]), true),
            (json!(["read", "send"]), false),
            (json!([]), false),
            (Value::Null, false),
        ] {
            assert_eq!(SideEffects::parse(&effects).unwrap().are_harmless(), harmless, "{effects}");
        }
    }

    #[test]
    fn an_unknown_word_is_refused_with_the_list() {
        let error = SideEffects::parse(&json!(["teleport"])).unwrap_err();
        assert!(error.message().contains("none, read, write"), "{error}");
    }
}
