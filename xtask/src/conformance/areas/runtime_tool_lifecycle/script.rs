//! Steps of a lifecycle: each step's answer, the events, the continuations and the store afterwards.

use std::sync::{Arc, Mutex, PoisonError};

use provost_contract::json::{self, Object};
use provost_contract::tool::{RuntimeToolRequest, RuntimeToolResult};
use provost_runtime::port::{Boxed, PendingRequests};
use provost_runtime::service::ServiceError;
use provost_runtime::service::client_tools::{
    ClientToolApi, ClientToolEvent, ClientToolEvents, ClientTools, Continuation, RegisteredContinuation,
    Submission,
};
use serde_json::{Value, json};

use super::scripted_store::ScriptedStore;
use crate::conformance::areas::{Answer, input, list, object, text, unknown_operation};

pub(super) async fn run(case: &Value) -> Answer {
    let fault = |fault: provost_runtime::port::Fault| Value::from(fault.to_string());
    let store = Arc::new(ScriptedStore::new(input(case, "options")).await.map_err(fault)?);
    let heard = Arc::new(Heard::default());
    let script = Script { tools: ClientTools { requests: store.clone(), events: heard.clone() }, heard };
    let mut steps = Vec::new();
    for step in list(case, "steps") {
        steps.push(match script.step(step).await {
            Ok(answer) => json!({ "ok": answer }),
            // A step tells code and message of its error, nothing more.
            Err(error) => json!({ "error": { "code": error.get("code"), "message": error.get("message") } }),
        });
    }
    Ok(json!({
        "steps": steps,
        "events": script.heard.events(),
        "continuations": script.heard.continuations(),
        "store": store.dump().await.map_err(fault)?,
    }))
}

/// What observers and continuations heard.
#[derive(Default)]
struct Heard {
    events: Mutex<Vec<Value>>,
    continuations: Mutex<Vec<Value>>,
}

impl Heard {
    fn events(&self) -> Vec<Value> {
        self.events.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn continuations(&self) -> Vec<Value> {
        self.continuations.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl ClientToolEvents for Heard {
    fn happened(&self, event: ClientToolEvent) {
        self.events.lock().unwrap_or_else(PoisonError::into_inner).push(event.to_value());
    }
}

/// Resumes as the script says.
struct Resumes {
    returns: Value,
    heard: Arc<Heard>,
}

impl Continuation for Resumes {
    fn resume<'a>(
        &'a self,
        request: &'a RuntimeToolRequest,
        _: &'a RuntimeToolResult,
        _: &'a Object,
    ) -> Boxed<'a, Value> {
        let mut heard = self.heard.continuations.lock().unwrap_or_else(PoisonError::into_inner);
        heard.push(request.request_id().into());
        let returns = self.returns.clone();
        Box::pin(async move { returns })
    }
}

struct Script {
    tools: ClientTools,
    heard: Arc<Heard>,
}

impl Script {
    async fn step(&self, step: &Value) -> Answer {
        let scripted = step.get("continuation");
        let continuation = scripted
            .and_then(|script| script.get("returns"))
            .map(|returns| Resumes { returns: returns.clone(), heard: self.heard.clone() });
        let usable = continuation.as_ref().map(|it| it as &dyn Continuation);
        let registered = match (scripted, usable) {
            (None, _) => RegisteredContinuation::Missing,
            (Some(_), Some(continuation)) => RegisteredContinuation::Usable(continuation),
            (Some(_), None) => RegisteredContinuation::Unusable,
        };
        let api = ClientToolApi { tools: Some(&self.tools), continuation: registered };
        let (asked, context) = (object(step, "input"), object(step, "context"));
        let told = |submission: Result<Submission, ServiceError>| submission.map(|it| it.to_value());
        let answer = match text(step, "op") {
            "create" => self.tools.create(input(step, "request"), &context).await.map(|it| it.to_value()),
            "submit" => told(self.tools.submit(input(step, "result"), usable, &context).await),
            "timeout" => told(self.tools.timeout(text(step, "request_id"), usable, &context).await),
            "recent_pending" => self
                .tools
                .pending(&query(&object(step, "query")))
                .await
                .map(|requests| requests.iter().map(RuntimeToolRequest::to_value).collect()),
            "api_list" => api.list(&asked).await,
            "api_get" => api.get(&asked).await,
            "api_submit" => told(api.submit(&asked).await),
            "api_timeout" => told(api.timeout(&asked).await),
            "api_cancel" => api.cancel(&asked).await,
            op => return unknown_operation(op),
        };
        answer.map_err(|error| error.to_value())
    }
}

fn query(raw: &Object) -> PendingRequests {
    let word = |key| json::non_empty_text(raw, key).map(str::to_owned);
    PendingRequests {
        run_id: word("run_id"),
        tool_name: word("tool_name"),
        before: word("before"),
        after: word("after"),
        limit: json::get(raw, "limit").and_then(Value::as_u64).and_then(|limit| usize::try_from(limit).ok()),
    }
}
