//! Building blocks of the schemas.

use provost_contract::action::ActionId;
use serde_json::{Value, json};
use strum::VariantArray;

/// A closed set of strings.
pub(super) fn words<E: VariantArray + Copy + Into<&'static str>>() -> Value {
    let words: Vec<&'static str> = E::VARIANTS.iter().map(|word| (*word).into()).collect();
    json!({ "type": "string", "enum": words })
}

/// A schema, or null for absent.
pub(super) fn optional(schema: Value) -> Value {
    json!({ "anyOf": [schema, { "type": "null" }] })
}

/// An optional string.
pub(super) fn text() -> Value {
    json!({ "type": ["string", "null"] })
}

/// A non-empty string.
pub(super) fn some_text() -> Value {
    json!({ "type": "string", "pattern": "\\S" })
}

/// A list of non-empty strings.
pub(super) fn texts() -> Value {
    json!({ "type": "array", "items": some_text() })
}

/// An optional boolean.
pub(super) fn flag() -> Value {
    json!({ "type": ["boolean", "null"] })
}

/// The id of an action; surrounding blanks are dropped.
pub(super) fn id() -> Value {
    let more = ActionId::CHARS_MAX - 1;
    json!({ "type": "string", "pattern": format!("^\\s*[\\p{{L}}\\p{{N}}][\\p{{L}}\\p{{N}}_.-]{{0,{more}}}\\s*$") })
}

/// An object with these properties and no others.
pub(super) fn object(properties: Value, required: &[&str]) -> Value {
    json!({ "type": "object", "properties": properties, "required": required, "additionalProperties": false })
}

/// Any object, or absent.
pub(super) fn any_object() -> Value {
    json!({ "type": ["object", "null"] })
}

/// The input of an action, or absent.
pub(super) fn arguments() -> Value {
    json!({ "type": ["object", "null"], "$ref": "#/$defs/input" })
}

/// Any value of an input. An object with `$ref` is a reference, one with `$literal` stands for its content,
/// and neither has other keys.
pub(super) fn input() -> Value {
    let reference =
        json!({ "type": "string", "pattern": "^(item|action:|artifact:|input:user\\.goal|md:|runtime://)" });
    let inside = json!({ "$ref": "#/$defs/input" });
    json!({
        "if": { "type": "object", "required": ["$ref"] },
        "then": { "properties": { "$ref": reference }, "additionalProperties": false },
        "else": {
            "if": { "type": "object", "required": ["$literal"] },
            "then": { "properties": { "$literal": true }, "additionalProperties": false },
            "else": { "additionalProperties": inside, "items": inside },
        },
    })
}
