//! The smallest correct declaration of a turn, for a model to copy.

use provost_contract::action::ExecutorType;
use serde_json::{Value, json};

use crate::read::message::CARRIER_TOOL;
use crate::read::notes::{JsonText, Notes};
use crate::{Catalog, Code, Entry, Turn};

/// Returns the smallest declaration with an executor of this turn, in the form that the model used.
pub(crate) fn smallest_declaration(notes: &Notes, turn: &Turn<'_>) -> Option<String> {
    let fenced = match notes.json {
        JsonText::InMessage(_) => true,
        JsonText::Alone(_) | JsonText::None => false,
    };
    // An example is useless to a model that was cut off or cannot retry.
    let cut = notes.faults.first().is_some_and(|fault| fault.code == Code::LimitExceeded);
    if cut || !turn.may_retry() {
        return None;
    }
    let (entry, arguments) = example_entry(notes, turn.catalog)?;
    Some(if fenced { fenced_block(entry, &arguments) } else { flat_call(entry, &arguments) })
}

/// Returns the tool that the faults concern, else the first one whose arguments can be generated.
fn example_entry<'a>(notes: &Notes, catalog: &'a Catalog) -> Option<(&'a Entry, Value)> {
    let spoken_of = |entry: &&Entry| {
        let starts = |message: &str| {
            message.strip_prefix(entry.name.as_str()).is_some_and(|rest| rest.starts_with([':', ' ']))
        };
        notes.faults.iter().any(|fault| starts(&fault.message))
    };
    let tools = || catalog.of(ExecutorType::Tool);
    let candidates = tools().filter(spoken_of).chain(tools()).chain(catalog.of(ExecutorType::Agent));
    let mut written = candidates.filter_map(|entry| Some((entry, example_arguments(entry)?)));
    written.next()
}

/// Returns arguments that match the entry's schema, or `None` if they cannot be generated.
pub(crate) fn example_arguments(entry: &Entry) -> Option<Value> {
    match (&entry.input_schema, entry.kind) {
        (Some(schema), _) => schema.example(),
        (None, ExecutorType::Agent) => Some(json!({ "prompt": "What the agent shall do." })),
        (
            None,
            ExecutorType::Tool
            | ExecutorType::Runtime
            | ExecutorType::Human
            | ExecutorType::Pipeline
            | ExecutorType::Service,
        ) => Some(json!({})),
    }
}

/// Formats a call of the carrier tool.
pub(crate) fn flat_call(entry: &Entry, arguments: &Value) -> String {
    let call = json!({ "id": "first", "type": entry.kind, "name": entry.name, "args": arguments });
    format!("{CARRIER_TOOL} {}", json!({ "kind": "act", "calls": [call] }))
}

/// Formats a fenced block.
pub(crate) fn fenced_block(entry: &Entry, arguments: &Value) -> String {
    let action = json!({
        "type": "action",
        "id": "first",
        "executor": { "type": entry.kind, "target": entry.name },
        "input": arguments,
    });
    let declaration = json!({
        "type": "agent.protocol",
        "version": "1",
        "intent": "execute",
        "payload": { "type": "action_graph", "actions": [action] },
    });
    format!("```json agent-protocol\n{declaration:#}\n```")
}
