//! The schema of the carrier tool: one plain object for every provider. The complete check follows after
//! the call was parsed.

use provost_contract::action::ExecutorType;
use provost_contract::json::Object;
use serde_json::{Value, json};

use super::{closed, gemini};
use crate::Catalog;

/// The description of the carrier tool.
pub const CARRIER_DESCRIPTION: &str =
    "Declare what shall be done next, or answer. Call this exactly once and call no other tool.";

/// More names are not listed: the prompt contains them all.
const NAMES_MAX: usize = 200;
const ARGS: &str = "What the tool takes; for an agent, prompt says what to do. In place of any value, \
{\"$ref\": \"action:<id>.output#/json/pointer\"} passes on the result of a call in depends without you reading it.";
/// The result policies of a flat call.
const RESULTS: [&str; 6] = ["summary", "full", "structured", "on_failure", "on_demand", "adaptive"];

/// The schema dialect of a provider.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// JSON Schema: Anthropic, llama.cpp grammars, and others that accept a plain schema.
    Plain,
    /// OpenAI with `strict`: every object is closed and every property required; optional properties may be
    /// null. Remove the nulls with [`without_strict_nulls`](super::without_strict_nulls).
    OpenAiStrict,
    /// Gemini's `parameters`: one type per node, neither open nor closed objects.
    Gemini,
}

/// Returns the schema of the carrier tool for this turn.
///
/// `None` if the dialect cannot express the arguments of a tool; then send the plain schema in the
/// provider's less strict field.
pub fn carrier_schema(catalog: &Catalog, dialect: Dialect) -> Option<Value> {
    match dialect {
        Dialect::Plain => Some(plain(catalog)),
        Dialect::OpenAiStrict => closed::closed_carrier(catalog, &plain(catalog)),
        Dialect::Gemini => gemini::gemini_carrier(catalog, &plain(catalog)),
    }
}

fn plain(catalog: &Catalog) -> Value {
    let has = |kind| catalog.of(kind).next().is_some();
    let can_act = has(ExecutorType::Tool) || has(ExecutorType::Agent);
    let mut kinds = vec!["answer", "done"];
    let mut properties = Object::new();
    if can_act {
        kinds.insert(0, "act");
    }
    let about = "act: have the calls done. answer: the message is your answer. done: nothing is left to do.";
    properties.insert("kind".into(), json!({ "type": "string", "enum": kinds, "description": about }));
    let about = "Markdown for the user; required for answer.";
    properties.insert("message".into(), json!({ "type": "string", "description": about }));
    if can_act {
        let about = "Required for act, and only for act.";
        properties
            .insert("calls".into(), json!({ "type": "array", "items": call(catalog), "description": about }));
    }
    json!({
        "type": "object",
        "properties": properties,
        "required": ["kind"],
        "additionalProperties": false,
    })
}

fn call(catalog: &Catalog) -> Value {
    let text = |about: &str| json!({ "type": "string", "description": about });
    let classes: Vec<ExecutorType> = [ExecutorType::Tool, ExecutorType::Agent]
        .into_iter()
        .filter(|kind| catalog.of(*kind).next().is_some())
        .collect();
    json!({
        "type": "object",
        "properties": {
            "id": text("A name of your own for this call: letters, digits, _ - and ."),
            "type": { "type": "string", "enum": classes },
            "name": name(catalog),
            "args": { "type": "object", "description": ARGS },
            "depends": {
                "type": "array",
                "items": { "type": "string" },
                "description": "Ids of the calls that must complete first.",
            },
            "result": { "type": "string", "enum": RESULTS, "description": "How much of the result you want to see." },
            "title": text("A short label for people."),
        },
        "required": ["id", "type", "name"],
        "additionalProperties": false,
    })
}

fn name(catalog: &Catalog) -> Value {
    let of = |kind| catalog.of(kind).map(|entry| entry.name.as_str());
    let mut names: Vec<&str> = of(ExecutorType::Tool).chain(of(ExecutorType::Agent)).collect();
    if of(ExecutorType::Agent).next().is_some() {
        names.push("auto");
    }
    names.dedup();
    if names.len() > NAMES_MAX {
        return json!({ "type": "string" });
    }
    let mut distinct: Vec<&str> = Vec::with_capacity(names.len());
    names.into_iter().for_each(|name| {
        if !distinct.contains(&name) {
            distinct.push(name);
        }
    });
    json!({ "type": "string", "enum": distinct })
}

/// Returns the argument schemas of the turn without duplicates: those of tools, and that of a delegation.
pub(super) fn argument_schemas(catalog: &Catalog) -> Vec<Value> {
    let of_tool = |entry: &crate::Entry| match &entry.input_schema {
        Some(schema) => schema.raw().clone(),
        None => json!({ "type": "object" }),
    };
    let mut schemas: Vec<Value> = catalog.of(ExecutorType::Tool).map(of_tool).collect();
    if catalog.of(ExecutorType::Agent).next().is_some() {
        schemas.push(json!({
            "type": "object",
            "properties": {
                "prompt": { "type": "string", "description": "What the agent shall do." },
                "capabilities": { "type": "array", "items": { "type": "string" } },
            },
            "required": ["prompt"],
        }));
    }
    let mut distinct: Vec<Value> = Vec::with_capacity(schemas.len());
    for schema in schemas {
        if !distinct.contains(&schema) {
            distinct.push(schema);
        }
    }
    distinct
}
