//! Hiding values.

use serde_json::Value;

use super::is_sensitive_name;
use crate::json::Object;

/// What stands where a value was hidden.
pub const REDACTED: &str = "[redacted]";

/// Hides the whole value of every sensitively named key, at every depth.
pub fn redact_names(value: &Value) -> Value {
    match value {
        Value::Object(map) => map
            .iter()
            .map(|(key, value)| {
                let shown = if is_sensitive_name(key) { REDACTED.into() } else { redact_names(value) };
                (key.clone(), shown)
            })
            .collect(),
        Value::Array(items) => items.iter().map(redact_names).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value.clone(),
    }
}

/// What is left of a value when everything hidden counts as missing; none when nothing is.
///
/// An object loses the members that were hidden. A list is missing as soon as one of its items is: with
/// a hole in it, it would be another list.
pub fn without_redacted(value: &Value) -> Option<Value> {
    match value {
        Value::Object(map) => {
            let known = map.iter().filter_map(|(key, value)| Some((key.clone(), without_redacted(value)?)));
            Some(Value::Object(known.collect::<Object>()))
        }
        Value::Array(items) => items.iter().map(without_redacted).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
            Some(value.clone()).filter(|value| value.as_str() != Some(REDACTED))
        }
    }
}

/// Whether something in a value was redacted.
pub fn holds_redacted(value: &Value) -> bool {
    match value {
        Value::Object(map) => map.values().any(holds_redacted),
        Value::Array(items) => items.iter().any(holds_redacted),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
            value.as_str() == Some(REDACTED)
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn names_are_found_at_every_depth_and_whole_values_are_hidden() {
        let value = json!({"a": [{"password": {"x": 1}, "b": 2}], "token": null});
        assert_eq!(
            redact_names(&value),
            json!({"a": [{"password": "[redacted]", "b": 2}], "token": "[redacted]"})
        );
    }

    #[test]
    fn what_was_hidden_counts_as_missing() {
        let value = json!({"a": {"b": "[redacted]", "c": 1}, "d": [1, "[redacted]"], "e": [1]});
        assert_eq!(without_redacted(&value), Some(json!({"a": {"c": 1}, "e": [1]})));
        assert_eq!(without_redacted(&json!("[redacted]")), None);
    }
}
