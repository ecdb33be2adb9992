//! The strict local check of an answer against the part of JSON Schema every provider understands:
//! `type`, `enum`, `properties`, `required`, `additionalProperties: false` and `items`.

use serde::Serialize;
use serde_json::Value;
use strum::IntoStaticStr;

use crate::json::{self, Object};

/// Why an answer does not follow its schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, IntoStaticStr, thiserror::Error)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Mismatch {
    /// A value is of another type.
    #[error("a value is not of the type its schema asks for")]
    TypeMismatch,
    /// A value is none of those listed.
    #[error("a value is not among those that its schema lists")]
    EnumMismatch,
    /// An object lacks a property it must have.
    #[error("an object lacks a required property")]
    RequiredPropertyMissing,
    /// An object has a property it must not have.
    #[error("an object has a property its schema does not allow")]
    AdditionalPropertyForbidden,
}

/// Checks an answer depth first and stops at the first mismatch. Keywords not listed above are ignored.
pub fn check(schema: &Object, value: &Value) -> Result<(), Mismatch> {
    if !json::get(schema, "type").is_none_or(|wanted| is_of_type(wanted, value)) {
        return Err(Mismatch::TypeMismatch);
    }
    if !json::list(schema, "enum").is_none_or(|listed| listed.iter().any(|one| json::equal(one, value))) {
        return Err(Mismatch::EnumMismatch);
    }
    match value {
        Value::Object(map) => check_object(schema, map),
        Value::Array(items) => check_items(schema, items),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Ok(()),
    }
}

fn check_object(schema: &Object, map: &Object) -> Result<(), Mismatch> {
    let mut required = json::list(schema, "required").into_iter().flatten().filter_map(Value::as_str);
    if required.any(|name| !map.contains_key(name)) {
        return Err(Mismatch::RequiredPropertyMissing);
    }
    let properties = json::object(schema, "properties");
    let closed = json::get(schema, "additionalProperties") == Some(&Value::Bool(false));
    for (name, value) in map {
        match properties.and_then(|properties| properties.get(name)) {
            Some(Value::Object(property)) => check(property, value)?,
            Some(_) => {}
            None if closed => return Err(Mismatch::AdditionalPropertyForbidden),
            None => {}
        }
    }
    Ok(())
}

fn check_items(schema: &Object, items: &[Value]) -> Result<(), Mismatch> {
    let Some(item_schema) = json::object(schema, "items") else { return Ok(()) };
    items.iter().try_for_each(|item| check(item_schema, item))
}

/// `type` is a name or a list of names; a name nobody knows fits nothing.
fn is_of_type(wanted: &Value, value: &Value) -> bool {
    match wanted {
        Value::String(name) => has_type(name, value),
        Value::Array(names) => names.iter().filter_map(Value::as_str).any(|name| has_type(name, value)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => true,
    }
}

fn has_type(name: &str, value: &Value) -> bool {
    match name {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "number" => value.is_number(),
        "integer" => value.as_f64().is_some_and(|number| number.fract() == 0.0),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn verdict(schema: Value, value: Value) -> Result<(), Mismatch> {
        check(schema.as_object().unwrap(), &value)
    }

    #[test]
    fn the_first_mismatch_is_the_deepest_of_the_first_property() {
        let schema = json!({
            "properties": {"a": {"items": {"properties": {"n": {"type": "integer"}}}}},
            "additionalProperties": false,
        });
        assert_eq!(verdict(schema.clone(), json!({"a": [{"n": 1}, {"n": 2}]})), Ok(()));
        let answer = json!({"a": [{"n": 1}, {"n": "two"}], "b": 0});
        assert_eq!(verdict(schema, answer), Err(Mismatch::TypeMismatch));
    }

    #[test]
    fn numbers_are_equal_by_value_and_text_is_no_number() {
        let schema = json!({"enum": [1, {"depth": 2.0}]});
        assert_eq!(verdict(schema.clone(), json!(1.0)), Ok(()));
        assert_eq!(verdict(schema.clone(), json!({"depth": 2})), Ok(()));
        assert_eq!(verdict(schema, json!("1")), Err(Mismatch::EnumMismatch));
    }
}
