//! What the fields of an answer mean.

use serde_json::Value;

use crate::api::usage::count;
use crate::api::{Finish, Usage};

pub(super) fn finish(body: &Value) -> Finish {
    match body.get("stop_reason").and_then(Value::as_str) {
        None | Some("end_turn" | "tool_use" | "stop_sequence") => Finish::Done,
        Some("max_tokens" | "model_context_window_exceeded") => Finish::Length,
        Some("refusal") => {
            let why = body.pointer("/stop_details/explanation").and_then(Value::as_str);
            Finish::Refused(why.unwrap_or("the model declined to answer").to_owned())
        }
        Some(other) => Finish::Other(other.to_owned()),
    }
}

/// `input_tokens` are only those that no cache held; together with the cached ones they are what the model read.
pub(super) fn usage(body: &Value) -> Usage {
    let cache_read = count(body, "/usage/cache_read_input_tokens");
    let cache_write = count(body, "/usage/cache_creation_input_tokens");
    let cached = cache_read.unwrap_or(0).saturating_add(cache_write.unwrap_or(0));
    Usage {
        prompt: count(body, "/usage/input_tokens").map(|fresh| fresh.saturating_add(cached)),
        completion: count(body, "/usage/output_tokens"),
        cache_read,
        cache_write,
        ..Usage::default()
    }
}
