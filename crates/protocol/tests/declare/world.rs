//! A small catalog and short ways to speak to it.

use std::sync::OnceLock;

use provost_protocol::{
    Accepted, AssistantMessage, Catalog, Code, Content, NativeCall, Refused, Speaking, Turn, accept,
};
use serde_json::{Value, json};

/// Two tools that only look, one that writes, one that runs commands, one that says nothing of itself.
pub(super) fn catalog() -> &'static Catalog {
    static CATALOG: OnceLock<Catalog> = OnceLock::new();
    CATALOG.get_or_init(build)
}

fn build() -> Catalog {
    let path = json!({
        "type": "object",
        "properties": { "path": { "type": "string" }, "count": { "type": "integer", "minimum": 1 } },
        "required": ["path"],
        "additionalProperties": false,
    });
    let tools = [
        json!({ "name": "fs_read", "side_effects": ["read"], "capabilities": ["filesystem"], "input_schema": path }),
        json!({ "name": "clock", "side_effects": ["none"], "input_schema": { "type": "object" } }),
        json!({ "name": "fs_write", "side_effects": ["write"], "capabilities": ["filesystem"], "input_schema": path }),
        json!({ "name": "shell", "side_effects": ["execute"], "input_schema": { "type": "object" } }),
        json!({ "name": "probe", "input_schema": { "type": "object" } }),
        json!({ "name": "secret", "side_effects": ["read"], "permission": "deny", "input_schema": { "type": "object" } }),
    ];
    let agents = [
        json!({ "name": "reader", "capabilities": ["review"] }),
        json!({ "name": "janitor", "capabilities": ["cleanup"], "delegable": false }),
    ];
    let executors =
        [json!({ "name": "ask_user", "type": "human" }), json!({ "name": "merge", "type": "runtime" })];
    Catalog::parse(&tools, &agents, &executors).unwrap()
}

/// Reads a message of text.
pub(super) fn say(text: &str) -> Result<Accepted, Refused> {
    accept(&AssistantMessage::of_text(text), &Turn::new(Speaking::Protocol, catalog()))
}

/// Reads a call of the carrier tool.
pub(super) fn call(arguments: Value) -> Result<Accepted, Refused> {
    accept(&AssistantMessage::of_carrier_call(arguments), &Turn::new(Speaking::Protocol, catalog()))
}

/// Reads a direct call of a tool.
pub(super) fn direct(name: &str, arguments: Value) -> Result<Accepted, Refused> {
    let call = NativeCall { name: name.to_owned(), arguments };
    accept(
        &AssistantMessage { calls: vec![call], ..AssistantMessage::default() },
        &Turn::new(Speaking::Protocol, catalog()),
    )
}

/// A fenced block that holds a value.
pub(super) fn fenced(value: &Value) -> String {
    format!("```json agent-protocol\n{value:#}\n```\n")
}

/// An envelope around actions.
pub(super) fn graph(actions: Value) -> Value {
    json!({
        "type": "agent.protocol",
        "version": "1",
        "intent": "execute",
        "payload": { "type": "action_graph", "actions": actions },
    })
}

/// An action that reads a file, with more fields.
pub(super) fn read(id: &str, more: Value) -> Value {
    let mut action = json!({
        "type": "action",
        "id": id,
        "executor": { "type": "tool", "target": "fs_read" },
        "input": { "path": "a" },
    });
    for (key, value) in more.as_object().unwrap() {
        action[key] = value.clone();
    }
    action
}

/// Asserts that a message is refused for this reason first.
#[track_caller]
pub(super) fn refused(read: Result<Accepted, Refused>, code: Code) {
    match read {
        Ok(accepted) => panic!("accepted: {}", accepted.to_value()),
        Err(refused) => assert_eq!(refused.code, code, "{}", refused.message),
    }
}

/// Asserts that a message is accepted, and returns what it means.
#[track_caller]
pub(super) fn accepted(read: Result<Accepted, Refused>) -> Content {
    match read {
        Ok(accepted) => accepted.content,
        Err(refused) => panic!("{}", refused.message),
    }
}
