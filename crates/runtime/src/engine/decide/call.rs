//! Reading the calls of a turn: which tool is meant, what may be shown of it, whether it can be executed.

use std::collections::BTreeSet;
use std::sync::{Arc, LazyLock};

use provost_contract::json::{self, Object};
use provost_contract::provider_turn::RequestedCall;
use provost_contract::sensitivity::{self, REDACTED};
use provost_contract::tool::{ParameterRules, RuntimeMetadata, ToolCall, ToolDeclaration, ToolResult};
use provost_contract::{Result, canonical};
use serde_json::{Value, json};

use super::execution::{Prepared, Tool, prepare};
use crate::engine::{ArgumentCheck, CallDeclared, RunState};

/// A call with everything an executor needs. Its parameters are raw: it lives in memory only, and only
/// until the call is settled.
#[derive(Clone, Debug)]
pub struct RawCall {
    /// The call as the model wrote it.
    pub raw: Object,
    /// The caller's context, with the turn and the id of the call.
    pub context: Arc<Object>,
    /// The call an executor gets; none when it could not be prepared.
    pub prepared: Option<Arc<ToolCall>>,
}

impl RawCall {
    /// The model's arguments.
    pub fn parameters(&self) -> &Object {
        parameters(&self.raw)
    }
}

/// Reads the calls of a turn. An entry that names no tool is left out, but keeps its place in the count.
pub(super) fn declare(
    state: &RunState,
    context: &Object,
    calls: Vec<Value>,
) -> Result<(Vec<Arc<CallDeclared>>, Vec<RawCall>)> {
    let (mut all, mut raws) = (Vec::with_capacity(calls.len()), Vec::with_capacity(calls.len()));
    let mut ids = BTreeSet::new();
    for (position, call) in (1..).zip(calls) {
        let Value::Object(raw) = call else { continue };
        // Noted only when another call follows: most turns have one.
        ids.extend(all.last().map(|before: &Arc<CallDeclared>| before.id.clone()));
        if let Some((declared, raw)) = declare_one(state, context, raw, position, &ids)? {
            all.push(Arc::new(declared));
            raws.push(raw);
        }
    }
    Ok((all, raws))
}

fn declare_one(
    state: &RunState,
    context: &Object,
    raw: Object,
    position: usize,
    ids: &BTreeSet<String>,
) -> Result<Option<(CallDeclared, RawCall)>> {
    let name = json::non_empty_text(&raw, "name").or_else(|| json::non_empty_text(&raw, "tool_name"));
    let Some(called) = name else { return Ok(None) };
    let id = call_id(&raw).unwrap_or_else(|| format!("tool-call-{}-{position}", state.turn));
    let id = one_of_its_own(id, position, ids);
    let context = call_context(context, &id);
    let tool = state.rules.tools.catalog.find(called);
    let prepared = match unread(&raw) {
        Some(reason) => unreadable(tool.map_or(called, |tool| tool.name().as_str()), reason)?,
        None => prepare_call(state, tool, &context, called, parameters(&raw))?,
    };
    let declared = declared(tool, id, called, parameters(&raw), prepared.unprepared());
    let prepared = prepared.ready().map(Arc::new);
    Ok(Some((declared, RawCall { raw, context: Arc::new(context), prepared })))
}

/// An id names one call: what is asked, allowed and answered under it must not stand for another. The
/// first keeps it.
fn one_of_its_own(id: String, position: usize, ids: &BTreeSet<String>) -> String {
    let mut own = id;
    while ids.contains(&own) {
        own = format!("{own}-{position}");
    }
    own
}

fn parameters(raw: &Object) -> &Object {
    static NONE: LazyLock<Object> = LazyLock::new(Object::new);
    json::object(raw, "parameters").unwrap_or(&NONE)
}

/// The caller's context of the turn, with the id of the call.
fn call_context(context: &Object, id: &str) -> Object {
    let mut context = context.clone();
    context.insert("tool_call_id".into(), id.into());
    context
}

/// What is recorded of a call.
fn declared(
    tool: Option<&ToolDeclaration>,
    id: String,
    called: &str,
    parameters: &Object,
    unprepared: Option<Object>,
) -> CallDeclared {
    let redacted = match tool {
        Some(tool) => tool.rules().redact(parameters),
        None => ParameterRules::default().redact(parameters),
    };
    let name = tool.map_or(called, |tool| tool.name().as_str());
    let parameters_sha256 = redacted.sha256();
    let raw_sha256 = (!redacted.shows_all()).then(|| canonical::object_hash(parameters));
    CallDeclared {
        id,
        name: name.to_owned(),
        called: (called != name).then(|| called.to_owned()),
        declared: tool.is_some(),
        parameters_sha256,
        parameters: redacted.into_object(),
        raw_sha256,
        unprepared,
    }
}

