//! Calls written as JSON objects, in `<tool_call>` elements or fenced blocks.

use serde_json::Value;

use super::super::RequestedCall;
use super::element::elements;
use crate::json::{self, Object};

const FENCE: &str = "```";

/// The calls of every block; ids that are not given name the block and the call in it.
pub(super) fn calls(text: &str) -> Vec<RequestedCall> {
    let bare = elements(text, "tool_call").into_iter().filter(|element| element.is_bare());
    let blocks = bare.map(|element| element.body).chain(fenced(text));
    let blocks = blocks.map(str::trim).filter(|block| block.starts_with('{'));
    let mut calls = Vec::new();
    for (block_index, block) in blocks.enumerate() {
        let Ok(Value::Object(payload)) = json::parse_text(block) else { continue };
        for (call_index, declared) in declared_in(&payload).into_iter().enumerate() {
            let generated = format!("json-tool-call-{}-{}", block_index + 1, call_index + 1);
            calls.extend(call(declared, generated));
        }
    }
    calls
}

/// The parameters a text of JSON holds; text that is no object holds none.
pub(super) fn parameters_in(text: &str) -> Object {
    json::parse_text(text.trim()).map(json::into_object).unwrap_or_default()
}

/// The bodies of closed fences without a language, or marked as JSON.
fn fenced(text: &str) -> Vec<&str> {
    let mut blocks = Vec::new();
    let mut rest = text;
    while let Some((block, after)) = rest.split_once(FENCE).and_then(|(_, open)| open.split_once(FENCE)) {
        let block = block.trim_start();
        blocks.push(block.strip_prefix("json").unwrap_or(block));
        rest = after;
    }
    blocks
}

/// An object is a call, or lists calls.
fn declared_in(payload: &Object) -> Vec<&Object> {
    match json::list(payload, "tool_calls") {
        Some(calls) => calls.iter().filter_map(Value::as_object).collect(),
        None => vec![payload],
    }
}

/// `{name, arguments|parameters}`, or the same under `function`.
fn call(declared: &Object, generated_id: String) -> Option<RequestedCall> {
    let function = json::object(declared, "function").unwrap_or(declared);
    let arguments = json::present(function, "arguments").or_else(|| json::present(function, "parameters"));
    let parameters = match arguments {
        Some(Value::Object(parameters)) => parameters.clone(),
        Some(Value::String(text)) => parameters_in(text),
        Some(_) | None => Object::new(),
    };
    let id = json::non_empty_text(declared, "id").map_or(generated_id, str::to_owned);
    RequestedCall::written(json::text(function, "name")?, parameters, id)
}
