//! Reading the calls of a turn: which tool is meant, what may be shown of it, whether it can be executed.

use std::collections::BTreeSet;
use std::sync::Arc;

use provost_contract::json::{self, Object};
use provost_contract::provider_turn::RequestedCall;
use provost_contract::sensitivity::{self, REDACTED};
use provost_contract::tool::{ParameterRules, RuntimeMetadata, ToolCall, ToolDeclaration, ToolResult};
use provost_engine::event::{Call, Unprepared};
use provost_engine::{Agent, Args, ArgumentCheck, Fault};
use provost_protocol::ArgumentSchema;
use serde_json::{Value, json};

use super::tool_call::{Prepared, Tool, prepare};

/// The calls of a turn, and their raw arguments in the same order.
#[derive(Default)]
pub(super) struct Declared {
    pub(super) calls: Vec<Arc<Call>>,
    pub(super) raw: Vec<Object>,
    /// The calls as the model wrote them, by label.
    pub(super) entries: Vec<(String, Object)>,
}

/// Reads the calls of a turn. An entry that names no tool is left out, but counts in the numbering.
pub(super) fn declare(agent: &Agent, turn: u32, context: &Object, entries: &[Value]) -> Declared {
    let mut declared = Declared::default();
    let mut labels = BTreeSet::new();
    for (position, entry) in (1..).zip(entries) {
        let Some(entry) = entry.as_object() else { continue };
        let name = json::non_empty_text(entry, "name").or_else(|| json::non_empty_text(entry, "tool_name"));
        let Some(called) = name else { continue };
        let label = call_id(entry).unwrap_or_else(|| format!("tool-call-{turn}-{position}"));
        let label = unique(label, position, &labels);
        labels.insert(label.clone());
        let arguments = json::object(entry, "parameters").cloned().unwrap_or_default();
        let tool = agent.catalog.find(called);
        let unprepared = match unread(entry) {
            Some(reason) => Some(unreadable(tool.map_or(called, |tool| tool.name().as_str()), reason)),
            None => unprepared(agent, tool, called, &label, context, &arguments),
        };
        declared.entries.push((label.clone(), entry.clone()));
        declared.calls.push(Arc::new(call(tool, label, called, &arguments, unprepared)));
        declared.raw.push(arguments);
    }
    declared
}

/// Reads the arguments of a declared action, as those of a call. What refers to results that are not known yet is
/// prepared when they are.
pub(super) fn read_declared(
    agent: &Agent,
    name: &str,
    label: &str,
    context: &Object,
    arguments: &Object,
    known: bool,
) -> Call {
    let tool = agent.catalog.find(name);
    let unprepared = if known { unprepared(agent, tool, name, label, context, arguments) } else { None };
    call(tool, label.to_owned(), name, arguments, unprepared)
}

/// Returns the arguments of an action whose references have values, or why they do not fit its tool.
pub(super) fn read_resolved(
    agent: &Agent,
    name: &str,
    label: &str,
    context: &Object,
    arguments: &Object,
) -> Result<Args, Fault> {
    let tool = agent.catalog.find(name);
    if let Some(unfit) = unprepared(agent, tool, name, label, context, arguments) {
        let error = json::text(&unfit.result, "error").unwrap_or("its arguments do not fit");
        let fields = Object::from_iter([("problem".to_owned(), unfit.code.into())]);
        return Err(Fault { code: "unresolved_input".into(), message: format!("Not run: {error}"), fields });
    }
    let schema = tool.map(|tool| Value::Object(tool.rules().model_schema()));
    let faults = schema.and_then(|schema| ArgumentSchema::compile(&schema).ok());
    let faults = faults.map(|schema| schema.faults(&Value::Object(arguments.clone()))).unwrap_or_default();
    if let Some(fault) = faults.first() {
        let message =
            format!("Not run: with the values of its references the arguments of {name} do not fit: {fault}");
        return Err(Fault::new("unresolved_input", message));
    }
    Ok(call(tool, label.to_owned(), name, arguments, None).args)
}

/// Returns the call that an executor gets.
pub(super) fn tool_call(
    agent: &Agent,
    called: &str,
    label: &str,
    context: &Object,
    arguments: &Object,
) -> Option<ToolCall> {
    let tool = agent.catalog.find(called);
    let context = with_label(context, label);
    prepare(tool.map(Tool::from).as_ref(), called, arguments, &context).ok().and_then(Prepared::ready)
}

fn with_label(context: &Object, label: &str) -> Object {
    let mut context = context.clone();
    context.insert("tool_call_id".into(), label.into());
    context
}