/// `context` has the id of the call.
fn prepare_call(
    state: &RunState,
    tool: Option<&ToolDeclaration>,
    context: &Object,
    called: &str,
    parameters: &Object,
) -> Result<Prepared> {
    let prepared = prepare(tool.map(Tool::from).as_ref(), called, parameters, context)?;
    let (Some(tool), Prepared::Ready(call)) = (tool, &prepared) else { return Ok(prepared) };
    let faults = faults(state, tool, parameters, call);
    if faults.is_empty() { Ok(prepared) } else { unfit(tool, faults) }
}

/// What is wrong with the arguments a model or a person gave, and with what an executor would get of them.
fn faults(state: &RunState, tool: &ToolDeclaration, given: &Object, call: &ToolCall) -> Vec<String> {
    let mut faults: Vec<String> = secrets_gone(tool.rules(), given).collect();
    if state.spec.arguments == ArgumentCheck::Schema {
        let facts = state.rules.facts(tool.name().as_str());
        let unfit = facts.map(|facts| facts.faults(tool, &call.parameters)).unwrap_or_default();
        faults.extend(unfit.iter().map(|fault| format!("{}: {}", fault.pointer, fault.message)));
    }
    faults
}

/// Whoever repeats a call from a record has the mark in place of its secrets, and the mark is none.
fn secrets_gone(rules: &ParameterRules, given: &Object) -> impl Iterator<Item = String> {
    let gone = given.iter().filter(|(name, value)| {
        let alone = || Object::from_iter([(String::clone(name), Value::clone(value))]);
        sensitivity::holds_redacted(value) && !rules.redact(&alone()).shows_all()
    });
    gone.map(|(name, _)| {
        format!("/{name}: {REDACTED} stands for a secret that is kept nowhere: say it again")
    })
}

/// A call whose arguments do not fit is not executed, and the model learns why.
fn unfit(tool: &ToolDeclaration, told: Vec<String>) -> Result<Prepared> {
    let error = format!("The arguments of {} do not fit: {}", tool.name(), told.join("; "));
    let metadata = json!({ "error_type": "invalid_parameters", "invalid_parameters": told });
    let metadata = json::into_object(metadata);
    ToolResult::failure(tool.name().as_str(), &error, metadata, tool.runtime().clone()).map(Prepared::Refused)
}

/// Why the arguments of a call could not be read, if they could not.
fn unread(raw: &Object) -> Option<&str> {
    json::text(json::object(raw, "metadata")?, RequestedCall::UNREAD_ARGUMENTS)
}

/// A call without its arguments is another call, and the model did not ask for that one.
fn unreadable(called: &str, reason: &str) -> Result<Prepared> {
    let error = format!(
        "The arguments of {called} cannot be read: {reason}. The call was not made. Make it again, with its arguments as one JSON object."
    );
    let metadata = json!({ "error_type": "invalid_parameters", "invalid_parameters": [reason] });
    ToolResult::failure(called, &error, json::into_object(metadata), RuntimeMetadata::default())
        .map(Prepared::Refused)
}

/// A call with arguments somebody changed before it runs. `context` is the caller's own, of this turn.
///
/// # Errors
/// When the call cannot be written with them.
pub(super) fn edited(
    state: &RunState,
    context: &Object,
    call: &CallDeclared,
    parameters: &Object,
) -> Result<(CallDeclared, RawCall)> {
    let context = call_context(context, &call.id);
    let tool = state.rules.tools.catalog.find(call.called());
    let prepared = prepare_call(state, tool, &context, call.called(), parameters)?;
    let declared = declared(tool, call.id.clone(), call.called(), parameters, prepared.unprepared());
    let raw = raw_of(call, context, parameters, prepared.ready());
    Ok((declared, raw))
}

/// A call as the journal knows it. One whose arguments were secret cannot be prepared any more. `context`
/// is the caller's own, of this turn.
pub fn recovered(state: &RunState, context: &Object, call: &CallDeclared) -> RawCall {
    let context = call_context(context, &call.id);
    let Some(parameters) = call.kept_parameters() else {
        return raw_of(call, context, &call.parameters, None);
    };
    let tool = state.rules.tools.catalog.find(call.called());
    let prepared = prepare_call(state, tool, &context, call.called(), &parameters);
    let prepared = prepared.ok().and_then(Prepared::ready).filter(|_| call.unprepared.is_none());
    raw_of(call, context, &parameters, prepared)
}

fn raw_of(call: &CallDeclared, context: Object, parameters: &Object, prepared: Option<ToolCall>) -> RawCall {
    let raw = json!({ "id": call.id, "name": call.called(), "parameters": parameters });
    RawCall { raw: json::into_object(raw), context: Arc::new(context), prepared: prepared.map(Arc::new) }
}

/// The model's id. A blank or unreadable one counts as none, and hides the other key.
fn call_id(raw: &Object) -> Option<String> {
    let given = json::present(raw, "id").or_else(|| json::present(raw, "tool_call_id"))?;
    given.as_str().map(str::trim).filter(|id| !id.is_empty()).map(str::to_owned)
}
