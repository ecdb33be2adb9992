//! The shape of a tool's result: its type and size, never its content.

use serde_json::{Value, json};

/// What kind of value a tool gave, and how much of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// A list of so many entries.
    Array(usize),
    /// An object of so many members.
    Object(usize),
    /// A text of so many bytes.
    Text(usize),
    /// A whole number.
    Integer,
    /// A fraction.
    Double,
    /// True or false.
    Boolean,
    /// Null.
    Null,
}

impl Shape {
    /// The shape of a value.
    pub fn of(value: &Value) -> Self {
        match value {
            Value::Array(items) => Self::Array(items.len()),
            Value::Object(map) => Self::Object(map.len()),
            Value::String(text) => Self::Text(text.len()),
            Value::Number(number) if number.is_f64() => Self::Double,
            Value::Number(_) => Self::Integer,
            Value::Bool(_) => Self::Boolean,
            Value::Null => Self::Null,
        }
    }

    /// The wire form `{type, count?, size?}`.
    pub fn to_value(self) -> Value {
        match self {
            Self::Array(count) => json!({ "type": "array", "count": count }),
            Self::Object(count) => json!({ "type": "object", "count": count }),
            Self::Text(size) => json!({ "type": "string", "size": size }),
            Self::Integer => json!({ "type": "integer" }),
            Self::Double => json!({ "type": "double" }),
            Self::Boolean => json!({ "type": "boolean" }),
            Self::Null => json!({ "type": "null" }),
        }
    }
}
