//! OpenAI's strict subset: every object closed, every property required, optional properties nullable.

use provost_contract::action::ExecutorType;
use provost_contract::json::{self, Object};
use serde_json::{Value, json};

use super::carrier::argument_schemas;
use crate::Catalog;

/// The maximum depth of a strict schema.
const DEPTH_MAX: usize = 10;
/// The keywords of a strict schema. Other keywords only narrow, and are checked after the call was parsed.
const KEPT: [&str; 10] = [
    "description",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "pattern",
    "minItems",
    "maxItems",
    "format",
];
/// Keywords with a meaning that the subset cannot express.
const REFUSED: [&str; 9] = [
    "$ref",
    "allOf",
    "not",
    "if",
    "patternProperties",
    "prefixItems",
    "dependentSchemas",
    "propertyNames",
    "unevaluatedProperties",
];

/// Returns the closed carrier schema; `None` if the arguments of a tool cannot be closed.
pub(super) fn closed_carrier(catalog: &Catalog, plain: &Value) -> Option<Value> {
    let mut carrier = plain.clone();
    if let Some(args) = carrier.pointer_mut("/properties/calls/items/properties/args") {
        let arguments =
            argument_schemas(catalog).iter().map(closed_arguments).collect::<Option<Vec<Value>>>()?;
        *args = json!({ "anyOf": arguments });
    }
    closed(&carrier, 0)
}

/// Arguments without properties become an empty closed object only if the tool takes none.
fn closed_arguments(schema: &Value) -> Option<Value> {
    let open =
        schema.get("properties").is_none() && schema.get("additionalProperties") != Some(&Value::Bool(false));
    if open { None } else { Some(schema.clone()) }
}

fn closed(schema: &Value, depth: usize) -> Option<Value> {
    let raw = schema.as_object()?;
    if depth > DEPTH_MAX || REFUSED.iter().any(|keyword| raw.contains_key(*keyword)) {
        return None;
    }
    let mut out = Object::new();
    for keyword in KEPT {
        if let Some(value) = raw.get(keyword) {
            out.insert(keyword.to_owned(), value.clone());
        }
    }
    if let Some(branches) = json::list(raw, "anyOf").or_else(|| json::list(raw, "oneOf")) {
        let branches =
            branches.iter().map(|branch| closed(branch, depth + 1)).collect::<Option<Vec<Value>>>()?;
        out.insert("anyOf".into(), branches.into());
        return Some(Value::Object(out));
    }
    match (raw.get("const"), raw.get("enum"), raw.get("type")) {
        (Some(value), _, _) => drop(out.insert("enum".into(), json!([value]))),
        (None, Some(values), kind) => {
            out.insert("enum".into(), values.clone());
            out.extend(kind.map(|kind| ("type".to_owned(), kind.clone())));
        }
        (None, None, Some(kind)) => drop(out.insert("type".into(), kind.clone())),
        (None, None, None) => return None,
    }
    if is(raw, "object") {
        close_object(raw, &mut out, depth)?;
    }
    if is(raw, "array") {
        out.insert("items".into(), closed(raw.get("items")?, depth + 1)?);
    }
    Some(Value::Object(out))
}

/// An object without properties would close to nothing; one that may contain anything cannot be closed.
fn close_object(raw: &Object, out: &mut Object, depth: usize) -> Option<()> {
    let none = Object::new();
    let properties = json::object(raw, "properties").unwrap_or(&none);
    if properties.is_empty() && raw.get("additionalProperties") != Some(&Value::Bool(false)) {
        return None;
    }
    let mut closed_properties = Object::new();
    for (name, property) in properties {
        let property = closed(property, depth + 1)?;
        let required = is_required(raw, name);
        closed_properties.insert(name.clone(), if required { property } else { nullable(property) });
    }
    out.insert("required".into(), closed_properties.keys().map(String::as_str).collect());
    out.insert("properties".into(), Value::Object(closed_properties));
    out.insert("additionalProperties".into(), Value::Bool(false));
    Some(())
}

fn nullable(mut schema: Value) -> Value {
    let Some(map) = schema.as_object_mut() else { return schema };
    if let Some(Value::Array(branches)) = map.get_mut("anyOf") {
        branches.push(json!({ "type": "null" }));
        return schema;
    }
    if let Some(Value::Array(values)) = map.get_mut("enum")
        && !values.contains(&Value::Null)
    {
        values.push(Value::Null);
    }
    match map.get_mut("type") {
        Some(Value::Array(kinds)) if !kinds.contains(&json!("null")) => kinds.push(json!("null")),
        Some(kind @ Value::String(_)) if kind != "null" => *kind = json!([kind.clone(), "null"]),
        Some(_) | None => {}
    }
    schema
}

fn is(raw: &Object, kind: &str) -> bool {
    match raw.get("type") {
        Some(Value::Array(kinds)) => kinds.iter().any(|word| word == kind),
        Some(word) => word == kind,
        None => false,
    }
}

fn is_required(raw: &Object, name: &str) -> bool {
    json::list(raw, "required").is_some_and(|names| names.iter().any(|required| required == name))
}

/// Removes the nulls that a strict schema makes a model write for omitted properties.
///
/// Only arguments of known tools are changed, and only nulls that their own schema does not accept.
pub fn without_strict_nulls(catalog: &Catalog, arguments: &mut Value) {
    let calls = arguments.get_mut("calls").and_then(Value::as_array_mut);
    for call in calls.into_iter().flatten() {
        let name = call.get("name").and_then(Value::as_str).unwrap_or_default();
        let tool = catalog.find(ExecutorType::Tool, name).and_then(|entry| entry.input_schema.as_ref());
        let agent = json!({ "properties": { "capabilities": {} } });
        let schema = tool.map_or(&agent, |schema| schema.raw());
        if let Some(args) = call.get_mut("args") {
            drop_nulls(args, schema);
        }
    }
}

fn drop_nulls(value: &mut Value, schema: &Value) {
    match value {
        Value::Object(map) => {
            let Some(raw) = schema.as_object() else { return };
            let property = |name: &str| json::object(raw, "properties").and_then(|known| known.get(name));
            map.retain(|name, value| {
                !value.is_null() || is_required(raw, name) || property(name).is_some_and(takes_null)
            });
            for (name, value) in map.iter_mut() {
                if let Some(schema) = property(name) {
                    drop_nulls(value, schema);
                }
            }
        }
        Value::Array(items) => {
            if let Some(schema) = schema.get("items") {
                items.iter_mut().for_each(|item| drop_nulls(item, schema));
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn takes_null(schema: &Value) -> bool {
    let Some(raw) = schema.as_object() else { return false };
    let listed = json::list(raw, "enum").is_some_and(|values| values.contains(&Value::Null));
    let branches = json::list(raw, "anyOf").or_else(|| json::list(raw, "oneOf"));
    is(raw, "null") || listed || branches.is_some_and(|branches| branches.iter().any(takes_null))
}
