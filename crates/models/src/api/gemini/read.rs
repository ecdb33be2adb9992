//! What the fields of an answer mean.

use serde_json::Value;

use crate::api::usage::count;
use crate::api::{Finish, Usage};

/// The ends that mean a filter withheld the answer.
const WITHHELD: [&str; 6] =
    ["SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "IMAGE_SAFETY"];

pub(super) fn finish(body: &Value) -> Finish {
    if let Some(reason) = body.pointer("/promptFeedback/blockReason").and_then(Value::as_str) {
        return Finish::Refused(format!("the prompt was blocked: {reason}"));
    }
    match body.pointer("/candidates/0/finishReason").and_then(Value::as_str) {
        None | Some("STOP") => Finish::Done,
        Some("MAX_TOKENS") => Finish::Length,
        Some(reason) if WITHHELD.contains(&reason) => {
            let words = body.pointer("/candidates/0/finishMessage").and_then(Value::as_str);
            Finish::Refused(format!("the answer was withheld: {}", words.unwrap_or(reason)))
        }
        Some(reason @ ("MALFORMED_FUNCTION_CALL" | "UNEXPECTED_TOOL_CALL")) => {
            let words = body.pointer("/candidates/0/finishMessage").and_then(Value::as_str);
            Finish::Malformed(words.unwrap_or(reason).to_owned())
        }
        Some(other) => Finish::Other(other.to_owned()),
    }
}

/// Thoughts are counted beside what was said; both were written.
pub(super) fn usage(body: &Value) -> Usage {
    let reasoning = count(body, "/usageMetadata/thoughtsTokenCount");
    let said = count(body, "/usageMetadata/candidatesTokenCount");
    let written = match (said, reasoning) {
        (None, None) => None,
        (said, thought) => Some(said.unwrap_or(0).saturating_add(thought.unwrap_or(0))),
    };
    Usage {
        prompt: count(body, "/usageMetadata/promptTokenCount"),
        completion: written,
        total: count(body, "/usageMetadata/totalTokenCount"),
        cache_read: count(body, "/usageMetadata/cachedContentTokenCount"),
        cache_write: None,
        reasoning,
    }
}
