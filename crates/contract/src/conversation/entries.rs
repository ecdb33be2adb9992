//! The entries of a list, each with the label its error path needs.

use serde_json::Value;

/// Entries with their position in a list, or their key in an object.
pub(super) type Labelled<'a> = Vec<(String, &'a Value)>;

/// The entries of a list or object; some writers number their lists by keys.
pub(super) fn labelled(list: &Value) -> Option<Labelled<'_>> {
    match list {
        Value::Array(items) => {
            Some(items.iter().enumerate().map(|(index, item)| (index.to_string(), item)).collect())
        }
        Value::Object(map) => Some(map.iter().map(|(key, item)| (key.clone(), item)).collect()),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => None,
    }
}
