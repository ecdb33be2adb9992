//! What an open wait asks, as records and clients read it.

use std::sync::Arc;

use provost_contract::approval::{PendingAction, approval_message};
use provost_contract::json::{self, Object};
use provost_contract::tool::{ParameterRules, RuntimeToolRequest, ToolDeclaration, ToolResult};
use provost_contract::{Message, timestamp};
use serde_json::{Value, json};

use super::shown::Called;
use crate::Time;
use crate::event::{WaitKind, WaitOpened};
use crate::state::{Action, RunState};

/// What is asked about one action.
#[derive(Clone, Debug)]
pub(super) struct Asked {
    /// Whether a client must answer; otherwise a person.
    pub(super) client: bool,
    /// The proposal, or the request that the client gets.
    pub(super) value: Value,
    /// What stands for it in the transcript.
    pub(super) message: Arc<Message>,
}

/// Returns what a wait asks about an action; none when neither a person nor a client is asked.
pub(super) fn asked(
    state: &RunState,
    action: &Action,
    called: &Called,
    opened: &WaitOpened,
    at: Time,
) -> Option<Asked> {
    match &opened.kind {
        WaitKind::Client => client(state, called, opened),
        WaitKind::Question | WaitKind::Input if proposed(opened).is_some() => by_tool(opened),
        WaitKind::Approval { .. } | WaitKind::InDoubt { .. } | WaitKind::Question | WaitKind::Input => {
            proposal(state, action, called, opened, at)
        }
        WaitKind::Child { .. } | WaitKind::Timer | WaitKind::Signal { .. } => None,
    }
}

/// The proposal that a tool made itself.
pub(super) fn proposed(opened: &WaitOpened) -> Option<&Value> {
    let request = opened.ask.shown().get("request")?;
    (request.get("type")?.as_str() == Some("approval_required")).then_some(request)
}

/// The record of the ruling that asks about an action; one question may be about several.
pub(super) fn ruling<'a>(opened: &'a WaitOpened, action: &Action) -> Option<&'a Value> {
    let id = Value::from(action.spec.id.to_string());
    let mut about = opened.ask.shown().get("actions")?.as_array()?.iter();
    about.find(|about| about.get("action") == Some(&id))?.get("ruling").filter(|ruling| !ruling.is_null())
}

/// What would happen, as it was found out when the question was asked. A change set is its own preview.
pub(super) fn preview(opened: &WaitOpened, envelope: &Value) -> Value {
    let ask = opened.ask.shown();
    let found = |value: Option<&Value>| value.filter(|value| !value.is_null()).cloned();
    let of_ask = found(ask.get("preview")).or_else(|| found(ask.get("change_set")));
    of_ask.or_else(|| found(envelope.pointer("/payload/preview"))).unwrap_or_default()
}

fn by_tool(opened: &WaitOpened) -> Option<Asked> {
    let value = proposed(opened)?.clone();
    let message = Arc::new(Message::parse(&value).ok()?);
    Some(Asked { client: false, value, message })
}

/// The question whether a call may run, or what became of it, as a pending action.
fn proposal(
    state: &RunState,
    action: &Action,
    called: &Called,
    opened: &WaitOpened,
    at: Time,
) -> Option<Asked> {
    let (ask, name) = (opened.ask.shown(), &called.name);
    let agent = Some(state.spec.agent.as_str()).filter(|agent| !agent.is_empty());
    let shown = json!({ "tool_name": name, "parameters": called.parameters });
    let ruling = ruling(opened, action).cloned().unwrap_or_default();
    let reason = ruling.get("reason").and_then(Value::as_str).unwrap_or_default();
    let (kind, summary) = match &opened.kind {
        WaitKind::InDoubt { cause } => ("in_doubt", in_doubt(name, cause)),
        WaitKind::Question => ("question", action.spec.prompt.clone().unwrap_or_else(|| name.clone())),
        WaitKind::Input => ("input", format!("{name} needs more input.")),
        _ => ("tool_call", format!("{} wants to run {name}: {reason}", agent.unwrap_or("the agent"))),
    };
    let preview = ask.get("preview").filter(|preview| !preview.is_null()).cloned();
    let workspace = state.agent.spec.policy.get("workspace").filter(|scope| scope.is_object());
    let ends = opened.due.map(moment);
    let pending = PendingAction::parse(&json!({
        "action_id": opened.wait.to_string(),
        "kind": kind,
        "summary": summary,
        "preview": preview.unwrap_or_else(|| shown.clone()),
        "apply_input": shown,
        "workspace": workspace,
        "agent": agent,
        "creator": agent.map(|agent| format!("agent:{agent}")),
        "created_at": moment(at),
        "expires_at": ends,
        "metadata": metadata(state, action, called, opened, ruling),
    }));
    let label = Object::from_iter([("tool_call_id".to_owned(), called.label.as_str().into())]);
    let message = approval_message(&pending.ok()?, None, &[], label);
    Some(Asked { client: false, value: message.to_value(), message: Arc::new(message) })
}

