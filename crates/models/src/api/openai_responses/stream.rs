//! A streamed answer: its last event holds the whole of it.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::api::assembler::{place_at, text_at};
use crate::api::{Assembler, OnDelta, Progress};
use provost_runtime::port::Delta;

#[derive(Default)]
pub(super) struct Stream {
    response: Value,
    /// The finished items: some servers leave them out at the end.
    items: BTreeMap<usize, Value>,
    /// The places of calls, by the place of their item.
    calls: BTreeMap<usize, usize>,
}

impl Assembler for Stream {
    fn take(&mut self, data: &Value, hear: OnDelta<'_>) -> Progress {
        match text_at(data, "type") {
            "response.output_item.added" => self.begin(data, hear),
            "response.output_item.done" => self.keep(data),
            "response.output_text.delta" => hear(Delta::Text(text_at(data, "delta"))),
            "response.reasoning_summary_text.delta" | "response.reasoning_text.delta" => {
                hear(Delta::Reasoning(text_at(data, "delta")));
            }
            "response.function_call_arguments.delta" => self.tell_arguments(data, hear),
            "response.completed" | "response.incomplete" => {
                self.response = data.get("response").cloned().unwrap_or_default();
                return Progress::Over;
            }
            _ => {}
        }
        Progress::Open
    }

    fn body(self: Box<Self>) -> Value {
        let Self { mut response, items, .. } = *self;
        let told = response.get("output").and_then(Value::as_array).is_some_and(|output| !output.is_empty());
        if let (Some(response), false) = (response.as_object_mut(), told) {
            response.insert("output".into(), items.into_values().collect());
        }
        response
    }
}

impl Stream {
    fn begin(&mut self, data: &Value, hear: OnDelta<'_>) {
        let item = data.get("item").unwrap_or(&Value::Null);
        let Some(index) = place_at(data, "output_index") else { return };
        if text_at(item, "type") == "function_call" {
            let place = self.calls.len();
            self.calls.insert(index, place);
            hear(Delta::Call { place, id: text_at(item, "call_id"), name: text_at(item, "name") });
        }
    }

    fn tell_arguments(&self, data: &Value, hear: OnDelta<'_>) {
        if let Some(place) = place_at(data, "output_index").and_then(|index| self.calls.get(&index)) {
            hear(Delta::Arguments { place: *place, text: text_at(data, "delta") });
        }
    }

    fn keep(&mut self, data: &Value) {
        if let (Some(index), Some(item)) = (place_at(data, "output_index"), data.get("item")) {
            self.items.insert(index, item.clone());
        }
    }
}
