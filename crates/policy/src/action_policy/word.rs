//! The three answers.

use serde_json::{Value, json};
use strum::{EnumString, IntoStaticStr};

use crate::hook::{HookAnswer, HookFailure};

/// How a tool may execute. The order is the severity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, EnumString, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum ActionPolicy {
    /// At once.
    Direct,
    /// Only after somebody approved it.
    Preview,
    /// Not at all.
    Forbidden,
}

impl ActionPolicy {
    /// The word that people read and write: `allow`, `ask` or `deny`.
    pub fn spoken(self) -> &'static str {
        match self {
            Self::Direct => "allow",
            Self::Preview => "ask",
            Self::Forbidden => "deny",
        }
    }

    /// Reads a word, trimmed and in any case; anything else means nothing.
    pub fn parse(value: &Value) -> Option<Self> {
        value.as_str()?.trim().to_ascii_lowercase().parse().ok()
    }

    /// Reads a word of a configuration file, where `allow`, `ask` and `deny` mean the same as the three.
    pub fn from_config(word: &str) -> Option<Self> {
        match word.trim().to_ascii_lowercase().as_str() {
            "allow" => Some(Self::Direct),
            "ask" => Some(Self::Preview),
            "deny" => Some(Self::Forbidden),
            word => word.parse().ok(),
        }
    }

    /// Reads what a hook answered: one of the three words, or null for no opinion.
    pub fn from_hook(answer: &Value) -> HookAnswer<Self> {
        match (answer, Self::parse(answer)) {
            (Value::Null, _) => Ok(None),
            (_, Some(policy)) => Ok(Some(policy)),
            (_, None) => Err(HookFailure::Nonsense),
        }
    }

    /// The wire word.
    pub fn word(self) -> &'static str {
        self.into()
    }

    /// What a raw value means, as the flags callers ask for; an invalid one means nothing.
    pub fn classify(value: &Value) -> Value {
        let policy = Self::parse(value);
        json!({
            "valid": policy.is_some(),
            "allows_direct": policy == Some(Self::Direct),
            "stages_approval": policy == Some(Self::Preview),
            "refuses": policy == Some(Self::Forbidden),
        })
    }
}