/// What is known of a call whose outcome is not.
fn in_doubt(name: &str, cause: &str) -> String {
    let known = match cause {
        "timed_out" => "took longer than its time limit",
        "failed" => "failed on the way",
        "may_still_run" => "was running when its process was lost, may still be running",
        _ => "was running when the process died",
    };
    format!("{name} {known}, and it is not known whether it took effect.")
}

fn metadata(
    state: &RunState,
    action: &Action,
    called: &Called,
    opened: &WaitOpened,
    ruling: Value,
) -> Object {
    let mut metadata = json::into_object(json!({
        "run_id": state.spec.run,
        "session_id": state.spec.session.as_ref().map(|session| &session.id),
        "turn": called.turn,
        "tool_name": called.name,
        "tool_call_id": called.label,
        "arguments_sha256": action.args.raw,
        "key": state.key(action),
        "binding": opened.binding,
        "approvers": opened.may_answer,
    }));
    if !ruling.is_null() {
        metadata.insert("decision".into(), ruling);
    }
    if opened.ask.shown().get("person_only") == Some(&Value::Bool(true)) {
        metadata.insert("person_only".into(), true.into());
    }
    metadata
}

fn moment(at: Time) -> String {
    timestamp::iso8601(at.0.div_euclid(1_000))
}

/// The request that a client gets, with redacted parameters: the rest is filled in from the call and the run.
fn client(state: &RunState, called: &Called, opened: &WaitOpened) -> Option<Asked> {
    let ask = opened.ask.shown();
    let result = ask.get("request").or_else(|| ask.get("result"));
    let result = result.and_then(|result| ToolResult::parse(result).ok());
    let own = ask.get("request").or_else(|| ask.get("result")).and_then(Value::as_object);
    let own =
        own.and_then(|own| json::object(own, "runtime_tool_request").or_else(|| json::object(own, "result")));
    let mut request = own.cloned().unwrap_or_default();
    let declaration = state.agent.catalog.get(&called.name);
    let context = |key: &str| state.spec.context.get(key).cloned().unwrap_or_default();
    let declared = || declaration.map(|tool| tool.runtime().to_value()).unwrap_or_default();
    let defaults: [(&str, Value); 7] = [
        ("tool_name", called.name.as_str().into()),
        ("tool_call_id", called.label.as_str().into()),
        ("parameters", called.parameters.clone().into()),
        ("run_id", context("run_id")),
        ("timeout_at", context("runtime_tool_timeout_at")),
        ("runtime", result.as_ref().map_or_else(declared, |result| result.runtime().to_value())),
        ("metadata", result.map(|result| result.metadata().clone()).unwrap_or_default().into()),
    ];
    for (key, value) in defaults {
        if json::present(&request, key).is_none() {
            request.insert(key.to_owned(), value);
        }
    }
    let mut metadata = json::object_or_empty(&request, "metadata");
    metadata.insert("turn_count".into(), called.turn.into());
    request.insert("metadata".into(), metadata.into());
    let mut wire = json::into_object(RuntimeToolRequest::parse(&request.into()).ok()?.to_value());
    let no_rules = ParameterRules::default();
    let rules = declaration.map_or(&no_rules, ToolDeclaration::rules);
    let redacted = rules.redact(&json::object_or_empty(&wire, "parameters"));
    wire.insert("parameters".into(), redacted.to_value());
    let value = Value::Object(wire);
    let payload = json!({ "success": false, "status": "runtime_tool_pending", "result": value });
    let label = Object::from_iter([("tool_call_id".to_owned(), called.label.as_str().into())]);
    let message = Message::tool_result(&value.to_string(), &called.name, json::into_object(payload), label);
    Some(Asked { client: true, value, message: Arc::new(message) })
}
