//! Telling whose transcript a JSON document is.

use serde_json::Value;

use super::Provider;
use super::body::{entries, text_at, type_of};

/// Whose words a transcript is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Our own messages.
    Messages,
    /// A provider's request or response.
    Of(Provider),
}

impl Shape {
    /// The shape a document has, as far as it shows; none when it looks like nothing known.
    ///
    /// A conversation of bare texts is the same for Anthropic and for Chat Completions; it counts as the
    /// latter.
    pub fn detect(document: &Value) -> Option<Self> {
        let has = |key: &str| document.get(key).is_some();
        if has("contents") || has("candidates") {
            return Some(Self::Of(Provider::Gemini));
        }
        if has("choices") {
            return Some(Self::Of(Provider::OpenaiChat));
        }
        if has("input") || has("output") {
            return Some(Self::Of(Provider::OpenaiResponses));
        }
        if text_at(document, "role") == "assistant" && type_of(document) == "message" {
            return Some(Self::Of(Provider::Anthropic));
        }
        let list = entries(document, "messages")?;
        let any = |test: fn(&Value) -> bool| list.iter().any(test);
        Some(if any(is_message) {
            Self::Messages
        } else if any(|entry| entry.get("parts").is_some()) {
            Self::Of(Provider::Gemini)
        } else if has("system") || any(is_anthropic) {
            Self::Of(Provider::Anthropic)
        } else if any(is_responses_item) {
            Self::Of(Provider::OpenaiResponses)
        } else {
            Self::Of(Provider::OpenaiChat)
        })
    }
}

/// Our messages are envelopes, or carry metadata.
fn is_message(entry: &Value) -> bool {
    entry.get("payload").is_some() || entry.get("metadata").is_some_and(Value::is_object)
}

fn is_anthropic(entry: &Value) -> bool {
    let kinds =
        ["tool_use", "tool_result", "thinking", "redacted_thinking", "image", "document", "server_tool_use"];
    let blocks = entry.get("content").and_then(Value::as_array).into_iter().flatten();
    blocks.into_iter().any(|block| kinds.contains(&type_of(block)))
}

fn is_responses_item(entry: &Value) -> bool {
    let blocks = entry.get("content").and_then(Value::as_array).into_iter().flatten();
    !type_of(entry).is_empty() || blocks.into_iter().any(|block| type_of(block).ends_with("put_text"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn each_shape_is_told_from_the_others() {
        let called = json!([{ "role": "assistant", "content": [{ "type": "tool_use", "id": "a" }] }]);
        let cases = [
            (json!([{ "role": "user", "content": "hi", "metadata": {} }]), Some(Shape::Messages)),
            (json!({ "messages": called }), Some(Shape::Of(Provider::Anthropic))),
            (
                json!({ "type": "message", "role": "assistant", "content": [] }),
                Some(Shape::Of(Provider::Anthropic)),
            ),
            (
                json!([{ "role": "tool", "tool_call_id": "a", "content": "b" }]),
                Some(Shape::Of(Provider::OpenaiChat)),
            ),
            (json!({ "choices": [] }), Some(Shape::Of(Provider::OpenaiChat))),
            (
                json!([{ "type": "function_call", "call_id": "a" }]),
                Some(Shape::Of(Provider::OpenaiResponses)),
            ),
            (json!({ "output": [] }), Some(Shape::Of(Provider::OpenaiResponses))),
            (json!([{ "role": "model", "parts": [] }]), Some(Shape::Of(Provider::Gemini))),
            (json!({ "candidates": [] }), Some(Shape::Of(Provider::Gemini))),
            (json!({ "something": "else" }), None),
        ];
        for (document, shape) in cases {
            assert_eq!(Shape::detect(&document), shape, "{document}");
        }
    }
}
