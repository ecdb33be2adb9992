//! What hooks, providers and checkers answered.
//!
//! A hook that fails, is late or answers nonsense has not allowed anything: every policy here turns a
//! [`HookFailure`] into a denial.

use serde_json::Value;

use crate::Verdict;

/// An opinion, no opinion, or a failure.
pub type HookAnswer<T> = Result<Option<T>, HookFailure>;

/// Why a hook gave no usable answer. The text of its error is not kept: it may hold secrets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HookFailure {
    #[error("it failed")]
    Failed,
    #[error("it did not answer in time")]
    TimedOut,
    #[error("its answer means nothing")]
    Nonsense,
}

impl Verdict {
    /// Reads a checker's answer: a boolean, or null for no opinion.
    pub fn from_hook(answer: &Value) -> HookAnswer<Self> {
        match answer {
            Value::Null => Ok(None),
            Value::Bool(true) => Ok(Some(Self::Allow)),
            Value::Bool(false) => Ok(Some(Self::Deny)),
            Value::Number(_) | Value::String(_) | Value::Array(_) | Value::Object(_) => {
                Err(HookFailure::Nonsense)
            }
        }
    }
}
