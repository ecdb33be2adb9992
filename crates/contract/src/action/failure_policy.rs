//! What happens to the graph when an action fails.

use serde::Serialize;
use serde_json::{Value, json};
use strum::{EnumString, IntoStaticStr, VariantArray};

use super::CODE;
use crate::{ContractError, Result, json as read};

/// The choice after a failure.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, EnumString, IntoStaticStr, VariantArray,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum OnFailure {
    /// Try again, where trying again is safe.
    Retry,
    /// Start nothing more.
    Abort,
    /// Let dependents run all the same.
    Continue,
    /// Tell the model and let it decide.
    #[default]
    AskModel,
}

/// The choice and how often to try.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FailurePolicy {
    /// The choice after the last attempt.
    pub on_failure: OnFailure,
    /// At least one, at most [`FailurePolicy::ATTEMPTS_MAX`].
    max_attempts: u32,
}

impl Default for FailurePolicy {
    fn default() -> Self {
        OnFailure::default().into()
    }
}

impl From<OnFailure> for FailurePolicy {
    fn from(on_failure: OnFailure) -> Self {
        let max_attempts = match on_failure {
            OnFailure::Retry => 2,
            OnFailure::Abort | OnFailure::Continue | OnFailure::AskModel => 1,
        };
        Self { on_failure, max_attempts }
    }
}

impl FailurePolicy {
    /// How often a declaration may ask to try.
    pub const ATTEMPTS_MAX: u32 = 10;

    /// How often to try.
    pub fn max_attempts(self) -> u32 {
        self.max_attempts
    }

    /// Reads a word, or `{on_failure, max_attempts}`.
    pub fn parse(value: &Value) -> Result<Self> {
        let raw = match value {
            Value::String(_) => return Ok(on_failure("failure_policy", value)?.into()),
            Value::Object(raw) => raw,
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) => {
                return Err(ContractError::field(CODE, "failure_policy", "must be an object or a word"));
            }
        };
        read::only_keys(CODE, "failure_policy", raw, &["on_failure", "max_attempts"])?;
        let mut policy: Self = match read::present(raw, "on_failure") {
            None => Self::default(),
            Some(word) => on_failure("failure_policy.on_failure", word)?.into(),
        };
        if let Some(attempts) = read::present(raw, "max_attempts") {
            let allowed = 1..=u64::from(Self::ATTEMPTS_MAX);
            let Some(attempts) = attempts.as_u64().filter(|attempts| allowed.contains(attempts)) else {
                let reason = format!("must be an integer from 1 to {}", Self::ATTEMPTS_MAX);
                return Err(ContractError::field(CODE, "failure_policy.max_attempts", &reason));
            };
            policy.max_attempts = u32::try_from(attempts).unwrap_or(Self::ATTEMPTS_MAX);
        }
        Ok(policy)
    }

    /// The wire form `{on_failure, max_attempts}`.
    pub fn to_value(self) -> Value {
        json!({ "on_failure": self.on_failure, "max_attempts": self.max_attempts })
    }
}

/// `ask-model` is a common spelling of `ask_model` and means nothing else.
fn on_failure(field: &str, value: &Value) -> Result<OnFailure> {
    match value.as_str() {
        Some("ask-model") => Ok(OnFailure::AskModel),
        Some(_) | None => read::word(CODE, field, value),
    }
}

impl serde::Serialize for FailurePolicy {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        self.to_value().serialize(serializer)
    }
}

impl<'de> serde::Deserialize<'de> for FailurePolicy {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        let value = Value::deserialize(deserializer)?;
        Self::parse(&value).map_err(serde::de::Error::custom)
    }
}
