//! What Gemini demands of one part.

use serde_json::Value;

use crate::provider::body::text_at;
use crate::provider::prepare::{CallIds, Characters, is_tool_name};
use crate::provider::refusal::Rule;

/// Gemini takes any id; calls may also have none.
pub(super) const CALL_IDS: CallIds = CallIds { length_max: usize::MAX, characters: Characters::Any };
/// The signature of a call.
pub(super) const SIGNATURE: &str = "thoughtSignature";
/// What is sent in its place for a call that Gemini did not make, as its documentation says.
pub(super) const UNSIGNED: &str = "skip_thought_signature_validator";
/// The fields that say something about the data of a part, and are no data themselves.
const ABOUT: [&str; 5] = ["thought", SIGNATURE, "videoMetadata", "partMetadata", "mediaResolution"];

/// Why a part would be refused from this role.
pub(super) fn refusal(part: &Value, role: &str) -> Option<(Rule, String)> {
    let Some(object) = part.as_object() else {
        return Some((Rule::Shape, "a part must be an object".to_owned()));
    };
    let data: Vec<&String> = object
        .iter()
        .filter(|(key, value)| !ABOUT.contains(&key.as_str()) && !value.is_null())
        .map(|(key, _)| key)
        .collect();
    let [data] = data.as_slice() else {
        return Some((Rule::Shape, format!("a part must hold one kind of data, not {}", data.len())));
    };
    match data.as_str() {
        "text" => text_refusal(part),
        "functionCall" if role != "model" => {
            Some((Rule::BlockPlace, "a functionCall can only come from the model".to_owned()))
        }
        "functionCall" => call_refusal(part.get("functionCall").unwrap_or(&Value::Null)),
        "functionResponse" if role == "model" => {
            Some((Rule::BlockPlace, "a functionResponse can only come from the user".to_owned()))
        }
        "functionResponse" => response_refusal(part.get("functionResponse").unwrap_or(&Value::Null)),
        _ => None,
    }
}

pub(super) fn is_call(part: &Value) -> bool {
    part.get("functionCall").is_some()
}

pub(super) fn is_response(part: &Value) -> bool {
    part.get("functionResponse").is_some()
}

/// Whether a part carries a signature.
pub(super) fn is_signed(part: &Value) -> bool {
    !text_at(part, SIGNATURE).is_empty()
}

fn text_refusal(part: &Value) -> Option<(Rule, String)> {
    match part.get("text").and_then(Value::as_str) {
        None => Some((Rule::Shape, "text must be a string".to_owned())),
        // The model itself sends a signature on an empty text.
        Some("") if !is_signed(part) => Some((Rule::EmptyText, "a text part must not be empty".to_owned())),
        Some(_) => None,
    }
}

fn call_refusal(call: &Value) -> Option<(Rule, String)> {
    let name = text_at(call, "name");
    if !is_tool_name(name) {
        let why = format!("the function name {name:?} must be letters, digits, _ and - (at most 64)");
        return Some((Rule::ToolName, why));
    }
    let object = call.get("args").is_none_or(Value::is_object);
    (!object).then(|| (Rule::CallArguments, format!("the args of functionCall {name} must be an object")))
}

fn response_refusal(response: &Value) -> Option<(Rule, String)> {
    let name = text_at(response, "name");
    if !is_tool_name(name) {
        let why = format!("the function name {name:?} must be letters, digits, _ and - (at most 64)");
        return Some((Rule::ToolName, why));
    }
    let object = response.get("response").is_some_and(Value::is_object);
    (!object).then(|| (Rule::Shape, format!("the response of functionResponse {name} must be an object")))
}
