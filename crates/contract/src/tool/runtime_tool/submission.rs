//! The answer to a request that waited, as its client reads it.

use serde_json::{Value, json};

use super::{RuntimeToolRequest, RuntimeToolResult};
use crate::json::Object;
use crate::sensitivity::redact_names;
use crate::tool::ToolOutcome;

/// How an answer to a request, or the lack of one, was taken.
#[derive(Clone, Debug, PartialEq)]
pub struct RuntimeToolSubmission {
    /// How far the request has come.
    pub status: String,
    /// The request, as it is shown from now on.
    pub request: Value,
    /// The result that counts.
    pub result: RuntimeToolResult,
    /// Whether the request was answered before: then this is the earlier result, and nothing happened.
    pub duplicate: bool,
    /// What came of going on with the run.
    pub continuation_result: Option<Object>,
}

impl RuntimeToolSubmission {
    /// Returns the submission that ended the waiting of a request.
    pub fn new(status: &str, request: &RuntimeToolRequest, result: RuntimeToolResult) -> Self {
        let (status, request) = (status.to_owned(), request.to_value());
        Self { status, request, result, duplicate: false, continuation_result: None }
    }

    /// Returns the submission of a request that was answered before.
    pub fn replay(status: &str, request: &RuntimeToolRequest, result: RuntimeToolResult) -> Self {
        let mut request = request.to_value();
        if let Some(request) = request.as_object_mut() {
            request.insert("status".into(), status.into());
        }
        Self { status: status.to_owned(), request, result, duplicate: true, continuation_result: None }
    }

    /// The wire form, with the result as a transcript and as an execution record take it.
    pub fn to_value(&self) -> Value {
        let result = self.result.to_value();
        let field = |key: &str| self.request.get(key).cloned().unwrap_or_default();
        let turn_count = self.request.pointer("/metadata/turn_count").and_then(Value::as_i64);
        json!({
            "status": self.status,
            "request": self.request,
            "result": result,
            "duplicate": self.duplicate,
            "tool_result_message": {
                "tool_name": self.result.tool_name(),
                "tool_call_id": field("tool_call_id"),
                "success": matches!(self.result.outcome(), ToolOutcome::Success(_)),
                "status": result.get("status"),
                "result": result,
            },
            "tool_execution_result": {
                "tool_name": self.result.tool_name(),
                "tool_call_id": field("tool_call_id"),
                // The request holds what the client needs; a record holds no secrets.
                "parameters": redact_names(&field("parameters")),
                "result": result,
                "runtime": field("runtime"),
                "turn_count": turn_count.unwrap_or_default(),
            },
            "continuation_result": self.continuation_result,
        })
    }
}
