//! A store of pending actions, and a resolver and handler that follow a script.

use provost_contract::approval::{PendingAction, PendingActionStatus, Resolution, ResolveRequest, Verdict};
use provost_contract::json::{self, Object};
use provost_contract::{ContractError, loose};
use serde_json::{Value, json};

use crate::conformance::areas::{Answer, input, list, object, text, unknown_operation};

/// Pending actions in the order in which they came.
struct Actions(Vec<PendingAction>);

impl Actions {
    /// The actions of a case.
    fn of(case: &Value) -> Result<Self, Value> {
        let actions = list(case, "actions").iter().map(PendingAction::parse);
        Ok(Self(actions.collect::<Result<_, _>>()?))
    }

    /// The same, unless the case has no store.
    fn stored(case: &Value) -> Result<Self, Value> {
        if input(case, "store") == &Value::Bool(false) {
            let message = "No pending action store is registered.";
            return Err(ContractError::with_message("agents_pending_action_no_store", message).to_value());
        }
        Self::of(case)
    }

    fn get(&self, id: &str, decided: bool) -> Option<&PendingAction> {
        let found = self.0.iter().find(|action| action.action_id() == id)?;
        (decided || !found.status().is_terminal()).then_some(found)
    }

    fn resolve(&mut self, id: &str, resolution: Resolution) -> bool {
        let found = self.0.iter_mut().find(|action| action.action_id() == id);
        found.is_some_and(|action| action.resolve(resolution))
    }
}

fn shown(action: Option<&PendingAction>) -> Value {
    action.map(|action| Value::from(action.to_object())).into()
}

pub(super) fn resolve(case: &Value) -> Answer {
    let request = ResolveRequest::parse(&object(case, "input"))?;
    let script = input(case, "resolver_script");
    if script.is_null() {
        let message = "No pending action resolver is registered.";
        return Err(ContractError::with_message("agents_pending_action_no_resolver", message).to_value());
    }
    if let Some(error) = script.get("error") {
        let code = text(error, "code").to_owned();
        return Err(ContractError::with_message(code, text(error, "message")).to_value());
    }
    let result = json!({
        "action_id": request.action_id,
        "decision": request.verdict,
        "result": input(script, "returns"),
    });
    Ok(json!({ "result": result, "resolver_call": request.to_value() }))
}

pub(super) fn get(case: &Value) -> Answer {
    let asked = object(case, "input");
    let action_id = json::get(&asked, "action_id").and_then(loose::text).ok_or_else(|| {
        let code = "agents_pending_action_missing_action_id";
        ContractError::with_message(code, "action_id is required.").to_value()
    })?;
    let decided = json::get(&asked, "include_resolved").is_some_and(loose::flag);
    Ok(json!({ "action": shown(Actions::stored(case)?.get(&action_id, decided)) }))
}

/// A status that is none shows nothing.
pub(super) fn list_actions(case: &Value) -> Answer {
    let actions = Actions::stored(case)?;
    let filters: Object = json::object_or_empty(&object(case, "input"), "filters");
    let status = json::get(&filters, "status").and_then(loose::text);
    let shows = |action: &&PendingAction| {
        status.as_deref().is_none_or(|word| PendingActionStatus::parse(word) == Ok(action.status()))
    };
    let ids: Vec<&str> = actions.0.iter().filter(shows).map(PendingAction::action_id).collect();
    Ok(json!({ "actions": ids, "filters_seen": filters }))
}

pub(super) fn store_script(case: &Value) -> Answer {
    let mut actions = Actions::of(case)?;
    list(case, "steps").iter().map(|step| store_step(&mut actions, step)).collect()
}

fn store_step(actions: &mut Actions, step: &Value) -> Answer {
    let id = text(step, "action_id");
    match text(step, "call") {
        "get" => Ok(shown(actions.get(id, input(step, "include_resolved") == &Value::Bool(true)))),
        "record_resolution" => {
            let verdict = Verdict::parse(text(step, "decision"))?;
            let mut resolution = Resolution::new(verdict, text(step, "resolver"), text(step, "now"))?;
            resolution.result = input(step, "result").clone();
            resolution.error = input(step, "error").as_str().map(str::to_owned);
            resolution.metadata = object(step, "metadata");
            Ok(actions.resolve(id, resolution).into())
        }
        "expire" => {
            let before = text(step, "before");
            Ok(actions.0.iter_mut().filter_map(|action| action.expire(before).then_some(())).count().into())
        }
        call => unknown_operation(call),
    }
}

/// The handler says whether the resolver may decide before anything happens; the decision is recorded before
/// the handler acts.
pub(super) fn resolve_with_handler(case: &Value) -> Answer {
    let (mut actions, handler) = (Actions::of(case)?, input(case, "handler"));
    let request = ResolveRequest::parse(&case.as_object().cloned().unwrap_or_default())?;
    let (id, verdict): (&str, &str) = (&request.action_id, request.verdict.into());
    let mut calls = Vec::new();
    let mut handled = false;
    if actions.get(id, false).is_some() {
        calls.push("can_resolve".to_owned());
        let resolution = Resolution::new(request.verdict, &request.resolver, text(case, "now"))?;
        let granted = input(handler, "can_resolve") == &Value::Bool(true);
        if granted && actions.resolve(id, resolution) {
            calls.push(format!("handle:{verdict}"));
            handled = true;
        }
    }
    Ok(json!({
        "handled": handled,
        "handler_calls": calls,
        "status_after": actions.get(id, true).map(PendingAction::status),
    }))
}
