//! Small questions every reader of a provider's body asks.

use std::borrow::Cow;

use serde_json::{Value, json};

use super::refusal::{Findings, Rule};
use crate::json::{self, Object};
use crate::{ContractError, Result};

/// What the user is made to say where a format demands that the user speaks first.
pub(super) const OPENING: &str = "(The conversation begins with the assistant.)";

const CODE: &str = "invalid_provider_transcript";

/// Refuses a body that is not of this provider's shape.
pub(super) fn refused(field: impl Into<String>, expected: &str) -> ContractError {
    ContractError::field(CODE, field, expected)
}

/// The object at a place, or a refusal that names the place.
pub(super) fn object_at(value: &Value, place: impl Fn() -> String) -> Result<&Object> {
    value.as_object().ok_or_else(|| refused(place(), "must be an object"))
}

/// The list a body holds under `key`; the bare list counts as the body.
pub(super) fn entries<'a>(body: &'a Value, key: &str) -> Option<&'a Vec<Value>> {
    body.as_array().or_else(|| json::list(body.as_object()?, key))
}

/// The list to check; what is no list, or an empty one, is noted.
pub(super) fn entries_to_check<'a>(body: &'a Value, key: &str, findings: &mut Findings) -> &'a [Value] {
    let Some(list) = entries(body, key) else {
        findings.note(Rule::Shape, 0, format!("{key} must be a list"));
        return &[];
    };
    if list.is_empty() {
        findings.note(Rule::NoMessages, 0, format!("{key} must hold at least one entry"));
    }
    list
}

/// The entries of a content that may be one text or a list of blocks.
pub(super) fn text_or_blocks<'a>(content: &'a Value, text_type: &str) -> Option<Cow<'a, [Value]>> {
    match content {
        Value::String(text) => Some(Cow::Owned(vec![json!({ "type": text_type, "text": text })])),
        Value::Array(blocks) => Some(Cow::Borrowed(blocks)),
        Value::Null => Some(Cow::Borrowed(&[])),
        Value::Bool(_) | Value::Number(_) | Value::Object(_) => None,
    }
}

/// A content as it is written: one plain text as text, anything else as a list; none when there is nothing.
pub(super) fn text_or_list(blocks: Vec<Value>) -> Option<Value> {
    let only = match blocks.as_slice() {
        [] => return None,
        [Value::Object(only)] => Some(only),
        _ => None,
    };
    // A type and a text, and nothing that came with it.
    let plain = only.filter(|block| block.len() == 2).and_then(|block| block.get("text").cloned());
    Some(plain.unwrap_or(Value::Array(blocks)))
}

/// The `type` of a block; empty when it does not say.
pub(super) fn type_of(block: &Value) -> &str {
    text_at(block, "type")
}

/// The text under `key`; empty when there is none.
pub(super) fn text_at<'a>(value: &'a Value, key: &str) -> &'a str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}

/// Arguments as OpenAI writes them, in JSON text: the object, or what was written instead.
pub(super) fn arguments(raw: Option<&Value>) -> (Object, Option<Value>) {
    let parsed = match raw {
        None | Some(Value::Null) => return (Object::new(), None),
        Some(Value::Object(object)) => return (object.clone(), None),
        Some(Value::String(text)) if text.trim().is_empty() => return (Object::new(), None),
        Some(Value::String(text)) => json::parse_text(text).ok(),
        Some(Value::Bool(_) | Value::Number(_) | Value::Array(_)) => None,
    };
    match parsed {
        Some(Value::Object(object)) => (object, None),
        _ => (Object::new(), raw.cloned()),
    }
}
