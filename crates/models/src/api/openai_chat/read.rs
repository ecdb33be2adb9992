//! What the fields of an answer mean.

use serde_json::Value;

use crate::api::usage::count;
use crate::api::{Finish, Usage};

pub(super) fn finish(body: &Value) -> Finish {
    let refusal = body.pointer("/choices/0/message/refusal").and_then(Value::as_str);
    if let Some(words) = refusal.filter(|words| !words.is_empty()) {
        return Finish::Refused(words.to_owned());
    }
    match body.pointer("/choices/0/finish_reason").and_then(Value::as_str) {
        None | Some("stop" | "tool_calls" | "function_call" | "") => Finish::Done,
        Some("length") => Finish::Length,
        Some("content_filter") => Finish::Refused("a content filter withheld the answer".to_owned()),
        Some(other) => Finish::Other(other.to_owned()),
    }
}

pub(super) fn usage(body: &Value) -> Usage {
    Usage {
        prompt: count(body, "/usage/prompt_tokens"),
        completion: count(body, "/usage/completion_tokens"),
        total: count(body, "/usage/total_tokens"),
        cache_read: count(body, "/usage/prompt_tokens_details/cached_tokens"),
        cache_write: None,
        reasoning: count(body, "/usage/completion_tokens_details/reasoning_tokens"),
    }
}
