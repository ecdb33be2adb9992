//! A streamed answer: blocks that begin, grow and end.

use std::collections::BTreeMap;

use provost_contract::json;
use serde_json::{Value, json};

use crate::api::assembler::{adopt, append, place_at, text_at};
use crate::api::{Assembler, OnDelta, Progress};
use provost_runtime::port::Delta;

#[derive(Default)]
pub(super) struct Stream {
    message: Value,
    blocks: BTreeMap<usize, Block>,
}

struct Block {
    value: Value,
    /// The JSON text of its input so far.
    input: String,
    /// Its place among the calls of the turn, when it is one.
    call: Option<usize>,
}

impl Assembler for Stream {
    fn take(&mut self, data: &Value, hear: OnDelta<'_>) -> Progress {
        match text_at(data, "type") {
            "message_start" => self.message = data.get("message").cloned().unwrap_or_default(),
            "content_block_start" => self.begin(data, hear),
            "content_block_delta" => self.grow(data, hear),
            "message_delta" => self.end(data),
            "message_stop" => return Progress::Over,
            // Pings, ends of blocks, and whatever is new.
            _ => {}
        }
        Progress::Open
    }

    fn body(self: Box<Self>) -> Value {
        let Self { mut message, blocks } = *self;
        if let Some(message) = message.as_object_mut() {
            message.insert("content".into(), blocks.into_values().map(Block::finished).collect());
        }
        message
    }
}

impl Stream {
    fn begin(&mut self, data: &Value, hear: OnDelta<'_>) {
        let (Some(place), Some(value)) = (place_at(data, "index"), data.get("content_block")) else { return };
        let call = (text_at(value, "type") == "tool_use").then(|| self.calls());
        if let Some(place) = call {
            hear(Delta::Call { place, id: text_at(value, "id"), name: text_at(value, "name") });
        }
        self.blocks.insert(place, Block { value: value.clone(), input: String::new(), call });
    }

    fn calls(&self) -> usize {
        self.blocks.values().filter(|block| block.call.is_some()).count()
    }

    fn grow(&mut self, data: &Value, hear: OnDelta<'_>) {
        let block = place_at(data, "index").and_then(|place| self.blocks.get_mut(&place));
        let (Some(block), Some(delta)) = (block, data.get("delta")) else { return };
        match text_at(delta, "type") {
            "text_delta" => {
                append(&mut block.value, "text", text_at(delta, "text"));
                hear(Delta::Text(text_at(delta, "text")));
            }
            "thinking_delta" => {
                append(&mut block.value, "thinking", text_at(delta, "thinking"));
                hear(Delta::Reasoning(text_at(delta, "thinking")));
            }
            "signature_delta" => append(&mut block.value, "signature", text_at(delta, "signature")),
            "input_json_delta" => {
                block.input.push_str(text_at(delta, "partial_json"));
                if let Some(place) = block.call {
                    hear(Delta::Arguments { place, text: text_at(delta, "partial_json") });
                }
            }
            "citations_delta" => block.cite(delta),
            _ => {}
        }
    }

    fn end(&mut self, data: &Value) {
        adopt(&mut self.message, data.get("delta"));
        if let Some(message) = self.message.as_object_mut() {
            let usage = message.entry("usage").or_insert_with(|| json!({}));
            adopt(usage, data.get("usage"));
        }
    }
}

impl Block {
    fn cite(&mut self, delta: &Value) {
        let (Some(block), Some(citation)) = (self.value.as_object_mut(), delta.get("citation")) else {
            return;
        };
        match block.get_mut("citations") {
            Some(Value::Array(citations)) => citations.push(citation.clone()),
            Some(_) | None => {
                block.insert("citations".into(), json!([citation]));
            }
        }
    }

    /// Input that is not JSON stays text, so that its reader can report it.
    fn finished(self) -> Value {
        let Self { mut value, input, .. } = self;
        if let (Some(block), false) = (value.as_object_mut(), input.is_empty()) {
            let input = json::parse_text(&input).unwrap_or(Value::String(input));
            block.insert("input".into(), input);
        }
        value
    }
}
