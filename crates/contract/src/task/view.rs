//! What the owner of a run may see of its result.

use serde_json::{Value, json};

use crate::json::Object;
use crate::sensitivity::REDACTED;

/// A name with one of these in it hides its value from callers that do not manage the system: secrets, and
/// what only the makers of an executor should read.
const HIDDEN: [&str; 23] = [
    "api_key",
    "api-key",
    "apikey",
    "authorization",
    "auth_token",
    "auth-token",
    "authtoken",
    "bearer",
    "cookie",
    "credential",
    "diagnostics",
    "nonce",
    "output",
    "package",
    "password",
    "private_key",
    "private-key",
    "privatekey",
    "provenance",
    "raw",
    "secret",
    "token",
    "workflow",
];

/// A result with everything hidden that is not for its owner.
pub(super) fn redacted(value: &Value) -> Value {
    match value {
        Value::Object(map) => {
            map.iter().map(|(key, value)| (key.clone(), shown(key, value))).collect::<Object>().into()
        }
        Value::Array(items) => items.iter().map(redacted).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value.clone(),
    }
}

fn shown(key: &str, value: &Value) -> Value {
    match (is_hidden(key), value) {
        (false, _) => redacted(value),
        (true, Value::Array(_) | Value::Object(_)) => json!({ "redacted": true }),
        (true, Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_)) => REDACTED.into(),
    }
}

fn is_hidden(key: &str) -> bool {
    let key = key.to_lowercase();
    HIDDEN.iter().any(|word| key.contains(word))
}
