//! Creating, answering and giving up requests.

use std::sync::Arc;

use provost_contract::ContractError;
use provost_contract::json::{self, Object};
use provost_contract::tool::{RuntimeToolRequest, RuntimeToolResult};
use serde_json::{Value, json};

use super::{ClientToolEvent, ClientToolEvents, Continuation, Submission};
use crate::port::{
    ClientToolRecord, ClientToolRequests, ClientToolTransition, CreatedRequest, PendingRequests, Transitions,
};
use crate::service::ServiceError;

const INVALID_REQUEST: &str = "invalid_runtime_tool_request";
const INVALID_RESULT: &str = "invalid_runtime_tool_result";
const INVALID_TIMEOUT: &str = "invalid_runtime_tool_timeout";
const INVALID_STORE: &str = "invalid_runtime_tool_store";
const INVALID_CONTINUATION: &str = "invalid_runtime_tool_continuation";
const SUBMITTED: &str = "runtime_tool_submitted";

/// The life of requests over a storage.
#[derive(Clone)]
pub struct ClientTools {
    pub requests: Arc<dyn ClientToolRequests>,
    pub events: Arc<dyn ClientToolEvents>,
}

impl ClientTools {
    /// Lets a request wait. The same request may be stored again while it waits.
    pub async fn create(
        &self,
        request: &Value,
        context: &Object,
    ) -> Result<RuntimeToolRequest, ServiceError> {
        let request = RuntimeToolRequest::parse(request)?;
        let record = ClientToolRecord(json::into_object(request.to_value()));
        match self.requests.create(record).await? {
            CreatedRequest::Waiting => {}
            CreatedRequest::AnsweredBefore(_) => {
                return Err(ContractError::whole(INVALID_REQUEST, "request was answered before").into());
            }
        }
        let event = ClientToolEvent::Created { request: request.to_value(), context: context.clone() };
        self.events.happened(event);
        Ok(request)
    }

    /// Takes a client's answer. The first one counts and lets the run go on; a later one is told the first.
    pub async fn submit(
        &self,
        result: &Value,
        continuation: Option<&dyn Continuation>,
        context: &Object,
    ) -> Result<Submission, ServiceError> {
        let refused = |reason| ServiceError::from(ContractError::whole(INVALID_RESULT, reason));
        let request_id = result.get("request_id").and_then(Value::as_str).map_or("", str::trim);
        if request_id.is_empty() {
            return Err(refused("request_id must be a non-empty string"));
        }
        let record = self.requests.get(request_id).await?.ok_or_else(|| refused("request not found"))?;
        let request = RuntimeToolRequest::parse(&record.0.clone().into())?;
        if !record.is_pending() {
            return retained(&record, &request)?.ok_or_else(|| refused("request is not pending"));
        }
        let result = RuntimeToolResult::of_request(&request, result)?;
        let transition = ClientToolTransition::completed(result.to_value());
        if !self.transition(request_id, transition).await? {
            let winner = self.requests.get(request_id).await?;
            let replayed = winner.map(|record| retained(&record, &request)).transpose()?.flatten();
            return replayed.ok_or_else(|| refused("request is not pending"));
        }
        let event = ClientToolEvent::Submitted {
            request: request.to_value(),
            result: result.to_value(),
            context: context.clone(),
        };
        self.events.happened(event);
        let mut submission = Submission::new(SUBMITTED, &request, result);
        submission.continuation_result =
            self.resume(continuation, &request, &submission.result, context).await?;
        Ok(submission)
    }

    /// Gives a request up. One that was answered before is told with its answer.
    pub async fn timeout(
        &self,
        request_id: &str,
        continuation: Option<&dyn Continuation>,
        context: &Object,
    ) -> Result<Submission, ServiceError> {
        let refused = |reason| ServiceError::from(ContractError::whole(INVALID_TIMEOUT, reason));
        let request_id = request_id.trim();
        if request_id.is_empty() {
            return Err(refused("request_id must be a non-empty string"));
        }
        let record = self.requests.get(request_id).await?.ok_or_else(|| refused("request not found"))?;
        let request = RuntimeToolRequest::parse(&record.0.clone().into())?;
        if !record.is_pending() {
            return replay(&record, &request);
        }
        let transition = ClientToolTransition::timed_out();
        let status = transition.status();
        if !self.transition(request_id, transition).await? {
            let winner = self.requests.get(request_id).await?.filter(|record| !record.is_pending());
            let winner = winner.ok_or_else(|| refused("terminal transition was not retained"))?;
            return replay(&winner, &request);
        }
        let result = failure(&request, "Runtime tool request timed out.", status)?;
        let timed_out = request.clone().timed_out();
        let event = ClientToolEvent::TimedOut {
            request: timed_out.to_value(),
            result: result.to_value(),
            context: context.clone(),
        };
        self.events.happened(event);
        let mut submission = Submission::new(status, &timed_out, result);
        submission.continuation_result =
            self.resume(continuation, &request, &submission.result, context).await?;
        Ok(submission)
    }

    /// The requests that wait.
    pub async fn pending(&self, query: &PendingRequests) -> Result<Vec<RuntimeToolRequest>, ServiceError> {
        let records = self.requests.pending(query).await?;
        Ok(records
            .into_iter()
            .map(|record| RuntimeToolRequest::parse(&record.0.into()))
            .collect::<Result<_, _>>()?)
    }

    /// Two answers must never both count, so a storage that cannot promise it is not asked.
    async fn transition(
        &self,
        request_id: &str,
        transition: ClientToolTransition,
    ) -> Result<bool, ServiceError> {
        match self.requests.transitions() {
            Transitions::Atomic => Ok(self.requests.transition(request_id, transition).await?),
            Transitions::Racy => {
                Err(ContractError::whole(INVALID_STORE, "atomic terminal transitions are required").into())
            }
        }
    }

    async fn resume(
        &self,
        continuation: Option<&dyn Continuation>,
        request: &RuntimeToolRequest,
        result: &RuntimeToolResult,
        context: &Object,
    ) -> Result<Option<Object>, ServiceError> {
        let Some(continuation) = continuation else { return Ok(None) };
        let Some(continuation_result) =
            json::object_from(&continuation.resume(request, result, context).await)
        else {
            return Err(ContractError::whole(INVALID_CONTINUATION, "resume result must be an array").into());
        };
        self.events.happened(ClientToolEvent::Resumed {
            request: request.to_value(),
            result: result.to_value(),
            continuation_result: continuation_result.clone(),
            context: context.clone(),
        });
        Ok(Some(continuation_result))
    }
}

/// What is told of a request with the result it kept, if it kept one.
fn retained(
    record: &ClientToolRecord,
    request: &RuntimeToolRequest,
) -> Result<Option<Submission>, ServiceError> {
    let Some(result) = record.result().filter(|_| !record.is_pending()) else { return Ok(None) };
    let result = RuntimeToolResult::of_request(request, result)?;
    Ok(Some(Submission::replay(record.status(), request, result)))
}

/// What is told of a request that ended before, with or without a result.
fn replay(record: &ClientToolRecord, request: &RuntimeToolRequest) -> Result<Submission, ServiceError> {
    if let Some(submission) = retained(record, request)? {
        return Ok(submission);
    }
    let result = failure(request, "Runtime tool request is already terminal.", record.status())?;
    Ok(Submission::replay(record.status(), request, result))
}

fn failure(
    request: &RuntimeToolRequest,
    error: &str,
    status: &str,
) -> Result<RuntimeToolResult, ContractError> {
    let raw = json!({ "success": false, "error": error, "metadata": { "status": status } });
    RuntimeToolResult::of_request(request, &raw)
}
