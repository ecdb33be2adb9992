//! What an operator may see of a run's tool calls: names, order, status and sizes, never a value.

use std::collections::{HashMap, VecDeque};

use serde::Serialize;
use serde_json::{Value, json};

use super::Shape;
use crate::json::{self, Object};

const VERSION: u64 = 1;

/// How a tool call stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CallStatus {
    /// Called, and not answered yet.
    Pending,
    /// The tool did its work.
    Succeeded,
    /// The tool did not.
    Failed,
    /// The call was not allowed.
    Rejected,
}

/// One tool call of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct ObservedCall {
    /// The turn it was made in.
    pub turn: i64,
    /// Its id.
    pub tool_call_id: String,
    /// The tool, by its own name once a result told it.
    pub tool_name: String,
    /// How it stands.
    pub status: CallStatus,
    /// The names of its parameters.
    pub argument_keys: Vec<String>,
    /// The shape of what the tool gave.
    pub result: Option<Shape>,
    /// Whether the tool reported success, whatever became of the call.
    succeeded: bool,
}

/// The tool calls of a run, in order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ToolObservability {
    /// The calls.
    pub calls: Vec<ObservedCall>,
}

impl ToolObservability {
    /// Folds checked tool events and execution results into calls. A result settles the oldest call of
    /// its id that is not settled; the n-th result of an id belongs to its n-th settled call.
    pub(super) fn of(events: &[&Object], results: &[&Object]) -> Self {
        let mut calls: Vec<ObservedCall> = Vec::new();
        let mut unsettled: HashMap<&str, VecDeque<usize>> = HashMap::new();
        let mut given: HashMap<&str, VecDeque<&Object>> = HashMap::new();
        for entry in results {
            given.entry(text(entry, "tool_call_id")).or_default().push_back(entry);
        }
        for event in events {
            let id = text(event, "tool_call_id");
            match text(event, "type") {
                "tool_call" => {
                    unsettled.entry(id).or_default().push_back(calls.len());
                    calls.push(ObservedCall::started(event));
                }
                "tool_result" => {
                    let oldest = unsettled.get_mut(id).and_then(VecDeque::pop_front);
                    if let Some(call) = oldest.and_then(|position| calls.get_mut(position)) {
                        call.settle(event, given.get_mut(id).and_then(VecDeque::pop_front));
                    }
                }
                _ => {}
            }
        }
        Self { calls }
    }

    /// The wire form.
    pub fn to_value(&self) -> Value {
        let calls = self.calls.iter().enumerate().map(|(index, call)| call.to_value(index + 1));
        json!({ "version": VERSION, "calls": calls.collect::<Value>() })
    }
}

impl ObservedCall {
    fn started(event: &Object) -> Self {
        let parameters = json::object(event, "metadata").and_then(|data| json::object(data, "parameters"));
        Self {
            turn: json::get(event, "turn_count").and_then(Value::as_i64).unwrap_or_default(),
            tool_call_id: text(event, "tool_call_id").to_owned(),
            tool_name: text(event, "tool_name").to_owned(),
            status: CallStatus::Pending,
            argument_keys: parameters
                .map(|parameters| parameters.keys().cloned().collect())
                .unwrap_or_default(),
            result: None,
            succeeded: false,
        }
    }

    fn settle(&mut self, event: &Object, entry: Option<&Object>) {
        let says = |key| {
            json::object(event, "metadata").and_then(|data| json::get(data, key)) == Some(&Value::Bool(true))
        };
        self.succeeded = says("success");
        self.status = match (says("rejected"), self.succeeded) {
            (true, _) => CallStatus::Rejected,
            (false, true) => CallStatus::Succeeded,
            (false, false) => CallStatus::Failed,
        };
        let Some(given) = entry.and_then(|entry| json::object(entry, "result")) else { return };
        if let Some(name) = json::non_empty_text(given, "tool_name") {
            name.clone_into(&mut self.tool_name);
        }
        self.result = json::get(given, "result").filter(|_| self.succeeded).map(Shape::of);
    }

    fn to_value(&self, sequence: usize) -> Value {
        let mut wire = json!({
            "sequence": sequence,
            "turn": self.turn,
            "tool_call_id": self.tool_call_id,
            "tool_name": self.tool_name,
            "status": self.status,
            "arguments": { "keys": self.argument_keys, "count": self.argument_keys.len(), "redacted": true },
        });
        if let Some(map) = wire.as_object_mut() {
            map.extend(self.result.map(|shape| ("result".to_owned(), shape.to_value())));
            map.extend(self.error().map(|error| ("error".to_owned(), error)));
        }
        wire
    }

    /// A settled call that did not succeed says so in words that give nothing away.
    fn error(&self) -> Option<Value> {
        let (code, message) = match self.status {
            CallStatus::Pending | CallStatus::Succeeded => return None,
            CallStatus::Rejected | CallStatus::Failed if self.succeeded => return None,
            CallStatus::Rejected => ("agents_api_tool_call_rejected", "Tool call was rejected."),
            CallStatus::Failed => ("agents_api_tool_execution_failed", "Tool execution failed."),
        };
        Some(json!({ "code": code, "message": message }))
    }
}

fn text<'a>(object: &'a Object, key: &str) -> &'a str {
    json::text(object, key).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nth_result_of_an_id_settles_its_nth_call() {
        let call = json!({"type": "tool_call", "tool_name": "a/b", "tool_call_id": "c", "turn_count": 1});
        let result = json!({"type": "tool_result", "tool_call_id": "c", "metadata": {"success": true}});
        let events = [&call, &call, &result, &result, &call].map(|event| event.as_object().unwrap());
        let given = [
            json!({"tool_call_id": "c", "result": ["odd"]}),
            json!({"tool_call_id": "c", "result": {"result": "two"}}),
        ];
        let given: Vec<&Object> = given.iter().filter_map(Value::as_object).collect();
        let calls = ToolObservability::of(&events, &given).calls;
        let seen: Vec<_> = calls.iter().map(|call| (call.status, call.result)).collect();
        assert_eq!(
            seen,
            [
                (CallStatus::Succeeded, None),
                (CallStatus::Succeeded, Some(Shape::Text(3))),
                (CallStatus::Pending, None)
            ]
        );
    }
}
