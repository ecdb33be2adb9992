//! Who notes something beside a result.

use provost_contract::json::Object;
use provost_contract::tool::ToolDeclaration;
use serde_json::Value;

use super::HostError;
use crate::port::Boxed;

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
