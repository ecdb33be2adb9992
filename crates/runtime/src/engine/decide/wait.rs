//! Results that are none yet: a client must execute the tool, or a person must decide.

use std::sync::Arc;

use provost_contract::json;
use provost_contract::tool::{ParameterRules, RuntimeToolRequest, ToolDeclaration, ToolOutcome, ToolResult};
use provost_contract::{Message, Result};
use serde_json::Value;

use super::RawCall;
use crate::engine::{CallDeclared, Proposal, RunState, WaitsFor};

const PENDING: &str = "runtime_tool_pending";
const APPROVAL_REQUIRED: &str = "approval_required";

/// What a result waits for, and what a client gets to answer; none when it is a result.
pub(super) fn found(
    state: &RunState,
    declared: &CallDeclared,
    raw: &RawCall,
    result: &ToolResult,
) -> Result<Option<(WaitsFor, Option<RuntimeToolRequest>)>> {
    if is_pending(result) {
        let request = client_request(state, declared, raw, result)?;
        return Ok(Some((WaitsFor::Client(redacted(state, declared, &request)), Some(request))));
    }
    let ToolOutcome::Success(payload) = result.outcome() else { return Ok(None) };
    if payload.as_object().and_then(|payload| json::text(payload, "type")) != Some(APPROVAL_REQUIRED) {
        return Ok(None);
    }
    let message = Arc::new(Message::parse(payload)?);
    Ok(Some((WaitsFor::Approval(Proposal { envelope: payload.clone(), message }), None)))
}

fn is_pending(result: &ToolResult) -> bool {
    result.status() == Some(PENDING) || json::trimmed_text(result.metadata(), "status") == Some(PENDING)
}

/// The request a client gets: what the executor made of it, the rest filled in from the call and the run.
fn client_request(
    state: &RunState,
    declared: &CallDeclared,
    raw: &RawCall,
    result: &ToolResult,
) -> Result<RuntimeToolRequest> {
    let payload = match result.outcome() {
        ToolOutcome::Success(payload) => payload.as_object(),
        ToolOutcome::Failure(_) => None,
    };
    let mut request = result.runtime_tool_request().or(payload).cloned().unwrap_or_default();
    let context = |key: &str| state.spec.context.get(key).cloned().unwrap_or_default();
    let defaults: [(&str, Value); 7] = [
        ("tool_name", declared.name.as_str().into()),
        ("tool_call_id", declared.id.as_str().into()),
        ("parameters", Value::Object(raw.parameters().clone())),
        ("run_id", context("run_id")),
        ("timeout_at", context("runtime_tool_timeout_at")),
        ("runtime", result.runtime().to_value()),
        ("metadata", Value::Object(result.metadata().clone())),
    ];
    for (key, value) in defaults {
        if json::present(&request, key).is_none() {
            request.insert(key.to_owned(), value);
        }
    }
    let mut metadata = json::object_or_empty(&request, "metadata");
    metadata.insert("turn_count".into(), state.turn.into());
    request.insert("metadata".into(), Value::Object(metadata));
    RuntimeToolRequest::parse(&Value::Object(request))
}

/// The request as records keep it. Only the client itself gets the raw parameters.
fn redacted(state: &RunState, declared: &CallDeclared, request: &RuntimeToolRequest) -> Value {
    let mut wire = json::into_object(request.to_value());
    let no_rules = ParameterRules::default();
    let rules = state.rules.tools.catalog.get(&declared.name).map_or(&no_rules, ToolDeclaration::rules);
    let shown = rules.redact(&json::object_or_empty(&wire, "parameters"));
    wire.insert("parameters".into(), shown.to_value());
    Value::Object(wire)
}
