//! Signatures and minimal examples of a JSON Schema.

use provost_contract::json::Object;
use serde_json::{Value, json};

/// The maximum number of properties in a signature.
const NAMED_MAX: usize = 12;
/// The maximum depth of a sample.
const DEPTH_MAX: usize = 4;

/// Returns the signature of an object schema: `{path: string, start?: integer}`.
pub(super) fn signature(schema: &Value) -> String {
    let properties = schema.get("properties").and_then(Value::as_object);
    let Some(properties) = properties.filter(|properties| !properties.is_empty()) else {
        return "no arguments".to_owned();
    };
    let required = required_of(schema);
    let named = properties.iter().take(NAMED_MAX).map(|(name, property)| {
        let mark = if required.contains(&name.as_str()) { "" } else { "?" };
        format!("{name}{mark}: {}", type_word(property))
    });
    let more = if properties.len() > NAMED_MAX { ", …" } else { "" };
    format!("{{{}{more}}}", named.collect::<Vec<_>>().join(", "))
}

fn required_of(schema: &Value) -> Vec<&str> {
    let names = schema.get("required").and_then(Value::as_array);
    names.into_iter().flatten().filter_map(Value::as_str).collect()
}

fn type_word(schema: &Value) -> String {
    if let Some(values) = schema.get("enum").and_then(Value::as_array).filter(|values| values.len() <= 8) {
        return values.iter().map(Value::to_string).collect::<Vec<_>>().join(" | ");
    }
    match schema.get("type") {
        Some(Value::String(word)) => word.clone(),
        Some(Value::Array(words)) => words.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" | "),
        Some(_) | None => "any".to_owned(),
    }
}

/// Returns whether a property accepts a number or a boolean and no string.
pub(super) fn wants_scalar(schema: &Value, property: &str) -> bool {
    let property = schema.get("properties").and_then(|properties| properties.get(property));
    let is_scalar = |word: &Value| matches!(word.as_str(), Some("integer" | "number" | "boolean"));
    let is_null = |word: &Value| word == "null";
    match property.and_then(|property| property.get("type")) {
        Some(Value::Array(words)) => {
            words.iter().any(is_scalar) && words.iter().all(|word| is_scalar(word) || is_null(word))
        }
        Some(word) => is_scalar(word),
        None => false,
    }
}

/// Guesses the smallest value that matches a schema; the caller must check it.
pub(super) fn sample(schema: &Value, name: &str, depth: usize) -> Value {
    if let Some(value) = given(schema) {
        return value.clone();
    }
    let word = match schema.get("type") {
        Some(Value::Array(words)) => words.first().and_then(Value::as_str),
        Some(word) => word.as_str(),
        None => None,
    };
    let bound = |key: &str| schema.get(key).filter(|bound| bound.is_number()).cloned();
    match word {
        Some("object") => sample_object(schema, depth),
        Some("array") => sample_array(schema, name, depth),
        Some("integer" | "number") => {
            bound("minimum").or_else(|| bound("maximum")).unwrap_or_else(|| json!(1))
        }
        Some("boolean") => json!(true),
        Some("null") => Value::Null,
        Some(_) | None => json!(format!("<{name}>")),
    }
}

/// Returns a value that the schema itself gives.
fn given(schema: &Value) -> Option<&Value> {
    let first = |key: &str| schema.get(key).and_then(Value::as_array).and_then(|values| values.first());
    schema
        .get("const")
        .or_else(|| first("examples"))
        .or_else(|| schema.get("default"))
        .or_else(|| first("enum"))
}

fn sample_object(schema: &Value, depth: usize) -> Value {
    let empty = Object::new();
    let properties = schema.get("properties").and_then(Value::as_object).unwrap_or(&empty);
    let mut object = Object::new();
    if depth < DEPTH_MAX {
        for name in required_of(schema) {
            let property = properties.get(name).unwrap_or(&Value::Null);
            object.insert(name.to_owned(), sample(property, name, depth + 1));
        }
    }
    Value::Object(object)
}

fn sample_array(schema: &Value, name: &str, depth: usize) -> Value {
    let least = schema.get("minItems").and_then(Value::as_u64).unwrap_or_default();
    if least == 0 || depth >= DEPTH_MAX {
        return json!([]);
    }
    json!([sample(schema.get("items").unwrap_or(&Value::Null), name, depth + 1)])
}
