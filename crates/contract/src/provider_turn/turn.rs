//! One assistant turn as an adapter reports it, in normal form.

use serde_json::{Value, json};

use super::{RequestedCall, extract_tool_calls};
use crate::failure::check_failure;
use crate::json::{self, Object};
use crate::{ContractError, Message, Result};

const CODE: &str = "invalid_agent_provider_turn_result";

/// Where the calls of a turn come from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CallSource {
    /// The turn's list `tool_calls` alone. What a model writes is text, also where it looks like a call: it may
    /// be quoting one.
    #[default]
    List,
    /// Without that list, also what the turn's texts look like. For a model that has no other way to call, and
    /// whose texts hold nothing that others wrote.
    ListOrText,
}

/// What came of one model call.
#[derive(Clone, Debug, PartialEq)]
pub struct ProviderTurn {
    /// What the model said, as text.
    pub content: String,
    /// The whole message, when the adapter builds it.
    pub message: Option<Message>,
    /// What the adapter wants said next on the user's side.
    pub continuation_messages: Vec<Message>,
    /// The tools the model wants called, in its order.
    pub tool_calls: Vec<RequestedCall>,
    /// Tokens and whatever else the provider counts.
    pub usage: Object,
    /// What the adapter knows of the request it sent.
    pub request_metadata: Object,
    /// What helps to understand the provider's answer.
    pub provider_diagnostics: Object,
    /// Why there is no answer: at least `type` and `message`.
    failure: Option<Object>,
    /// The answer to a request for structured output.
    pub structured_output: Option<StructuredAnswer>,
}

/// A parsed answer, whatever JSON it is, and what the adapter says of parsing it.
#[derive(Clone, Debug, PartialEq)]
pub struct StructuredAnswer {
    /// The answer; null is one too.
    pub parsed: Value,
    /// How parsing went: a list or an object, as it came.
    pub diagnostics: Option<Value>,
}

impl ProviderTurn {
    /// Reads what an adapter returned. Its calls are those of its `tool_calls`; without the list it has none.
    pub fn parse(raw: &Object) -> Result<Self> {
        Self::parse_with(raw, CallSource::List)
    }

    /// The same, with calls from where the adapter says.
    pub fn parse_with(raw: &Object, source: CallSource) -> Result<Self> {
        let usage = map(raw, "usage")?;
        let request_metadata = map(raw, "request_metadata")?;
        let provider_diagnostics = map(raw, "provider_diagnostics")?;
        Ok(Self {
            content: json::text(raw, "content").unwrap_or_default().to_owned(),
            message: parse_message(raw)?,
            continuation_messages: Message::parse_many(
                list(raw, "continuation_messages")?.unwrap_or_default(),
            )?,
            tool_calls: parse_calls(raw, source)?,
            usage,
            request_metadata,
            provider_diagnostics,
            failure: parse_failure(raw)?,
            structured_output: parse_structured_output(raw)?,
        })
    }

    /// Why there is no answer, when there is none.
    pub fn failure(&self) -> Option<&Object> {
        self.failure.as_ref()
    }

    /// The wire form.
    pub fn to_value(&self) -> Value {
        let values = |messages: &[Message]| messages.iter().map(Message::to_value).collect::<Value>();
        let mut wire = json!({
            "content": self.content,
            "message": self.message.as_ref().map(Message::to_value),
            "continuation_messages": values(&self.continuation_messages),
            "tool_calls": self.tool_calls.iter().map(RequestedCall::to_value).collect::<Value>(),
            "usage": self.usage,
            "request_metadata": self.request_metadata,
            "provider_diagnostics": self.provider_diagnostics,
        });
        if let Some(map) = wire.as_object_mut() {
            map.extend(self.failure.iter().map(|failure| ("failure".to_owned(), json!(failure))));
            let answer = self.structured_output.iter().map(StructuredAnswer::to_value);
            map.extend(answer.map(|answer| ("structured_output".to_owned(), answer)));
        }
        wire
    }
}

impl StructuredAnswer {
    fn to_value(&self) -> Value {
        let mut wire = json!({ "parsed": self.parsed });
        if let (Some(map), Some(diagnostics)) = (wire.as_object_mut(), &self.diagnostics) {
            map.insert("diagnostics".into(), diagnostics.clone());
        }
        wire
    }
}

/// Refuses one field of a turn.
pub(super) fn refuse(field: impl Into<String>, reason: &str) -> ContractError {
    ContractError::field(CODE, field, reason)
}

fn map(raw: &Object, key: &str) -> Result<Object> {
    let Some(value) = json::present(raw, key) else { return Ok(Object::new()) };
    json::object_from(value).ok_or_else(|| refuse(key, "must be an array"))
}

fn list<'a>(raw: &'a Object, key: &str) -> Result<Option<&'a [Value]>> {
    let Some(value) = json::present(raw, key) else { return Ok(None) };
    let items = value.as_array().ok_or_else(|| refuse(key, "must be an array when present"))?;
    Ok(Some(items))
}

fn parse_message(raw: &Object) -> Result<Option<Message>> {
    let Some(value) = json::present(raw, "message") else { return Ok(None) };
    if !json::is_container(value) {
        return Err(refuse("message", "must be an array when present"));
    }
    Message::parse(value).map(Some)
}

fn parse_calls(raw: &Object, source: CallSource) -> Result<Vec<RequestedCall>> {
    match (list(raw, "tool_calls")?, source) {
        (Some(calls), _) => RequestedCall::parse_many(calls),
        (None, CallSource::List) => Ok(Vec::new()),
        (None, CallSource::ListOrText) => extract_tool_calls(raw),
    }
}

fn parse_failure(raw: &Object) -> Result<Option<Object>> {
    let Some(value) = json::present(raw, "failure") else { return Ok(None) };
    check_failure(CODE, value)?;
    Ok(value.as_object().cloned())
}

/// A null here is not an absence: whoever names the key must show what was parsed.
fn parse_structured_output(raw: &Object) -> Result<Option<StructuredAnswer>> {
    let Some(value) = json::get(raw, "structured_output") else { return Ok(None) };
    let Some(parsed) = value.get("parsed") else {
        return Err(refuse("structured_output", "must be an array with a parsed key"));
    };
    let diagnostics = value.get("diagnostics").filter(|diagnostics| json::is_container(diagnostics)).cloned();
    Ok(Some(StructuredAnswer { parsed: parsed.clone(), diagnostics }))
}
