//! Who carries out calls.

use provost_contract::json::Object;
use provost_contract::tool::{RuntimeMetadata, ToolCall};
use serde_json::Value;

use crate::port::Boxed;

/// One call to carry out.
#[derive(Clone, Copy, Debug)]
pub struct ToolAction<'a> {
    /// The call, its parameters raw.
    pub call: &'a ToolCall,
    /// What the declaration says about where and how the tool runs.
    pub runtime: &'a RuntimeMetadata,
    /// The caller's context, with the turn and the id of the call.
    pub context: &'a Object,
    /// The same on every attempt, so that an executor can recognise a repetition.
    pub key: &'a str,
}

/// Why an executor gave no reply.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ExecutorError {
    /// It failed.
    #[error("{0}")]
    Failed(String),
    /// Nobody is registered for the target the tool names.
    #[error("nobody executes for the target the tool names")]
    TargetUnavailable,
}

/// Carries out calls.
pub trait ToolExecutor: Send + Sync {
    /// The reply: `{success, …}`, or a bare payload, which counts as a success.
    fn execute<'a>(&'a self, action: ToolAction<'a>) -> Boxed<'a, Result<Value, ExecutorError>>;
}
