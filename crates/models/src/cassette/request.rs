//! A request as it is compared: what the model reads, and nothing that differs from run to run.

use provost_contract::Message;
use provost_contract::json;
use provost_contract::tool::ToolDeclaration;
use provost_runtime::port::TurnRequest;
use serde_json::{Value, json};

/// What says nothing to a model: our own bookkeeping, and times.
const BOOKKEEPING: [&str; 5] = ["schema", "version", "id", "created_at", "updated_at"];

/// The same of a decision.
const OF_A_DECISION: [&str; 2] = ["action_id", "at"];

pub(super) fn compared(request: &TurnRequest<'_>) -> Value {
    json!({
        "turn": request.turn,
        "model": request.model,
        "structured_output": request.structured_output,
        "tools": request.tools.tools().iter().map(tool).collect::<Vec<_>>(),
        "messages": request.messages.messages().map(|said| message(said)).collect::<Vec<_>>(),
    })
}

fn tool(tool: &ToolDeclaration) -> Value {
    let parameters = tool.rules().model_schema();
    json!({ "name": tool.name().as_str(), "description": tool.description(), "parameters": parameters })
}

fn message(message: &Message) -> Value {
    let mut wire = json::into_object(message.to_value());
    let empty = |value: &Value| value.as_object().is_some_and(json::Object::is_empty);
    wire.retain(|key, value| !BOOKKEEPING.contains(&key.as_str()) && !empty(value));
    let mut wire = Value::Object(wire);
    if let Some(Value::Object(approval)) = wire.pointer_mut("/payload/metadata/approval") {
        approval.retain(|key, _| !OF_A_DECISION.contains(&key.as_str()));
    }
    wire
}
