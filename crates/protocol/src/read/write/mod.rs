//! Writes an accepted message as a declaration that parses to the same message.

mod flat;
mod full;
mod sections;

use provost_contract::json::Object;
use serde_json::Value;

use crate::{Accepted, Content};

/// A serialized declaration.
#[derive(Clone, Debug, PartialEq)]
pub enum Written {
    /// Arguments for one call of the carrier tool.
    Arguments(Value),
    /// A message with one fenced block, followed by its sections.
    Message(String),
}

/// Writes the declaration: in the full form if it has an envelope, else in the flat form.
/// A plain text has no declaration.
pub fn write_declaration(accepted: &Accepted) -> Option<Written> {
    match (&accepted.envelope, &accepted.content) {
        (_, Content::Plain) => None,
        (Some(envelope), _) => Some(Written::Message(full::write_full(accepted, envelope))),
        (None, _) => Some(Written::Arguments(flat::write_flat(accepted))),
    }
}

/// Inserts a value under a key, unless it is empty.
fn put(object: &mut Object, key: &str, value: impl Into<Value>) {
    let value = value.into();
    let empty = match &value {
        Value::Null => true,
        Value::Array(items) => items.is_empty(),
        Value::Object(map) => map.is_empty(),
        Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    };
    if !empty {
        object.insert(key.to_owned(), value);
    }
}
