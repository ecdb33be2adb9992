//! A streamed answer: whole answers of which each says a little more.

use serde_json::{Value, json};

use crate::api::assembler::{adopt, append, text_at};
use crate::api::{Assembler, OnDelta, Progress};
use provost_runtime::port::Delta;

pub(super) struct Stream {
    /// Everything about the answer but its candidates.
    about: Value,
    /// The first candidate but its content.
    candidate: Value,
    parts: Vec<Value>,
    calls: usize,
}

impl Default for Stream {
    fn default() -> Self {
        Self { about: json!({}), candidate: json!({}), parts: Vec::new(), calls: 0 }
    }
}

impl Assembler for Stream {
    fn take(&mut self, data: &Value, hear: OnDelta<'_>) -> Progress {
        adopt(&mut self.about, Some(data));
        let candidate = data.pointer("/candidates/0");
        adopt(&mut self.candidate, candidate);
        let parts = candidate.and_then(|candidate| candidate.pointer("/content/parts")?.as_array());
        for part in parts.into_iter().flatten() {
            self.tell(part, hear);
            self.keep(part);
        }
        let blocked = self.about.pointer("/promptFeedback/blockReason").is_some();
        if blocked || self.candidate.get("finishReason").is_some() { Progress::Whole } else { Progress::Open }
    }

    fn body(self: Box<Self>) -> Value {
        let Self { mut about, mut candidate, parts, .. } = *self;
        adopt(&mut candidate, Some(&json!({ "content": { "role": "model", "parts": parts } })));
        adopt(&mut about, Some(&json!({ "candidates": [candidate] })));
        about
    }
}

impl Stream {
    fn tell(&mut self, part: &Value, hear: OnDelta<'_>) {
        if let Some(call) = part.get("functionCall") {
            let place = self.calls;
            self.calls += 1;
            hear(Delta::Call { place, id: text_at(call, "id"), name: text_at(call, "name") });
            let arguments = call.get("args").map(Value::to_string).unwrap_or_default();
            hear(Delta::Arguments { place, text: &arguments });
        }
        match text_at(part, "text") {
            "" => {}
            text if is_thought(part) => hear(Delta::Reasoning(text)),
            text => hear(Delta::Text(text)),
        }
    }

    /// Text that only goes on becomes one part; a signature closes the part it came with.
    fn keep(&mut self, part: &Value) {
        if let (Some(last), true) = (self.parts.last_mut(), is_bare_text(part))
            && is_bare_text(last)
            && is_thought(last) == is_thought(part)
        {
            append(last, "text", text_at(part, "text"));
        } else {
            self.parts.push(part.clone());
        }
    }
}

fn is_thought(part: &Value) -> bool {
    part.get("thought") == Some(&Value::Bool(true))
}

fn is_bare_text(part: &Value) -> bool {
    let keys = part.as_object().into_iter().flat_map(|part| part.keys());
    part.get("text").is_some() && keys.into_iter().all(|key| matches!(key.as_str(), "text" | "thought"))
}
