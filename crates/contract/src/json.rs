//! Reading JSON: the text door with its limits, and the small questions every parser asks of an object.
//!
//! Numbers, strings and booleans are never converted into each other here; where a rule accepts a
//! looser form, the parser of that concept says so itself.

use std::collections::HashSet;
use std::str::FromStr;

use serde_json::Value;
use strum::VariantArray;

use crate::{ContractError, Result};

/// A JSON object that keeps the order of its keys.
pub type Object = serde_json::Map<String, Value>;

/// How deep JSON text may nest.
pub const DEPTH_MAX: usize = 128;

const CODE: &str = "invalid_json";
/// An object of more keys is asked by hash.
const WALKED_KEYS_MAX: usize = 8;

/// Parses JSON text. Deeper than [`DEPTH_MAX`] is an error, found before anything is built.
pub fn parse_text(text: &str) -> Result<Value> {
    if depth_of(text) > DEPTH_MAX {
        return Err(ContractError::whole(CODE, &format!("nests deeper than {DEPTH_MAX} levels")));
    }
    let mut reader = serde_json::Deserializer::from_str(text);
    reader.disable_recursion_limit();
    let value = serde::Deserialize::deserialize(&mut reader)
        .map_err(|error| ContractError::whole(CODE, &error.to_string()))?;
    reader.end().map_err(|error| ContractError::whole(CODE, &error.to_string()))?;
    Ok(value)
}

/// The deepest nesting of brackets outside strings. Counts without parsing, so malformed text is fine.
pub fn depth_of(text: &str) -> usize {
    let (mut depth, mut deepest, mut in_string, mut escaped) = (0_usize, 0_usize, false, false);
    for byte in text.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            b'[' | b'{' if !in_string => {
                depth += 1;
                deepest = deepest.max(depth);
            }
            b']' | b'}' if !in_string => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    deepest
}

/// The value under `key`, null or not.
///
/// Most objects are small, and walking a few keys is many times faster than hashing one: long
/// transcripts are read key by key.
#[inline]
pub fn get<'a>(object: &'a Object, key: &str) -> Option<&'a Value> {
    if object.len() > WALKED_KEYS_MAX {
        return object.get(key);
    }
    object.iter().find_map(|(known, value)| (known == key).then_some(value))
}

/// The same for whoever changes it.
pub fn get_mut<'a>(object: &'a mut Object, key: &str) -> Option<&'a mut Value> {
    if object.len() > WALKED_KEYS_MAX {
        return object.get_mut(key);
    }
    object.iter_mut().find_map(|(known, value)| (known == key).then_some(value))
}

/// The value under `key`, which leaves a null in its place.
pub fn take(object: &mut Object, key: &str) -> Option<Value> {
    get_mut(object, key).map(Value::take)
}

/// The value under `key`, unless it is absent or null.
pub fn present<'a>(object: &'a Object, key: &str) -> Option<&'a Value> {
    get(object, key).filter(|value| !value.is_null())
}

/// The text under `key`, when it is a string.
#[inline]
pub fn text<'a>(object: &'a Object, key: &str) -> Option<&'a str> {
    get(object, key).and_then(Value::as_str)
}

/// The text under `key`, when it is a string that is not empty.
pub fn non_empty_text<'a>(object: &'a Object, key: &str) -> Option<&'a str> {
    text(object, key).filter(|text| !text.is_empty())
}

/// The trimmed text under `key`, when it is a string that is not blank.
pub fn trimmed_text<'a>(object: &'a Object, key: &str) -> Option<&'a str> {
    text(object, key).map(str::trim).filter(|text| !text.is_empty())
}

/// The object under `key`, when it is one.
pub fn object<'a>(object: &'a Object, key: &str) -> Option<&'a Object> {
    get(object, key).and_then(Value::as_object)
}

/// A copy of the object under `key`; anything else counts as empty.
pub fn object_or_empty(holder: &Object, key: &str) -> Object {
    object(holder, key).cloned().unwrap_or_default()
}

/// The object a value is; anything else counts as empty.
pub fn into_object(value: Value) -> Object {
    match value {
        Value::Object(object) => object,
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => Object::new(),
    }
}

/// A copy of an object without some of its keys.
pub fn without(object: &Object, keys: &[&str]) -> Object {
    let others = object.iter().filter(|(key, _)| !keys.contains(&key.as_str()));
    others.map(|(key, value)| (key.clone(), value.clone())).collect()
}

/// The list under `key`, when it is one.
pub fn list<'a>(object: &'a Object, key: &str) -> Option<&'a Vec<Value>> {
    get(object, key).and_then(Value::as_array)
}

/// The entries of a list, or the values of an object that stands for one; nothing else has any.
pub fn entries(value: &Value) -> Vec<&Value> {
    match value {
        Value::Array(items) => items.iter().collect(),
        Value::Object(map) => map.values().collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Vec::new(),
    }
}

/// Whether the value is a list or an object ("an array" in the words of the error texts).
pub fn is_container(value: &Value) -> bool {
    value.is_array() || value.is_object()
}

/// A copy of the value as an object. An empty list is an empty object, for some languages write one so.
pub fn object_from(value: &Value) -> Option<Object> {
    match value {
        Value::Object(object) => Some(object.clone()),
        Value::Array(items) => items.is_empty().then(Object::new),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => None,
    }
}

/// A copy without nulls, at every depth; lists close up.
pub fn without_nulls(value: &Value) -> Value {
    match value {
        Value::Object(object) => {
            let members = object.iter().filter(|(_, value)| !value.is_null());
            members.map(|(key, value)| (key.clone(), without_nulls(value))).collect()
        }
        Value::Array(items) => items.iter().filter(|item| !item.is_null()).map(without_nulls).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value.clone(),
    }
}

