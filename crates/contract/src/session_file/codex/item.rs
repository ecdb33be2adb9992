//! One item, as Responses take it back.
//!
//! Tools that Codex offers in a form of its own (a free text, a shell, a search for tools) become plain
//! calls with their results, for those every provider can be told.

use serde_json::{Value, json};

use crate::Result;
use crate::json::{self, Object};
use crate::session_file::line::Line;

/// Fields that Codex keeps on an item and no provider takes.
const OWN_FIELDS: [&str; 2] = ["internal_chat_message_metadata_passthrough", "timestamp"];
const ROLES: [&str; 4] = ["system", "developer", "user", "assistant"];

/// The item to keep; none when it is a record of Codex itself.
///
/// # Errors
/// The item cannot be read.
pub(super) fn item(line: &Line, raw: Option<&Object>) -> Result<Option<Value>> {
    let raw = raw.ok_or_else(|| line.refused("payload", "must be an object"))?;
    let kind = json::non_empty_text(raw, "type")
        .ok_or_else(|| line.refused("payload.type", "must name the type of an item"))?;
    Ok(Some(match kind {
        "ghost_snapshot" | "compaction_trigger" | "additional_tools" => return Ok(None),
        "message" => message(line, raw)?,
        "custom_tool_call" => call(raw, text(raw, "name"), json!({ "input": raw.get("input") })),
        "local_shell_call" => call(raw, "local_shell", arguments(raw, "action")),
        "tool_search_call" => call(raw, "tool_search", arguments(raw, "arguments")),
        "function_call_output" | "custom_tool_call_output" => output(raw, raw.get("output")),
        "tool_search_output" => output(raw, raw.get("tools")),
        _ => kept(raw),
    }))
}

fn message(line: &Line, raw: &Object) -> Result<Value> {
    if !ROLES.contains(&text(raw, "role")) {
        return Err(line.refused("payload.role", "must be system, developer, user or assistant"));
    }
    match raw.get("content") {
        None | Some(Value::Null | Value::String(_) | Value::Array(_)) => Ok(kept(raw)),
        Some(_) => Err(line.refused("payload.content", "must be text or a list of parts")),
    }
}

/// The item without what is Codex's own.
fn kept(raw: &Object) -> Value {
    json::without_nulls(&Value::Object(json::without(raw, &OWN_FIELDS)))
}

fn text<'a>(raw: &'a Object, key: &str) -> &'a str {
    json::text(raw, key).unwrap_or_default()
}

/// An object of arguments; what is none is the only argument.
fn arguments(raw: &Object, key: &str) -> Value {
    match raw.get(key) {
        Some(Value::Object(arguments)) => json::without_nulls(&Value::Object(arguments.clone())),
        other => json!({ key: other }),
    }
}

/// A plain call. Early versions name it by the id of the item.
fn call(raw: &Object, name: &str, arguments: Value) -> Value {
    let id = json::non_empty_text(raw, "call_id").unwrap_or_else(|| text(raw, "id"));
    json!({ "type": "function_call", "call_id": id, "name": name, "arguments": arguments.to_string() })
}

/// A plain result: text or parts as they are, anything else as JSON text.
fn output(raw: &Object, said: Option<&Value>) -> Value {
    let said = match said {
        Some(said @ Value::String(_)) => said.clone(),
        Some(Value::Array(parts)) if parts.iter().all(is_part) => Value::Array(parts.clone()),
        Some(Value::Object(object)) if object.get("content").is_some_and(Value::is_string) => {
            object.get("content").cloned().unwrap_or_default()
        }
        None | Some(Value::Null) => json!(""),
        Some(other) => json!(other.to_string()),
    };
    json!({ "type": "function_call_output", "call_id": text(raw, "call_id"), "output": said })
}

fn is_part(value: &Value) -> bool {
    value.get("type").and_then(Value::as_str).is_some_and(|kind| kind.starts_with("input_"))
}
