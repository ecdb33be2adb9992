//! What Chat Completions demand of one content part and of one message without neighbours.

use serde_json::Value;

use crate::provider::body::{text_at, type_of};
use crate::provider::prepare::{CallIds, Characters};
use crate::provider::refusal::Rule;

/// Deployments have refused ids above 40 characters and above 64; the smaller limit pleases both.
pub(super) const CALL_IDS: CallIds = CallIds { length_max: 40, characters: Characters::Any };

/// Why a part would be refused in a message of this role.
pub(super) fn refusal(part: &Value, role: &str) -> Option<(Rule, String)> {
    let kind = type_of(part);
    let allowed = match kind {
        "" => return Some((Rule::Shape, "a content part must be an object with a type".to_owned())),
        "text" if !part.get("text").is_some_and(Value::is_string) => {
            return Some((Rule::Shape, "a text part must have a text".to_owned()));
        }
        "text" => true,
        "refusal" => role == "assistant",
        "image_url" | "input_audio" | "file" => role == "user",
        // A kind of part newer than this code: the provider knows better, where parts are allowed at all.
        _ => role == "user",
    };
    (!allowed).then(|| (Rule::BlockPlace, format!("a {kind} part cannot stand in a message of the {role}")))
}

/// Why the content of a message would be refused.
pub(super) fn content_refusal(message: &Value) -> Option<(Rule, String)> {
    let role = text_at(message, "role");
    match message.get("content") {
        Some(Value::String(_)) => None,
        Some(Value::Array(parts)) if parts.is_empty() => {
            Some((Rule::EmptyContent, "content must be text or at least one part".to_owned()))
        }
        Some(Value::Array(parts)) => parts.iter().find_map(|part| refusal(part, role)),
        None | Some(Value::Null) if role == "assistant" && says_otherwise(message) => None,
        None | Some(Value::Null) => {
            let why = format!("content of a message of the {role} must be text or a list of parts");
            Some((Rule::EmptyContent, why))
        }
        Some(_) => Some((Rule::Shape, "content must be text or a list of parts".to_owned())),
    }
}

/// Whether an assistant message without content says something in another way.
fn says_otherwise(message: &Value) -> bool {
    let keys = ["tool_calls", "function_call", "refusal", "audio"];
    keys.iter().any(|key| message.get(key).is_some_and(|value| !value.is_null()))
}
