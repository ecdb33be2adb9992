//! Steps of a lifecycle: each step's answer, the events, the continuations and the records afterwards.

use provost_contract::json::{self, Object};
use provost_contract::tool::{RuntimeToolRequest, RuntimeToolResult, RuntimeToolSubmission};
use provost_contract::{ContractError, Result, loose};
use serde_json::{Value, json};

use super::records::{Query, Record, Records};
use crate::conformance::areas::{Answer, input, list, object, text, unknown_operation};

const INVALID_REQUEST: &str = "invalid_runtime_tool_request";
const INVALID_RESULT: &str = "invalid_runtime_tool_result";
const INVALID_TIMEOUT: &str = "invalid_runtime_tool_timeout";
const INVALID_STORE: &str = "invalid_runtime_tool_store";
const INVALID_CONTINUATION: &str = "invalid_runtime_tool_continuation";
const PENDING: &str = "runtime_tool_pending";
const SUBMITTED: &str = "runtime_tool_submitted";
const COMPLETED: &str = "runtime_tool_completed";
const TIMED_OUT: &str = "runtime_tool_timeout";

pub(super) fn run(case: &Value) -> Answer {
    let records = Records::new(input(case, "options"));
    let mut script = Script { records, events: Vec::new(), continuations: Vec::new() };
    let mut steps = Vec::new();
    for step in list(case, "steps") {
        steps.push(match script.step(step) {
            Ok(answer) => json!({ "ok": answer }),
            // A step tells code and message of its error, nothing more.
            Err(error) => json!({ "error": { "code": error.get("code"), "message": error.get("message") } }),
        });
    }
    Ok(json!({
        "steps": steps,
        "events": script.events,
        "continuations": script.continuations,
        "store": script.records.dump(),
    }))
}

struct Script {
    records: Records,
    /// What observers heard.
    events: Vec<Value>,
    /// The requests whose runs went on.
    continuations: Vec<Value>,
}

/// What a continuation gives back.
type Resumes<'a> = Option<&'a Value>;

impl Script {
    fn step(&mut self, step: &Value) -> Answer {
        let registered = step.get("continuation");
        let resumes = registered.and_then(|script| script.get("returns"));
        let (asked, context) = (object(step, "input"), object(step, "context"));
        let shown = |submission: Result<RuntimeToolSubmission>| submission.map(|it| it.to_value());
        let answer = match text(step, "op") {
            "create" => self.create(input(step, "request"), &context),
            "submit" => shown(self.submit(input(step, "result"), resumes, &context)),
            "timeout" => shown(self.timeout(text(step, "request_id"), resumes, &context)),
            "recent_pending" => {
                let raw = object(step, "query");
                let word = |key: &str| json::non_empty_text(&raw, key).map(str::to_owned);
                let limit = json::get(&raw, "limit").and_then(Value::as_u64);
                self.pending(&query(word, limit)).map(Value::Array)
            }
            "api_list" => self.api_list(&asked),
            "api_get" => self.api_get(&asked),
            "api_submit" => shown(self.api_submit(&asked, registered)),
            "api_timeout" => shown(self.api_timeout(&asked, registered)),
            "api_cancel" => self.api_timeout(&asked, registered).map(|submission| {
                let mut cancelled = json::into_object(submission.to_value());
                cancelled.insert("cancelled".into(), true.into());
                cancelled.into()
            }),
            op => return unknown_operation(op),
        };
        answer.map_err(|error| error.to_value())
    }

    fn happened(&mut self, event: &str, fields: Value, context: &Object) {
        let mut fields = json::into_object(fields);
        fields.insert("event".into(), event.into());
        fields.insert("context".into(), context.clone().into());
        self.events.push(fields.into());
    }

    /// Lets a request wait. The same request may be stored again while it waits.
    fn create(&mut self, request: &Value, context: &Object) -> Result<Value> {
        let request = RuntimeToolRequest::parse(request)?.to_value();
        if !self.records.create(Record(json::into_object(request.clone()))) {
            return Err(ContractError::whole(INVALID_REQUEST, "request was answered before"));
        }
        self.happened("agents_api_runtime_tool_request_created", json!({ "request": request }), context);
        Ok(request)
    }

