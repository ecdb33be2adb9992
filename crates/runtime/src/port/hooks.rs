//! The hooks of a host that look at results and turns. One that fails has no opinion.

use provost_contract::json::Object;
use provost_contract::tool::ToolDeclaration;
use serde_json::Value;

use super::{Boxed, Transcript};

/// What went wrong, in the host's words.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct HostError(pub String);

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

/// A turn that is over.
#[derive(Clone, Copy, Debug)]
pub struct FinishedTurn<'a> {
    /// The turn.
    pub turn: u64,
    /// The transcript.
    pub messages: &'a Transcript,
    /// The caller's context.
    pub context: &'a Object,
}

/// Asked after every turn nothing else stopped.
pub trait ContinuePolicy: Send + Sync {
    /// Whether another turn follows. A policy that fails stops the run.
    fn go_on<'a>(&'a self, turn: FinishedTurn<'a>) -> Boxed<'a, Result<bool, HostError>>;
}

/// Asked once after every turn that is not the last.
pub trait InterruptSource: Send + Sync {
    /// A message, or null. A source that fails has nothing to say.
    fn ask<'a>(&'a self, turn: FinishedTurn<'a>) -> Boxed<'a, Result<Value, HostError>>;
}

/// A result as an audit sees it: what came of the call, and of its arguments their hash alone.
#[derive(Clone, Copy, Debug)]
pub struct DiagnosedResult<'a> {
    /// The tool.
    pub tool_name: &'a str,
    /// The id of the call.
    pub tool_call_id: &'a str,
    /// The declaration of the tool; none when nobody declared it.
    pub declaration: Option<&'a ToolDeclaration>,
    /// The hash of the redacted arguments.
    pub parameters_sha256: &'a str,
    /// The result, normalised and within its size.
    pub result: &'a Object,
    /// Whether the tool did its work.
    pub success: bool,
    /// The turn.
    pub turn: u64,
    /// The caller's context.
    pub context: &'a Object,
}

/// Asked once about every result, whoever gave it, before it is recorded. It watches: what it says stands
/// beside the result and changes neither the result nor what the model hears of it.
pub trait ResultDiagnostics: Send + Sync {
    /// Notes as an object; anything else, or a failure, is none. Nothing that may be a secret: they are
    /// recorded. Asked again after a crash that came before the result was durable.
    fn diagnose<'a>(&'a self, result: DiagnosedResult<'a>) -> Boxed<'a, Result<Value, HostError>>;
}
