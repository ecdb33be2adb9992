//! How long an answer spares the same question.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// How long the same rule need not ask about the same tool. Written as `true` for the run, as it always was,
/// or as a word.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Value", into = "Value")]
pub enum Remember {
    /// Not at all: the next call is asked about again.
    #[default]
    No,
    /// To the end of the run.
    Run,
    /// Also in later runs of the agent for the same principal in the same workspace, until it is forgotten.
    Always,
}

impl Remember {
    const ALWAYS: &str = "always";

    /// Whether the question is asked again.
    pub fn is_no(&self) -> bool {
        *self == Self::No
    }
}

impl From<Value> for Remember {
    /// What is neither of the two spares nothing.
    fn from(value: Value) -> Self {
        match value {
            Value::Bool(true) => Self::Run,
            Value::String(word) if word == Self::ALWAYS => Self::Always,
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Self::No,
            Value::Array(_) | Value::Object(_) => Self::No,
        }
    }
}

impl From<Remember> for Value {
    fn from(remember: Remember) -> Self {
        match remember {
            Remember::No => false.into(),
            Remember::Run => true.into(),
            Remember::Always => Remember::ALWAYS.into(),
        }
    }
}