    /// Takes a client's answer. The first one counts; a later one is told the first.
    fn submit(
        &mut self,
        result: &Value,
        resumes: Resumes<'_>,
        context: &Object,
    ) -> Result<RuntimeToolSubmission> {
        let refused = |reason| ContractError::whole(INVALID_RESULT, reason);
        let id = text(result, "request_id").trim();
        let (record, request) = self.found(id, INVALID_RESULT)?;
        if !record.is_pending() {
            return retained(&record, &request)?.ok_or_else(|| refused("request is not pending"));
        }
        let result = RuntimeToolResult::of_request(&request, result)?;
        if !self.transition(id, COMPLETED, Some(result.to_value()))? {
            let winner =
                self.records.get(id).map(|record| retained(&record, &request)).transpose()?.flatten();
            return winner.ok_or_else(|| refused("request is not pending"));
        }
        let heard = json!({ "request": request.to_value(), "result": result.to_value() });
        self.happened("agents_api_runtime_tool_result_submitted", heard, context);
        let mut submission = RuntimeToolSubmission::new(SUBMITTED, &request, result);
        submission.continuation_result = self.resume(resumes, &request, &submission.result, context)?;
        Ok(submission)
    }

    /// Gives a request up. One that was answered before is told with its answer.
    fn timeout(&mut self, id: &str, resumes: Resumes<'_>, context: &Object) -> Result<RuntimeToolSubmission> {
        let id = id.trim();
        let (record, request) = self.found(id, INVALID_TIMEOUT)?;
        if !record.is_pending() {
            return replay(&record, &request);
        }
        if !self.transition(id, TIMED_OUT, None)? {
            let winner = self.records.get(id).filter(|record| !record.is_pending());
            let lost = || ContractError::whole(INVALID_TIMEOUT, "terminal transition was not retained");
            return replay(&winner.ok_or_else(lost)?, &request);
        }
        let result = failure(&request, "Runtime tool request timed out.", TIMED_OUT)?;
        let timed_out = request.clone().timed_out();
        let heard = json!({ "request": timed_out.to_value(), "result": result.to_value() });
        self.happened("agents_api_runtime_tool_request_timed_out", heard, context);
        let mut submission = RuntimeToolSubmission::new(TIMED_OUT, &timed_out, result);
        submission.continuation_result = self.resume(resumes, &request, &submission.result, context)?;
        Ok(submission)
    }

    fn found(&self, id: &str, code: &'static str) -> Result<(Record, RuntimeToolRequest)> {
        if id.is_empty() {
            return Err(ContractError::whole(code, "request_id must be a non-empty string"));
        }
        let record = self.records.get(id).ok_or_else(|| ContractError::whole(code, "request not found"))?;
        let request = RuntimeToolRequest::parse(&record.0.clone().into())?;
        Ok((record, request))
    }

    fn pending(&self, query: &Query) -> Result<Vec<Value>> {
        let requests = self.records.pending(query).into_iter();
        requests.map(|record| Ok(RuntimeToolRequest::parse(&record.0.into())?.to_value())).collect()
    }

    /// Two answers must never both count, so records that cannot promise it are not changed.
    fn transition(&mut self, id: &str, status: &str, result: Option<Value>) -> Result<bool> {
        if !self.records.atomic {
            return Err(ContractError::whole(INVALID_STORE, "atomic terminal transitions are required"));
        }
        Ok(self.records.transition(id, status, result))
    }

    fn resume(
        &mut self,
        resumes: Resumes<'_>,
        request: &RuntimeToolRequest,
        result: &RuntimeToolResult,
        context: &Object,
    ) -> Result<Option<Object>> {
        let Some(returns) = resumes else { return Ok(None) };
        self.continuations.push(request.request_id().into());
        let Some(continued) = json::object_from(returns) else {
            return Err(ContractError::whole(INVALID_CONTINUATION, "resume result must be an array"));
        };
        let heard = json!({
            "request": request.to_value(),
            "result": result.to_value(),
            "continuation_result": continued,
        });
        self.happened("agents_api_runtime_tool_request_resumed", heard, context);
        Ok(Some(continued))
    }

