//! A streamed answer: chunks whose first choice grows a message.

use serde_json::{Value, json};

use super::calls::Calls;
use crate::api::assembler::{adopt, append};
use crate::api::{Assembler, OnDelta, Progress};
use provost_runtime::port::Delta;

/// The fields under which servers show thinking.
const REASONING: [&str; 2] = ["reasoning_content", "reasoning"];

pub(super) struct Stream {
    /// Everything about the answer but its choices.
    about: Value,
    message: Value,
    calls: Calls,
    finish_reason: Value,
}

impl Default for Stream {
    fn default() -> Self {
        Self {
            about: json!({}),
            message: json!({ "role": "assistant", "content": null }),
            calls: Calls::default(),
            finish_reason: Value::Null,
        }
    }
}

impl Assembler for Stream {
    fn take(&mut self, data: &Value, hear: OnDelta<'_>) -> Progress {
        adopt(&mut self.about, Some(data));
        // What the answer costs comes in a last chunk without choices.
        if let Some(choice) = data.pointer("/choices/0") {
            self.grow(choice.get("delta").unwrap_or(&Value::Null), hear);
            if let Some(reason) = choice.get("finish_reason").filter(|reason| !reason.is_null()) {
                self.finish_reason = reason.clone();
            }
        }
        if self.finish_reason.is_null() { Progress::Open } else { Progress::Whole }
    }

    fn body(self: Box<Self>) -> Value {
        let Self { mut about, mut message, calls, finish_reason } = *self;
        let calls = calls.into_values();
        if let (Some(message), false) = (message.as_object_mut(), calls.is_empty()) {
            message.insert("tool_calls".into(), Value::Array(calls));
        }
        if let Some(about) = about.as_object_mut() {
            about.insert("choices".into(), json!([{ "message": message, "finish_reason": finish_reason }]));
        }
        about
    }
}

impl Stream {
    fn grow(&mut self, delta: &Value, hear: OnDelta<'_>) {
        for (key, value) in delta.as_object().into_iter().flatten() {
            match (key.as_str(), value) {
                ("role", _) | (_, Value::Null) => {}
                ("tool_calls", Value::Array(pieces)) => {
                    pieces.iter().for_each(|piece| self.calls.take(piece, hear));
                }
                (_, Value::String(more)) => {
                    append(&mut self.message, key, more);
                    tell(key, more, hear);
                }
                (_, Value::Array(more)) => self.extend(key, more),
                (_, value) => adopt(&mut self.message, Some(&json!({ key: value }))),
            }
        }
    }

    fn extend(&mut self, key: &str, more: &[Value]) {
        match self.message.get_mut(key) {
            Some(Value::Array(list)) => list.extend_from_slice(more),
            Some(_) | None => adopt(&mut self.message, Some(&json!({ key: more }))),
        }
    }
}

fn tell(key: &str, more: &str, hear: OnDelta<'_>) {
    match key {
        _ if more.is_empty() => {}
        "content" => hear(Delta::Text(more)),
        key if REASONING.contains(&key) => hear(Delta::Reasoning(more)),
        _ => {}
    }
}
