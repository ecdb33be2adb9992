//! Which texts of a turn are searched, and how what was found becomes one list.

use std::collections::HashSet;

use serde_json::Value;

use super::super::RequestedCall;
use super::{json_block, line, tagged, xml};
use crate::json::{self, Object};
use crate::{Result, canonical};

/// The calls of a turn: its `tool_calls` when it has them, else those written in `content`, `text`,
/// `output_text` and `message.content`.
///
/// Of calls that agree in name and parameters the first is kept: a model that says the same in
/// two fields means it once.
pub fn extract_tool_calls(turn: &Object) -> Result<Vec<RequestedCall>> {
    if let Some(calls) = json::present(turn, "tool_calls") {
        let calls = calls.as_array().map(Vec::as_slice).unwrap_or_default();
        return RequestedCall::parse_many(calls);
    }
    let mut seen = HashSet::new();
    let mut calls: Vec<RequestedCall> = texts(turn).into_iter().flat_map(written_in).collect();
    calls.retain(|call| {
        let parameters = canonical::canonical(&Value::Object(call.parameters.clone()));
        seen.insert((call.name().to_owned(), parameters))
    });
    Ok(calls)
}

/// The distinct texts of a turn.
fn texts(turn: &Object) -> Vec<&str> {
    let own = ["content", "text", "output_text"].map(|key| json::text(turn, key));
    let of_message = json::object(turn, "message").and_then(|message| json::text(message, "content"));
    let mut texts = Vec::new();
    for text in own.into_iter().chain([of_message]).flatten() {
        if !texts.contains(&text) {
            texts.push(text);
        }
    }
    texts
}

/// The calls of one text, by the way they are written.
fn written_in(text: &str) -> Vec<RequestedCall> {
    let mut calls = xml::calls(text);
    calls.extend(json_block::calls(text));
    calls.extend(tagged::calls(text));
    calls.extend(line::call(text));
    calls
}
