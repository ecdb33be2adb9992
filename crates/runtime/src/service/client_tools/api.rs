//! The requests by address, for clients that know nothing of the run: list, get, submit, timeout, cancel.

use provost_contract::json::{self, Object};
use provost_contract::tool::RuntimeToolRequest;
use provost_contract::{ContractError, loose};
use serde_json::{Value, json};

use super::{ClientTools, Continuation, RegisteredContinuation, Submission};
use crate::port::PendingRequests;
use crate::service::ServiceError;

const PENDING: &str = "runtime_tool_pending";

/// What a host offers to clients.
pub struct ClientToolApi<'a> {
    pub tools: Option<&'a ClientTools>,
    pub continuation: RegisteredContinuation<'a>,
}

impl ClientToolApi<'_> {
    /// The requests that wait: `{status, requests, count}`.
    pub async fn list(&self, input: &Object) -> Result<Value, ServiceError> {
        let text = |key| json::trimmed_text(input, key).map(str::to_owned);
        let limit = json::get(input, "limit").and_then(Value::as_u64).filter(|limit| *limit > 0);
        let query = PendingRequests {
            run_id: text("run_id"),
            tool_name: text("tool_name"),
            before: text("before"),
            after: text("after"),
            limit: limit.map(|limit| usize::try_from(limit).unwrap_or(usize::MAX)),
        };
        let requests = self.tools()?.pending(&query).await;
        let requests = requests.map_err(|error| under("agents_runtime_tool_invalid_request", error))?;
        let requests: Vec<Value> = requests.iter().map(RuntimeToolRequest::to_value).collect();
        Ok(json!({ "status": PENDING, "count": requests.len(), "requests": requests }))
    }

    /// One request, and how far it has come: `{status, request}`.
    pub async fn get(&self, input: &Object) -> Result<Value, ServiceError> {
        let tools = self.tools()?;
        let request_id = request_id(input)?;
        let record = tools.requests.get(&request_id).await?.ok_or_else(|| {
            let message = format!("no client tool request {request_id} is known");
            ServiceError::refused("agents_runtime_tool_request_not_found", message)
        })?;
        let request = RuntimeToolRequest::parse(&record.0.clone().into())
            .map_err(|error| under("agents_runtime_tool_invalid_request", error.into()))?;
        let mut shown = json::into_object(request.to_value());
        shown.insert("status".into(), record.status().into());
        Ok(json!({ "status": record.status(), "request": shown }))
    }

    /// Takes an answer.
    pub async fn submit(&self, input: &Object) -> Result<Submission, ServiceError> {
        let (tools, continuation) = (self.tools()?, self.continuation(input)?);
        let submitted = tools.submit(&input.clone().into(), continuation, &context(input)).await;
        submitted.map_err(|error| under("agents_runtime_tool_invalid_result", error))
    }

    /// Gives a request up.
    pub async fn timeout(&self, input: &Object) -> Result<Submission, ServiceError> {
        let tools = self.tools()?;
        let request_id = request_id(input)?;
        let continuation = self.continuation(input)?;
        let timed_out = tools.timeout(&request_id, continuation, &context(input)).await;
        timed_out.map_err(|error| under("agents_runtime_tool_invalid_timeout", error))
    }

    /// Gives a request up because its client wants to: a timeout that says so.
    pub async fn cancel(&self, input: &Object) -> Result<Value, ServiceError> {
        let mut cancelled = json::into_object(self.timeout(input).await?.to_value());
        cancelled.insert("cancelled".into(), true.into());
        Ok(cancelled.into())
    }

    fn tools(&self) -> Result<&ClientTools, ServiceError> {
        self.tools.ok_or_else(|| {
            ServiceError::refused(
                "agents_runtime_tool_request_store_unavailable",
                "there is no storage for client tool requests",
            )
        })
    }

    /// Goes on only when the client asks for it.
    fn continuation(&self, input: &Object) -> Result<Option<&dyn Continuation>, ServiceError> {
        if !json::get(input, "resume").is_some_and(loose::flag) {
            return Ok(None);
        }
        match self.continuation {
            RegisteredContinuation::Missing => Ok(None),
            RegisteredContinuation::Usable(continuation) => Ok(Some(continuation)),
            RegisteredContinuation::Unusable => Err(ServiceError::refused(
                "agents_runtime_tool_invalid_continuation",
                "what was registered to resume runs cannot be called",
            )),
        }
    }
}

fn request_id(input: &Object) -> Result<String, ServiceError> {
    json::trimmed_text(input, "request_id").map(str::to_owned).ok_or_else(|| {
        ServiceError::refused("agents_runtime_tool_invalid_request", "request_id must be a non-empty string.")
    })
}

fn context(input: &Object) -> Object {
    json::object_or_empty(input, "context")
}

/// The same refusal under the code clients know.
fn under(code: &'static str, error: ServiceError) -> ServiceError {
    match error {
        ServiceError::Refused(refused) => {
            ServiceError::Refused(ContractError::with_message(code, refused.message()))
        }
        ServiceError::Storage(fault) => ServiceError::Storage(fault),
    }
}
