//! The result a client hands in.

use serde_json::{Value, json};

use super::RuntimeToolRequest;
use crate::citation::Citation;
use crate::json::{self, Object};
use crate::tool::ToolOutcome;
use crate::{ContractError, Result, loose};

const CODE: &str = "invalid_runtime_tool_result";
const STATUS: &str = "runtime_tool_submitted";
const DEFAULT_ERROR: &str = "Runtime tool execution failed.";

/// A submitted result. Without a word about it, it is a success.
#[derive(Clone, Debug, PartialEq)]
pub struct RuntimeToolResult {
    request_id: String,
    tool_name: String,
    metadata: Object,
    outcome: ToolOutcome,
}

impl RuntimeToolResult {
    /// Reads a submitted result. A payload that is neither object nor list is wrapped as `{value}`.
    pub fn parse(value: &Value) -> Result<Self> {
        let Some(raw) = value.as_object() else {
            return Err(ContractError::whole(CODE, "result must be an object"));
        };
        let outcome = if json::present(raw, "success").is_none_or(loose::flag) {
            ToolOutcome::Success(payload(json::present(raw, "result")))
        } else {
            let error = json::text(raw, "error").filter(|error| !error.trim().is_empty());
            ToolOutcome::Failure(error.unwrap_or(DEFAULT_ERROR).to_owned())
        };
        Ok(Self {
            request_id: json::required_text(CODE, "request_id", raw)?,
            tool_name: json::required_text(CODE, "tool_name", raw)?,
            metadata: Citation::in_metadata(json::object_or_empty(raw, "metadata")),
            outcome,
        })
    }

    /// Reads the result of a request; it may leave out what the request says, and must not name another tool.
    pub fn of_request(request: &RuntimeToolRequest, value: &Value) -> Result<Self> {
        let mut raw = value.clone();
        if let Some(raw) = raw.as_object_mut() {
            for (key, known) in [("request_id", request.request_id()), ("tool_name", request.tool_name())] {
                if json::present(raw, key).is_none() {
                    raw.insert(key.into(), known.into());
                }
            }
        }
        let result = Self::parse(&raw)?;
        if result.tool_name != request.tool_name() {
            let expected = format!("must be the tool of the request, {}", request.tool_name());
            return Err(ContractError::field(CODE, "tool_name", &expected));
        }
        Ok(result)
    }

    /// The request it answers.
    pub fn request_id(&self) -> &str {
        &self.request_id
    }

    /// The tool that ran.
    pub fn tool_name(&self) -> &str {
        &self.tool_name
    }

    /// How it ended.
    pub fn outcome(&self) -> &ToolOutcome {
        &self.outcome
    }

    /// The wire form.
    pub fn to_value(&self) -> Value {
        let (success, key, answer) = match &self.outcome {
            ToolOutcome::Success(result) => (true, "result", result.clone()),
            ToolOutcome::Failure(error) => (false, "error", error.as_str().into()),
        };
        let mut wire = json!({
            "status": STATUS,
            "request_id": self.request_id,
            "tool_name": self.tool_name,
            "success": success,
            "metadata": self.metadata,
        });
        if let Some(map) = wire.as_object_mut() {
            map.insert(key.into(), answer);
        }
        wire
    }
}

fn payload(result: Option<&Value>) -> Value {
    match result {
        None => json!([]),
        Some(result) if json::is_container(result) => result.clone(),
        Some(scalar) => json!({ "value": scalar }),
    }
}
