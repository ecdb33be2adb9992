//! What Anthropic demands of one block, whatever stands around it.

use serde_json::Value;

use crate::provider::body::{text_at, type_of};
use crate::provider::item::Speaker;
use crate::provider::prepare::{CallIds, Characters, is_tool_name};
use crate::provider::refusal::Rule;

/// What Anthropic demands of the id of a call.
pub(super) const CALL_IDS: CallIds = CallIds { length_max: 64, characters: Characters::Word };

/// Why this block would be refused from this speaker.
pub(super) fn refusal(block: &Value, speaker: Speaker) -> Option<(Rule, String)> {
    let kind = type_of(block);
    let from = |expected: Speaker, rule: Rule| {
        let why = || format!("a {kind} block can only come from the {}", expected.word());
        (speaker != expected).then(|| (rule, why()))
    };
    match kind {
        "" => Some((Rule::Shape, "a block must be an object with a type".to_owned())),
        "text" => text_refusal(block),
        "image" | "document" => from(Speaker::User, Rule::BlockPlace).or_else(|| source_refusal(block)),
        "tool_use" => from(Speaker::Assistant, Rule::BlockPlace).or_else(|| call_refusal(block)),
        "tool_result" => from(Speaker::User, Rule::BlockPlace).or_else(|| result_refusal(block)),
        "thinking" | "redacted_thinking" => {
            from(Speaker::Assistant, Rule::ThinkingPlace).or_else(|| thinking_refusal(block))
        }
        _ if is_server_use(block) || is_server_result(block) => from(Speaker::Assistant, Rule::BlockPlace),
        // A kind of block newer than this code: the provider knows better.
        _ => None,
    }
}

pub(super) fn is_thinking(block: &Value) -> bool {
    matches!(type_of(block), "thinking" | "redacted_thinking")
}

/// Whether this is a call of a tool that Anthropic runs itself, or has run on a server.
pub(super) fn is_server_use(block: &Value) -> bool {
    matches!(type_of(block), "server_tool_use" | "mcp_tool_use")
}

/// Whether this is the result of such a call.
pub(super) fn is_server_result(block: &Value) -> bool {
    type_of(block).ends_with("_tool_result")
}

fn text_refusal(block: &Value) -> Option<(Rule, String)> {
    match block.get("text").and_then(Value::as_str) {
        None => Some((Rule::Shape, "a text block must have a text".to_owned())),
        Some(text) if text.trim().is_empty() => {
            Some((Rule::EmptyText, "a text block must hold more than whitespace".to_owned()))
        }
        Some(_) => None,
    }
}

fn source_refusal(block: &Value) -> Option<(Rule, String)> {
    let source = block.get("source").map(type_of).unwrap_or_default();
    source.is_empty().then(|| (Rule::Shape, format!("a {} block must have a source", type_of(block))))
}

fn call_refusal(block: &Value) -> Option<(Rule, String)> {
    let (id, name) = (text_at(block, "id"), text_at(block, "name"));
    if !CALL_IDS.allow(id) {
        let why = format!("the id {id:?} of a tool_use must be letters, digits, _ and - (at most 64)");
        return Some((Rule::CallId, why));
    }
    if !is_tool_name(name) {
        let why = format!("the tool name {name:?} must be letters, digits, _ and - (at most 64)");
        return Some((Rule::ToolName, why));
    }
    let object = block.get("input").is_some_and(Value::is_object);
    (!object).then(|| (Rule::CallArguments, format!("the input of tool_use {id} must be an object")))
}

fn result_refusal(block: &Value) -> Option<(Rule, String)> {
    let inner = match block.get("content") {
        None | Some(Value::String(_)) => return None,
        Some(Value::Array(inner)) => inner,
        Some(_) => return Some((Rule::Shape, "a tool_result holds text or a list of blocks".to_owned())),
    };
    inner.iter().find_map(|block| match type_of(block) {
        "text" => text_refusal(block),
        "image" | "document" => source_refusal(block),
        "tool_use" | "tool_result" | "thinking" | "redacted_thinking" | "" => {
            Some((Rule::BlockPlace, format!("a tool_result cannot hold {:?} blocks", type_of(block))))
        }
        _ => None,
    })
}

fn thinking_refusal(block: &Value) -> Option<(Rule, String)> {
    let field = if type_of(block) == "thinking" { "signature" } else { "data" };
    let whole = !text_at(block, field).is_empty()
        && (field == "data" || block.get("thinking").is_some_and(Value::is_string));
    let why = || format!("a {} block must come back with its {field}", type_of(block));
    (!whole).then(|| (Rule::ThinkingSignature, why()))
}
