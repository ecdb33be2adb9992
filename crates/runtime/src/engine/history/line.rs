//! One line of the transcript.

use std::borrow::Cow;
use std::sync::Arc;

use provost_contract::Message;
use provost_contract::json::{self, Object};
use provost_contract::message::MessageType;
use serde_json::{Value, json};

use crate::engine::decide::ARGUMENTS_CHANGED;
use crate::engine::{CallDeclared, CallRecord, CallSettled, Kept};

/// What was said. What a call and its result say follows from their events, so their messages are written
/// when somebody reads them, and a long run keeps what happened once.
#[derive(Clone, Debug)]
pub(in crate::engine) enum Line {
    /// A message as it came.
    Said(Arc<Message>),
    /// The model's call of a tool, or what came of it.
    Call(Arc<CallRecord>, Option<Kept<CallSettled>>),
}

impl Line {
    /// The line as a message.
    pub(super) fn message(&self) -> Cow<'_, Message> {
        match self {
            Self::Said(message) => Cow::Borrowed(message),
            Self::Call(call, None) => Cow::Owned(call_message(call.turn(), call.declared.read())),
            Self::Call(call, Some(settled)) => {
                let result = settled.read().result;
                Cow::Owned(result_message(&result_content(&result), &call.declared.read(), result))
            }
        }
    }

    /// The tool it calls, when it calls one.
    pub(super) fn tool_call(&self) -> Option<&str> {
        match self {
            Self::Said(message) if message.kind == MessageType::ToolCall => Some(message.tool_name()),
            Self::Call(call, None) => Some(&call.name),
            Self::Said(_) | Self::Call(_, Some(_)) => None,
        }
    }

    /// What the assistant says in it; none when it is not the assistant's, or says nothing by itself.
    pub(super) fn spoken(&self) -> Option<&str> {
        match self {
            Self::Said(message) if message.role() == "assistant" && message.kind != MessageType::ToolCall => {
                message.content.as_text().filter(|text| !text.is_empty())
            }
            Self::Said(_) | Self::Call(..) => None,
        }
    }
}

fn call_message(turn: u64, declared: CallDeclared) -> Message {
    let metadata = json::into_object(json!({
        "tool_call_id": declared.id,
        "parameters_sha256": declared.parameters_sha256,
        "parameters_redacted": true,
    }));
    Message::tool_call("", &declared.name, declared.parameters, turn, metadata)
}

/// A result as it stands in the transcript.
pub(in crate::engine) fn result_message(content: &str, declared: &CallDeclared, payload: Object) -> Message {
    let metadata = Object::from_iter([("tool_call_id".to_owned(), declared.id.as_str().into())]);
    Message::tool_result(content, &declared.name, payload, metadata)
}

/// What the model reads of a result: its payload as JSON, or the error in plain words; before it, which arguments
/// it ran with when a person changed them.
fn result_content(result: &Object) -> String {
    let changed =
        json::object(result, "metadata").and_then(|metadata| json::object(metadata, ARGUMENTS_CHANGED));
    let changed = changed.map(|changed| {
        let by = json::text(changed, "by").unwrap_or("A person");
        let parameters = changed.get("parameters").map(Value::to_string).unwrap_or_default();
        format!("{by} changed the arguments of this call. It ran with {parameters}.\n")
    });
    format!("{}{}", changed.unwrap_or_default(), plain_content(result))
}

fn plain_content(result: &Object) -> String {
    match (json::text(result, "error"), result.get("result")) {
        (Some(error), _) => error.to_owned(),
        (None, payload) => payload.map(Value::to_string).unwrap_or_default(),
    }
}
