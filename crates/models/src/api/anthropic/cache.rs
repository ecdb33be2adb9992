//! Marks that tell Anthropic which beginnings of a prompt to keep.
//!
//! A prompt only grows at its end, so two marks are enough: one behind the instructions, which every run
//! of an agent shares, and one behind the last message, where the next turn goes on.

use provost_contract::json::Object;
use serde_json::{Value, json};

use crate::PromptCache;

pub(super) fn mark(body: &mut Object, cache: PromptCache) {
    let mark = match cache {
        PromptCache::Off => return,
        PromptCache::FiveMinutes => json!({ "type": "ephemeral" }),
        PromptCache::OneHour => json!({ "type": "ephemeral", "ttl": "1h" }),
    };
    let instructions = if body.contains_key("system") { "system" } else { "tools" };
    put(last(body.get_mut(instructions)), &mark);
    let message = last(body.get_mut("messages"));
    let blocks = message.and_then(|message| message.get_mut("content")).and_then(Value::as_array_mut);
    // Thinking takes no mark.
    let block = blocks.and_then(|blocks| blocks.iter_mut().rev().find(|block| takes_mark(block)));
    put(block, &mark);
}

fn last(list: Option<&mut Value>) -> Option<&mut Value> {
    list.and_then(Value::as_array_mut)?.last_mut()
}

fn takes_mark(block: &Value) -> bool {
    let kind = block.get("type").and_then(Value::as_str).unwrap_or_default();
    matches!(kind, "text" | "image" | "document" | "tool_use" | "tool_result")
}

fn put(block: Option<&mut Value>, mark: &Value) {
    if let Some(block) = block.and_then(Value::as_object_mut) {
        block.insert("cache_control".into(), mark.clone());
    }
}
