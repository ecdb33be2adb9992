//! What Chat Completions would refuse.

use std::collections::HashSet;

use serde_json::Value;

use super::parts::{CALL_IDS, content_refusal};
use crate::json;
use crate::provider::body::{entries_to_check, text_at, type_of};
use crate::provider::pairs::{Half, Words, check_pairs};
use crate::provider::prepare::is_tool_name;
use crate::provider::refusal::{Findings, Refusal, Rule};

const ROLES: [&str; 5] = ["system", "developer", "user", "assistant", "tool"];
const WORDS: Words = Words {
    call: "tool call",
    result: "tool message",
    place: "directly behind the assistant message, before any other message",
};

/// Everything Chat Completions would refuse in `{messages}` or a list of messages.
pub fn validate(body: &Value) -> Vec<Refusal> {
    let mut findings = Findings::default();
    let messages = entries_to_check(body, "messages", &mut findings);
    for (index, message) in messages.iter().enumerate() {
        check_message(index, message, &mut findings);
    }
    check_results(messages, &mut findings);
    findings.sorted()
}

fn check_message(index: usize, message: &Value, findings: &mut Findings) {
    let role = text_at(message, "role");
    if !ROLES.contains(&role) {
        return findings.note(
            Rule::Role,
            index,
            format!("the role {role:?} must be one of {}", ROLES.join(", ")),
        );
    }
    if let Some((rule, why)) = content_refusal(message) {
        findings.note(rule, index, why);
    }
    match message.get("tool_calls") {
        None | Some(Value::Null) => {}
        Some(Value::Array(calls)) if calls.is_empty() => {
            findings.note(Rule::Shape, index, "tool_calls must hold a call or be left out");
        }
        Some(Value::Array(calls)) if role == "assistant" => {
            calls.iter().for_each(|call| check_call(index, call, findings));
        }
        Some(Value::Array(_)) => findings.note(Rule::BlockPlace, index, "only the assistant calls tools"),
        Some(_) => findings.note(Rule::Shape, index, "tool_calls must be a list"),
    }
}

fn check_call(index: usize, call: &Value, findings: &mut Findings) {
    let id = text_at(call, "id");
    if !CALL_IDS.allow(id) {
        let why =
            format!("the id {id:?} of a tool call must be text of 1 to {} characters", CALL_IDS.length_max);
        findings.note(Rule::CallId, index, why);
    }
    let kind = type_of(call);
    if !matches!(kind, "function" | "custom") {
        findings.note(
            Rule::Shape,
            index,
            format!("the type {kind:?} of a tool call must be function or custom"),
        );
        return;
    }
    let function = call.get(kind).unwrap_or(&Value::Null);
    let name = text_at(function, "name");
    if !is_tool_name(name) {
        let why = format!("the tool name {name:?} must be letters, digits, _ and - (at most 64)");
        findings.note(Rule::ToolName, index, why);
    }
    let readable = match function.get(if kind == "custom" { "input" } else { "arguments" }) {
        Some(Value::String(text)) => {
            kind == "custom" || json::parse_text(text).is_ok_and(|value| value.is_object())
        }
        _ => false,
    };
    if !readable {
        let why = format!("the arguments of tool call {id} must be text that is a JSON object");
        findings.note(Rule::CallArguments, index, why);
    }
}

/// Walks the list: the tool messages directly behind an assistant message are all it may be answered by.
fn check_results(messages: &[Value], findings: &mut Findings) {
    let entries: Vec<(usize, &Value)> = messages.iter().enumerate().collect();
    let is_tool = |entry: &(usize, &Value)| text_at(entry.1, "role") == "tool";
    for run in entries.chunk_by(|_, next| is_tool(next)) {
        let results: Vec<Half<'_>> = run
            .iter()
            .filter(|entry| is_tool(entry))
            .map(|(index, message)| Half { index: *index, id: text_at(message, "tool_call_id"), name: "" })
            .collect();
        let calls = run.first().map(|(index, message)| calls(*index, message)).unwrap_or_default();
        let mut seen = HashSet::new();
        for call in calls.iter().filter(|call| !seen.insert(call.id)) {
            let why = format!("two calls of one message have the id {}", call.id);
            findings.note(Rule::DuplicateCallId, call.index, why);
        }
        check_pairs(&calls, &results, &WORDS, findings);
    }
}

fn calls(index: usize, message: &Value) -> Vec<Half<'_>> {
    let calls = message.get("tool_calls").and_then(Value::as_array);
    calls.into_iter().flatten().map(|call| half(index, call)).collect()
}

fn half(index: usize, call: &Value) -> Half<'_> {
    let function = call.get("function").or_else(|| call.get("custom"));
    Half { index, id: text_at(call, "id"), name: function.map_or("", |function| text_at(function, "name")) }
}