fn call(
    tool: Option<&ToolDeclaration>,
    label: String,
    called: &str,
    arguments: &Object,
    unprepared: Option<Unprepared>,
) -> Call {
    let redacted = match tool {
        Some(tool) => tool.rules().redact(arguments),
        None => ParameterRules::default().redact(arguments),
    };
    let name = tool.map_or(called, |tool| tool.name().as_str());
    Call {
        label,
        name: name.to_owned(),
        called: (called != name).then(|| called.to_owned()),
        args: Args::redacted(arguments, redacted.into_object()),
        unprepared,
    }
}

/// Why a call cannot be executed, if it cannot.
fn unprepared(
    agent: &Agent,
    tool: Option<&ToolDeclaration>,
    called: &str,
    label: &str,
    context: &Object,
    arguments: &Object,
) -> Option<Unprepared> {
    let context = with_label(context, label);
    let prepared = prepare(tool.map(Tool::from).as_ref(), called, arguments, &context).ok()?;
    if let Some(result) = prepared.unprepared() {
        return Some(Unprepared { code: error_type(&result), result });
    }
    let tool = tool?;
    let call = prepared.ready()?;
    let faults = faults(agent, tool, arguments, &call);
    (!faults.is_empty()).then(|| unfit(tool, &faults))
}

fn error_type(result: &Object) -> String {
    let metadata = json::object(result, "metadata");
    metadata.and_then(|metadata| json::text(metadata, "error_type")).unwrap_or("unprepared").to_owned()
}

/// What is wrong with the arguments that a model or a person gave.
pub(super) fn faults(agent: &Agent, tool: &ToolDeclaration, given: &Object, call: &ToolCall) -> Vec<String> {
    let mut faults: Vec<String> = secrets_gone(tool.rules(), given).collect();
    if agent.spec.arguments == ArgumentCheck::Schema
        && let Ok(schema) = ArgumentSchema::compile(&Value::Object(tool.rules().schema()))
    {
        let unfit = schema.faults(&Value::Object(call.parameters.clone()));
        faults.extend(unfit.iter().map(ToString::to_string));
    }
    faults
}

/// A call that is repeated from a record has the mark in place of its secrets, and the mark is none.
fn secrets_gone(rules: &ParameterRules, given: &Object) -> impl Iterator<Item = String> {
    let gone = given.iter().filter(|(name, value)| {
        let alone = || Object::from_iter([(String::clone(name), Value::clone(value))]);
        sensitivity::holds_redacted(value) && !rules.redact(&alone()).shows_all()
    });
    gone.map(|(name, _)| {
        format!("/{name}: {REDACTED} stands for a secret that is not recorded: say it again")
    })
}

fn unfit(tool: &ToolDeclaration, faults: &[String]) -> Unprepared {
    let error = format!("The arguments of {} do not fit: {}", tool.name(), faults.join("; "));
    let metadata = json!({ "error_type": "invalid_parameters", "invalid_parameters": faults });
    failed(tool.name().as_str(), &error, metadata, tool.runtime().clone())
}

/// Why the arguments of a call could not be read, if they could not.
fn unread(entry: &Object) -> Option<&str> {
    json::text(json::object(entry, "metadata")?, RequestedCall::UNREAD_ARGUMENTS)
}

/// A call without its arguments is another call, and the model did not ask for that one.
fn unreadable(called: &str, reason: &str) -> Unprepared {
    let error = format!(
        "The arguments of {called} cannot be read: {reason}. The call was not made. Make it again, with its arguments as one JSON object."
    );
    let metadata = json!({ "error_type": "invalid_parameters", "invalid_parameters": [reason] });
    failed(called, &error, metadata, RuntimeMetadata::default())
}

fn failed(tool: &str, error: &str, metadata: Value, runtime: RuntimeMetadata) -> Unprepared {
    let result = ToolResult::failure(tool, error, json::into_object(metadata), runtime);
    Unprepared {
        code: "invalid_parameters".into(),
        result: result.map(|result| result.to_object()).unwrap_or_default(),
    }
}

/// A label names one call of a turn. The first one has it.
fn unique(label: String, position: usize, labels: &BTreeSet<String>) -> String {
    let mut own = label;
    while labels.contains(&own) {
        own = format!("{own}-{position}");
    }
    own
}

/// The model's id. A blank or unreadable one counts as none, and hides the other key.
fn call_id(entry: &Object) -> Option<String> {
    let given = json::present(entry, "id").or_else(|| json::present(entry, "tool_call_id"))?;
    given.as_str().map(str::trim).filter(|id| !id.is_empty()).map(str::to_owned)
}
