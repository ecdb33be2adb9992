//! Gemini's subset: one type per node, `nullable` instead of a null type, objects with at least one property.

use provost_contract::json::{self, Object};
use serde_json::{Value, json};

use super::carrier::argument_schemas;
use crate::Catalog;

/// The keywords of a node in addition to its type.
const KEPT: [&str; 7] = ["description", "format", "minimum", "maximum", "minItems", "maxItems", "pattern"];
/// Keywords with a meaning that the subset cannot express.
const REFUSED: [&str; 6] = ["$ref", "allOf", "not", "if", "patternProperties", "prefixItems"];

/// Returns the carrier schema for Gemini; `None` if the arguments of a tool cannot be expressed.
pub(super) fn gemini_carrier(catalog: &Catalog, plain: &Value) -> Option<Value> {
    let mut carrier = plain.clone();
    if let Some(call) =
        carrier.pointer_mut("/properties/calls/items/properties").and_then(Value::as_object_mut)
    {
        let schemas = argument_schemas(catalog);
        match schemas
            .iter()
            .filter(|schema| !takes_nothing(schema))
            .cloned()
            .collect::<Vec<Value>>()
            .as_slice()
        {
            [] => drop(call.shift_remove("args")),
            [one] => drop(call.insert("args".into(), one.clone())),
            several => drop(call.insert("args".into(), json!({ "anyOf": several }))),
        }
    }
    node(&carrier)
}

/// A tool without arguments needs no branch: its call omits them.
fn takes_nothing(schema: &Value) -> bool {
    let names_none = schema.get("properties").and_then(Value::as_object).is_none_or(Object::is_empty);
    names_none && schema.get("additionalProperties") == Some(&Value::Bool(false))
}

fn node(schema: &Value) -> Option<Value> {
    let raw = schema.as_object()?;
    if REFUSED.iter().any(|keyword| raw.contains_key(*keyword)) {
        return None;
    }
    if let Some(branches) = json::list(raw, "anyOf").or_else(|| json::list(raw, "oneOf")) {
        // No other keyword is allowed next to the branches.
        let branches = branches.iter().map(node).collect::<Option<Vec<Value>>>()?;
        return Some(json!({ "anyOf": branches }));
    }
    let (kind, nullable) = kind_of(raw)?;
    let mut out = Object::new();
    out.insert("type".into(), kind.into());
    if nullable {
        out.insert("nullable".into(), Value::Bool(true));
    }
    for keyword in KEPT {
        if let Some(value) = raw.get(keyword) {
            out.insert(keyword.to_owned(), value.clone());
        }
    }
    if kind == "string" {
        let values = raw.get("enum").cloned().or_else(|| raw.get("const").map(|value| json!([value])));
        out.extend(values.map(|values| ("enum".to_owned(), values)));
    }
    match kind {
        "object" => add_properties(raw, &mut out)?,
        "array" => drop(out.insert("items".into(), node(raw.get("items")?)?)),
        _ => {}
    }
    Some(Value::Object(out))
}

/// Returns the type of a node, and whether it may be null.
fn kind_of(raw: &Object) -> Option<(&str, bool)> {
    match raw.get("type")? {
        Value::String(kind) => Some((kind, false)),
        Value::Array(kinds) => {
            let mut real = kinds.iter().filter_map(Value::as_str).filter(|kind| *kind != "null");
            let kind = real.next()?;
            real.next().is_none().then(|| (kind, kinds.iter().any(|kind| kind == "null")))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => None,
    }
}

fn add_properties(raw: &Object, out: &mut Object) -> Option<()> {
    let properties = json::object(raw, "properties").filter(|properties| !properties.is_empty())?;
    let mut converted = Object::new();
    for (name, property) in properties {
        converted.insert(name.clone(), node(property)?);
    }
    let known = |name: &&Value| name.as_str().is_some_and(|name| converted.contains_key(name));
    let required: Vec<Value> =
        json::list(raw, "required").into_iter().flatten().filter(known).cloned().collect();
    if !required.is_empty() {
        out.insert("required".into(), required.into());
    }
    out.insert("properties".into(), Value::Object(converted));
    Some(())
}