/// A copy of a list or object. Nothing, and what is empty, is an empty object: the two empty containers
/// mean the same where either may stand.
pub fn container_or_empty(value: Option<&Value>) -> Value {
    match value {
        Some(Value::Array(items)) if !items.is_empty() => Value::Array(items.clone()),
        Some(Value::Object(map)) => Value::Object(map.clone()),
        Some(_) | None => Value::Object(Object::new()),
    }
}

/// Whether two values are the same: numbers by value (`1` is `1.0`), objects whatever their order of keys.
pub fn equal(left: &Value, right: &Value) -> bool {
    match (left, right) {
        // Two whole numbers are compared as such: as fractions, large neighbours would look alike.
        (Value::Number(one), Value::Number(other)) if one.is_f64() != other.is_f64() => {
            one.as_f64() == other.as_f64()
        }
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| equal(one, other))
        }
        (Value::Object(one), Value::Object(other)) => {
            let same = |(key, value)| other.get(key).is_some_and(|found| equal(value, found));
            one.len() == other.len() && one.iter().all(same)
        }
        _ => left == right,
    }
}

/// Reads a string list: one string or a list; trimmed, blanks and non-strings dropped, first of each kept.
pub fn string_list(value: &Value) -> Vec<String> {
    let items = match value {
        Value::Array(items) => items.as_slice(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Object(_) => {
            std::slice::from_ref(value)
        }
    };
    let mut seen = HashSet::new();
    let names = items.iter().filter_map(Value::as_str).map(str::trim).filter(|name| !name.is_empty());
    names.filter(|name| seen.insert(*name)).map(str::to_owned).collect()
}

/// Reads a word of a closed vocabulary; anything else is refused with the words that are allowed.
pub fn word<E>(code: &'static str, field: &str, value: &Value) -> Result<E>
where
    E: FromStr + VariantArray + Copy + Into<&'static str>,
{
    value.as_str().and_then(|text| text.parse().ok()).ok_or_else(|| {
        let words: Vec<&'static str> = E::VARIANTS.iter().map(|variant| (*variant).into()).collect();
        ContractError::field(code, field, &format!("must be one of: {}", words.join(", ")))
    })
}

/// Reads a list of texts that are not blank: trimmed, the first of each kept. Anything else is refused.
pub fn texts(code: &'static str, field: &str, value: &Value) -> Result<Vec<String>> {
    let Some(items) = value.as_array() else {
        return Err(ContractError::field(code, field, "must be a list of texts"));
    };
    if items.iter().any(|item| item.as_str().is_none_or(|text| text.trim().is_empty())) {
        return Err(ContractError::field(code, field, "must hold texts that are not blank"));
    }
    Ok(string_list(value))
}

/// The trimmed text under `key`; anything else, a blank text too, is refused.
pub fn required_text(code: &'static str, key: &str, object: &Object) -> Result<String> {
    let refused = || ContractError::field(code, key, "must be a non-empty string");
    trimmed_text(object, key).map(str::to_owned).ok_or_else(refused)
}

/// The text under `key`; absent and null are none, a blank text too, anything else is refused.
pub fn optional_text(code: &'static str, key: &str, object: &Object) -> Result<Option<String>> {
    match present(object, key) {
        None => Ok(None),
        Some(Value::String(text)) if text.trim().is_empty() => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(_) => Err(ContractError::field(code, key, "must be a text")),
    }
}

/// The list or object under `key`; absent and null are none, anything else is refused.
pub fn optional_container<'a>(
    code: &'static str,
    key: &str,
    object: &'a Object,
) -> Result<Option<&'a Value>> {
    match present(object, key) {
        Some(value) if !is_container(value) => Err(ContractError::field(code, key, "must be an array")),
        present => Ok(present),
    }
}

/// A copy of the object under `key`; absent and null count as empty, anything else is refused.
pub fn optional_object(code: &'static str, key: &str, holder: &Object) -> Result<Object> {
    match present(holder, key) {
        None => Ok(Object::new()),
        Some(Value::Object(object)) => Ok(object.clone()),
        Some(_) => Err(ContractError::field(code, key, "must be an object")),
    }
}

/// Refuses every key that is not listed, all of them at once.
pub fn only_keys(code: &'static str, path: &str, object: &Object, known: &[&str]) -> Result<()> {
    let dot = if path.is_empty() { "" } else { "." };
    let unknown = object.keys().filter(|key| !known.contains(&key.as_str()));
    let fields: Vec<String> = unknown.map(|key| format!("{path}{dot}{key}")).collect();
    if fields.is_empty() {
        return Ok(());
    }
    let message = format!("{code}: unknown field {}; known: {}", fields.join(", "), known.join(", "));
    Err(fields.into_iter().fold(ContractError::with_message(code, message), ContractError::about))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nested(levels: usize) -> String {
        "[".repeat(levels) + &"]".repeat(levels)
    }

    #[test]
    fn the_deepest_allowed_text_parses_and_one_level_more_does_not() {
        assert!(parse_text(&nested(DEPTH_MAX)).is_ok());
        let error = parse_text(&nested(DEPTH_MAX + 1)).unwrap_err();
        assert_eq!(error.message(), "invalid_json: nests deeper than 128 levels");
    }

    #[test]
    fn brackets_inside_strings_do_not_nest() {
        let text = format!("\"{}\\\"[\"", "[".repeat(500));
        assert!(parse_text(&text).is_ok());
    }

    #[test]
    fn trailing_text_is_refused() {
        assert_eq!(parse_text("{} {}").unwrap_err().code(), "invalid_json");
    }
}
