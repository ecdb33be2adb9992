//! A complete assistant message, as received from the provider.

use provost_contract::json;
use serde_json::Value;

/// The name of the carrier tool.
pub const CARRIER_TOOL: &str = "AgentProtocolOutput";

/// One native tool call of a message.
#[derive(Clone, Debug, PartialEq)]
pub struct NativeCall {
    /// The tool's name.
    pub name: String,
    /// An object, or the raw text if the provider did not parse it.
    pub arguments: Value,
}

/// How a message ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Finish {
    /// The model stopped by itself.
    #[default]
    Complete,
    /// The provider cut it off at a length limit.
    CutByLength,
}

/// A complete assistant message. An incomplete one is never parsed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AssistantMessage {
    /// The visible text; it may still contain private reasoning between `<think>` tags.
    pub text: String,
    /// The native calls, in order.
    pub calls: Vec<NativeCall>,
    /// How it ended.
    pub finish: Finish,
}

impl AssistantMessage {
    /// Creates a message with text only.
    pub fn of_text(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }

    /// Creates a message with one call of the carrier tool.
    pub fn of_carrier_call(arguments: Value) -> Self {
        let call = NativeCall { name: CARRIER_TOOL.to_owned(), arguments };
        Self { calls: vec![call], ..Self::default() }
    }

    /// Parses `{assistant_message, tool_calls, finish_reason}`; absent fields are empty.
    pub fn parse(value: &Value) -> Self {
        let call = |call: &Value| NativeCall {
            name: call.get("name").and_then(Value::as_str).unwrap_or_default().to_owned(),
            arguments: call.get("arguments").cloned().unwrap_or_default(),
        };
        let Some(raw) = value.as_object() else { return Self::default() };
        Self {
            text: json::text(raw, "assistant_message").unwrap_or_default().to_owned(),
            calls: json::list(raw, "tool_calls").into_iter().flatten().map(call).collect(),
            finish: match json::text(raw, "finish_reason") {
                Some("length") => Finish::CutByLength,
                Some(_) | None => Finish::Complete,
            },
        }
    }
}
