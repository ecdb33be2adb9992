//! What the fields of an answer mean.

use serde_json::Value;

use crate::api::usage::count;
use crate::api::{Finish, Usage};

pub(super) fn finish(body: &Value) -> Finish {
    if let Some(words) = refusal(body) {
        return Finish::Refused(words.to_owned());
    }
    match body.get("status").and_then(Value::as_str) {
        None | Some("completed") => Finish::Done,
        Some("incomplete") => match body.pointer("/incomplete_details/reason").and_then(Value::as_str) {
            Some("max_output_tokens") => Finish::Length,
            Some("content_filter") => Finish::Refused("a content filter withheld the answer".to_owned()),
            other => Finish::Other(other.unwrap_or("incomplete").to_owned()),
        },
        Some(other) => Finish::Other(other.to_owned()),
    }
}

fn refusal(body: &Value) -> Option<&str> {
    let items = body.get("output")?.as_array()?.iter();
    let mut parts = items.filter_map(|item| item.get("content")?.as_array()).flatten();
    parts.find_map(|part| part.get("refusal")?.as_str())
}

pub(super) fn usage(body: &Value) -> Usage {
    Usage {
        prompt: count(body, "/usage/input_tokens"),
        completion: count(body, "/usage/output_tokens"),
        total: count(body, "/usage/total_tokens"),
        cache_read: count(body, "/usage/input_tokens_details/cached_tokens"),
        cache_write: None,
        reasoning: count(body, "/usage/output_tokens_details/reasoning_tokens"),
    }
}
