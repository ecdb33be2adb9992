//! Who says that the work of a run is done.

use provost_contract::json::Object;

use super::HostError;
use crate::port::Boxed;

/// A result the policy is asked about.
#[derive(Clone, Copy, Debug)]
pub struct JudgedResult<'a> {
    /// The tool.
    pub tool_name: &'a str,
    /// Whether somebody declared it.
    pub declared: bool,
    /// The normalised result.
    pub result: &'a Object,
    /// Whether the tool did its work.
    pub success: bool,
    /// The turn.
    pub turn: u64,
    /// The caller's context.
    pub context: &'a Object,
}

/// What the policy says.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CompletionOpinion {
    /// Whether the work is done.
    pub complete: bool,
    /// What the model is told when it is not; may be empty.
    pub message: String,
    /// The policy's own notes.
    pub context: Object,
}

/// Looks at every result of a run.
pub trait CompletionPolicy: Send + Sync {
    /// The opinion about a result. A policy that fails has none.
    fn judge<'a>(&'a self, result: JudgedResult<'a>) -> Boxed<'a, Result<CompletionOpinion, HostError>>;
}
