//! Pieces of schema.

use provost_contract::action::ActionId;
use serde_json::{Value, json};
use strum::VariantArray;

/// The words of a closed vocabulary.
pub(super) fn words<E: VariantArray + Copy + Into<&'static str>>() -> Value {
    let words: Vec<&'static str> = E::VARIANTS.iter().map(|word| (*word).into()).collect();
    json!({ "type": "string", "enum": words })
}

/// The same, or nothing: null means absent.
pub(super) fn optional(schema: Value) -> Value {
    json!({ "anyOf": [schema, { "type": "null" }] })
}

/// A text that may be absent.
pub(super) fn text() -> Value {
    json!({ "type": ["string", "null"] })
}

/// A text that must say something.
pub(super) fn some_text() -> Value {
    json!({ "type": "string", "pattern": "\\S" })
}

/// A list of texts that say something.
pub(super) fn texts() -> Value {
    json!({ "type": "array", "items": some_text() })
}

/// True, false or absent.
pub(super) fn flag() -> Value {
    json!({ "type": ["boolean", "null"] })
}

/// The id of an action; blanks around it are dropped.
pub(super) fn id() -> Value {
    let more = ActionId::CHARS_MAX - 1;
    json!({ "type": "string", "pattern": format!("^\\s*[\\p{{L}}\\p{{N}}][\\p{{L}}\\p{{N}}_.-]{{0,{more}}}\\s*$") })
}

/// An object with these properties and no others.
pub(super) fn object(properties: Value, required: &[&str]) -> Value {
    json!({ "type": "object", "properties": properties, "required": required, "additionalProperties": false })
}

/// Any object, or none.
pub(super) fn any_object() -> Value {
    json!({ "type": ["object", "null"] })
}