    fn api_list(&self, asked: &Object) -> Result<Value> {
        let limit = json::get(asked, "limit").and_then(Value::as_u64).filter(|limit| *limit > 0);
        let query = query(|key| json::trimmed_text(asked, key).map(str::to_owned), limit);
        let requests =
            self.pending(&query).map_err(|error| under("agents_runtime_tool_invalid_request", &error))?;
        Ok(json!({ "status": PENDING, "count": requests.len(), "requests": requests }))
    }

    fn api_get(&self, asked: &Object) -> Result<Value> {
        let id = request_id(asked)?;
        let record = self.records.get(&id).ok_or_else(|| {
            let message = format!("no client tool request {id} is known");
            ContractError::with_message("agents_runtime_tool_request_not_found", message)
        })?;
        let request = RuntimeToolRequest::parse(&record.0.clone().into())
            .map_err(|error| under("agents_runtime_tool_invalid_request", &error))?;
        let mut shown = json::into_object(request.to_value());
        shown.insert("status".into(), record.text("status").into());
        Ok(json!({ "status": record.text("status"), "request": shown }))
    }

    fn api_submit(&mut self, asked: &Object, registered: Option<&Value>) -> Result<RuntimeToolSubmission> {
        let resumes = wanted(asked, registered)?;
        let submitted = self.submit(&asked.clone().into(), resumes, &json::object_or_empty(asked, "context"));
        submitted.map_err(|error| under("agents_runtime_tool_invalid_result", &error))
    }

    fn api_timeout(&mut self, asked: &Object, registered: Option<&Value>) -> Result<RuntimeToolSubmission> {
        let id = request_id(asked)?;
        let resumes = wanted(asked, registered)?;
        let timed_out = self.timeout(&id, resumes, &json::object_or_empty(asked, "context"));
        timed_out.map_err(|error| under("agents_runtime_tool_invalid_timeout", &error))
    }
}

/// The continuation, if the client asks for it.
fn wanted<'a>(asked: &Object, registered: Option<&'a Value>) -> Result<Resumes<'a>> {
    if !json::get(asked, "resume").is_some_and(loose::flag) {
        return Ok(None);
    }
    let Some(registered) = registered else { return Ok(None) };
    let unusable = || {
        let message = "what was registered to resume runs cannot be called";
        ContractError::with_message("agents_runtime_tool_invalid_continuation", message)
    };
    registered.get("returns").map(Some).ok_or_else(unusable)
}

fn request_id(asked: &Object) -> Result<String> {
    let missing = || {
        let message = "request_id must be a non-empty string.";
        ContractError::with_message("agents_runtime_tool_invalid_request", message)
    };
    json::trimmed_text(asked, "request_id").map(str::to_owned).ok_or_else(missing)
}

/// The same refusal under the code that clients know.
fn under(code: &'static str, refused: &ContractError) -> ContractError {
    ContractError::with_message(code, refused.message())
}

/// The submission of a request that kept its result.
fn retained(record: &Record, request: &RuntimeToolRequest) -> Result<Option<RuntimeToolSubmission>> {
    let Some(result) = record.result() else { return Ok(None) };
    let result = RuntimeToolResult::of_request(request, result)?;
    Ok(Some(RuntimeToolSubmission::replay(record.text("status"), request, result)))
}

/// The submission of a request that ended before, with or without a result.
fn replay(record: &Record, request: &RuntimeToolRequest) -> Result<RuntimeToolSubmission> {
    if let Some(submission) = retained(record, request)? {
        return Ok(submission);
    }
    let status = record.text("status");
    let result = failure(request, "Runtime tool request is already terminal.", status)?;
    Ok(RuntimeToolSubmission::replay(status, request, result))
}

fn failure(request: &RuntimeToolRequest, error: &str, status: &str) -> Result<RuntimeToolResult> {
    let raw = json!({ "success": false, "error": error, "metadata": { "status": status } });
    RuntimeToolResult::of_request(request, &raw)
}

fn query(word: impl Fn(&str) -> Option<String>, limit: Option<u64>) -> Query {
    Query {
        run_id: word("run_id"),
        tool_name: word("tool_name"),
        before: word("before"),
        after: word("after"),
        limit: limit.map(|limit| usize::try_from(limit).unwrap_or(usize::MAX)),
    }
}
