//! A host whose store is real and whose resolver and handler follow a script.

use std::sync::{Arc, Mutex, PoisonError};

use provost_contract::ContractError;
use provost_contract::approval::{PendingAction, Resolution, Verdict};
use provost_runtime::memory::Storage;
use provost_runtime::port::{Approvals, Boxed, Decided};
use provost_runtime::service::{
    ActionHandler, ActionResolver, ApprovalDesk, HandledAction, Permission, ResolveCall,
};
use serde_json::{Value, json};

use crate::conformance::areas::{Answer, input, list, object, text, unknown_operation};

/// Answers as the script says and remembers what it was asked.
struct Scripted {
    script: Value,
    heard: Mutex<Vec<Value>>,
}

impl Scripted {
    fn new(script: &Value) -> Arc<Self> {
        Arc::new(Self { script: script.clone(), heard: Mutex::default() })
    }

    fn hear(&self, what: impl Into<Value>) {
        self.heard.lock().unwrap_or_else(PoisonError::into_inner).push(what.into());
    }

    fn heard(&self) -> Vec<Value> {
        self.heard.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl ActionResolver for Scripted {
    fn resolve<'a>(&'a self, call: &'a ResolveCall) -> Boxed<'a, Result<Value, ContractError>> {
        self.hear(call.to_value());
        let answer = match self.script.get("error") {
            Some(error) => {
                Err(ContractError::with_message(text(error, "code").to_owned(), text(error, "message")))
            }
            None => Ok(input(&self.script, "returns").clone()),
        };
        Box::pin(async move { answer })
    }
}

impl ActionHandler for Scripted {
    fn may_resolve<'a>(&'a self, _: &'a PendingAction, _: &'a ResolveCall) -> Boxed<'a, Permission> {
        self.hear("can_resolve");
        let granted = input(&self.script, "can_resolve") == &Value::Bool(true);
        Box::pin(async move { if granted { Permission::Granted } else { Permission::Denied } })
    }

    fn handle<'a>(&'a self, _: &'a PendingAction, call: &'a ResolveCall) -> Boxed<'a, Result<Value, String>> {
        let verdict: &str = call.verdict.into();
        self.hear(format!("handle:{verdict}"));
        let answer = input(&self.script, "returns").clone();
        Box::pin(async move { Ok(answer) })
    }
}

pub(super) async fn resolve(case: &Value) -> Answer {
    let script = Some(input(case, "resolver_script")).filter(|script| !script.is_null()).map(Scripted::new);
    let resolver = script.clone().map(|script| script as Arc<dyn ActionResolver>);
    let desk = ApprovalDesk { approvals: None, resolver };
    let resolved = desk.resolve(&object(case, "input")).await.map_err(|error| error.to_value())?;
    let call = script.and_then(|script| script.heard().pop());
    Ok(json!({ "result": resolved.to_value(), "resolver_call": call }))
}

pub(super) async fn get(case: &Value) -> Answer {
    let desk = desk(case).await?;
    let found = desk.get(&object(case, "input")).await.map_err(|error| error.to_value())?;
    Ok(json!({ "action": found.map(|action| action.to_object()) }))
}

pub(super) async fn list_actions(case: &Value) -> Answer {
    let desk = desk(case).await?;
    let asked = object(case, "input");
    let actions = desk.list(&asked).await.map_err(|error| error.to_value())?;
    let ids: Vec<&str> = actions.iter().map(PendingAction::action_id).collect();
    Ok(json!({ "actions": ids, "filters_seen": provost_contract::json::object_or_empty(&asked, "filters") }))
}

pub(super) async fn store_script(case: &Value) -> Answer {
    let storage = stored(case).await?;
    let mut answers = Vec::new();
    for step in list(case, "steps") {
        answers.push(store_step(storage.as_ref(), step).await?);
    }
    Ok(answers.into())
}

async fn store_step(approvals: &dyn Approvals, step: &Value) -> Answer {
    let id = text(step, "action_id");
    let answer = match text(step, "call") {
        "get" => {
            let decided = match input(step, "include_resolved") == &Value::Bool(true) {
                true => Decided::Included,
                false => Decided::Hidden,
            };
            approvals
                .get(id, decided)
                .await
                .map(|found| found.map(|action| Value::from(action.to_object())).into())
        }
        "record_resolution" => {
            let verdict = Verdict::parse(text(step, "decision"))?;
            let mut resolution = Resolution::new(verdict, text(step, "resolver"), text(step, "now"))?;
            resolution.result = input(step, "result").clone();
            resolution.error = input(step, "error").as_str().map(str::to_owned);
            resolution.metadata = object(step, "metadata");
            approvals.record_resolution(id, resolution).await.map(Value::from)
        }
        "expire" => approvals.expire(text(step, "before")).await.map(Value::from),
        call => return unknown_operation(call),
    };
    answer.map_err(|fault| fault.to_string().into())
}

pub(super) async fn resolve_with_handler(case: &Value) -> Answer {
    let storage = stored(case).await?;
    let desk = ApprovalDesk { approvals: Some(storage.clone()), resolver: None };
    let handler = Scripted::new(input(case, "handler"));
    let call = ResolveCall::parse(&case.as_object().cloned().unwrap_or_default())?;
    let handled = desk
        .resolve_with(handler.as_ref(), &call, text(case, "now"))
        .await
        .map_err(|error| error.to_value())?;
    let after = Approvals::get(storage.as_ref(), &call.action_id, Decided::Included)
        .await
        .map_err(|fault| Value::from(fault.to_string()))?;
    Ok(json!({
        "handled": matches!(handled, HandledAction::Handled(_)),
        "handler_calls": handler.heard(),
        "status_after": after.map(|action| action.status()),
    }))
}

async fn desk(case: &Value) -> Result<ApprovalDesk, Value> {
    let storage: Arc<dyn Approvals> = stored(case).await?;
    let approvals = Some(storage).filter(|_| input(case, "store") != &Value::Bool(false));
    Ok(ApprovalDesk { approvals, resolver: None })
}

async fn stored(case: &Value) -> Result<Arc<Storage>, Value> {
    let storage = Storage::new();
    for action in list(case, "actions") {
        let action = PendingAction::parse(action)?;
        storage.store(action).await.map_err(|error| Value::from(error.to_string()))?;
    }
    Ok(storage)
}
