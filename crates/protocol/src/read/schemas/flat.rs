//! The flat form.

use serde_json::{Value, json};

use super::DRAFT;
use super::parts::{arguments, id, input, object, optional, some_text, text, words};
use crate::read::forms::{CallType, FlatResult};

/// The schema of the flat form: the arguments of the carrier tool.
pub fn flat_schema() -> Value {
    let call = object(
        json!({
            "id": id(),
            "type": words::<CallType>(),
            "name": some_text(),
            "args": arguments(),
            "depends": optional(json!({ "anyOf": [
                some_text(),
                { "type": "array", "items": some_text() },
            ] })),
            "result": optional(words::<FlatResult>()),
            "title": text(),
        }),
        &["id", "type", "name"],
    );
    let of_kind = |kind: &str, more: Value, required: &[&str]| {
        let mut properties = json!({ "kind": { "const": kind } });
        if let (Some(all), Some(more)) = (properties.as_object_mut(), more.as_object()) {
            all.extend(more.clone());
        }
        object(properties, required)
    };
    json!({
        "$schema": DRAFT,
        "$id": "urn:provost:agent-protocol:flat:1",
        "title": "Agent protocol, flat form",
        "oneOf": [
            of_kind(
                "act",
                json!({ "message": text(), "calls": { "type": "array", "items": call, "minItems": 1 } }),
                &["kind", "calls"],
            ),
            of_kind("answer", json!({ "message": some_text(), "calls": { "type": "null" } }), &["kind", "message"]),
            of_kind("done", json!({ "message": text(), "calls": { "type": "null" } }), &["kind"]),
        ],
        "$defs": { "input": input() },
    })
}
