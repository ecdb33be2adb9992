//! The request that waits for a client.

use serde::Serialize;
use serde_json::{Value, json};

use crate::canonical;
use crate::json::{self, Object};
use crate::tool::RuntimeMetadata;
use crate::{ContractError, Result};

const CODE: &str = "invalid_runtime_tool_request";

/// How far a request has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum RuntimeToolStatus {
    /// Nobody has answered yet.
    #[serde(rename = "runtime_tool_pending")]
    Pending,
    /// Nobody answered in time.
    #[serde(rename = "runtime_tool_timeout")]
    Timeout,
}

/// A pending call of a tool that runs at the client. Unlike every record it holds the raw parameters:
/// the client needs them.
#[derive(Clone, Debug, PartialEq)]
pub struct RuntimeToolRequest {
    status: RuntimeToolStatus,
    request_id: String,
    tool_name: String,
    tool_call_id: String,
    parameters: Object,
    run_id: String,
    timeout_at: String,
    runtime: RuntimeMetadata,
    metadata: Object,
}

impl RuntimeToolRequest {
    /// Reads a request. It is pending whatever it says: only a transition makes it anything else.
    pub fn parse(value: &Value) -> Result<Self> {
        let Some(raw) = value.as_object() else {
            return Err(ContractError::whole(CODE, "request must be an object"));
        };
        let text = |key| json::text(raw, key).unwrap_or_default().to_owned();
        let given_id = json::text(raw, "request_id").filter(|id| !id.trim().is_empty());
        Ok(Self {
            status: RuntimeToolStatus::Pending,
            tool_name: json::required_text(CODE, "tool_name", raw)?,
            tool_call_id: json::required_text(CODE, "tool_call_id", raw)?,
            request_id: given_id.map_or_else(|| derived_id(raw), str::to_owned),
            parameters: json::object_or_empty(raw, "parameters"),
            run_id: text("run_id"),
            timeout_at: text("timeout_at"),
            runtime: RuntimeMetadata::of(raw),
            metadata: json::object_or_empty(raw, "metadata"),
        })
    }

    /// The request for a call; run and deadline come from the context of the run.
    pub fn from_tool_call(
        tool_name: &str,
        tool_call_id: &str,
        parameters: Object,
        context: &Object,
        runtime: &RuntimeMetadata,
        metadata: Object,
    ) -> Result<Self> {
        Self::parse(&json!({
            "tool_name": tool_name,
            "tool_call_id": tool_call_id,
            "parameters": parameters,
            "run_id": context.get("run_id"),
            "timeout_at": context.get("runtime_tool_timeout_at"),
            "runtime": runtime.as_object(),
            "metadata": metadata,
        }))
    }

    /// The same request after nobody answered in time.
    #[must_use]
    pub fn timed_out(mut self) -> Self {
        self.status = RuntimeToolStatus::Timeout;
        self
    }

    /// How far it has come.
    pub fn status(&self) -> RuntimeToolStatus {
        self.status
    }

    /// The id it is answered under.
    pub fn request_id(&self) -> &str {
        &self.request_id
    }

    /// The tool the client must run.
    pub fn tool_name(&self) -> &str {
        &self.tool_name
    }

    /// The call it belongs to.
    pub fn tool_call_id(&self) -> &str {
        &self.tool_call_id
    }

    /// The run it belongs to; empty when none was named.
    pub fn run_id(&self) -> &str {
        &self.run_id
    }

    /// When it stops waiting; empty when it does not.
    pub fn timeout_at(&self) -> &str {
        &self.timeout_at
    }

    /// The wire form.
    pub fn to_value(&self) -> Value {
        json!({
            "status": self.status,
            "request_id": self.request_id,
            "tool_name": self.tool_name,
            "tool_call_id": self.tool_call_id,
            "parameters": self.parameters,
            "run_id": self.run_id,
            "timeout_at": self.timeout_at,
            "runtime": self.runtime.as_object(),
            "metadata": self.metadata,
        })
    }
}

/// The id of a request that has none: the same run, tool and call give the same id. `0` counts as
/// unnamed, as it does for everybody who already stores such ids.
fn derived_id(raw: &Object) -> String {
    let parts = ["run_id", "tool_name", "tool_call_id"].map(|key| json::text(raw, key).unwrap_or_default());
    let named: Vec<&str> = parts.into_iter().filter(|part| !matches!(*part, "" | "0")).collect();
    format!("runtime-tool-{}", canonical::sha256_hex(named.join("|").as_bytes()))
}
