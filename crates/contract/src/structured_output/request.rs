//! The provider-neutral request `{format, schema, strict, name?}`.

use serde_json::{Value, json};

use crate::json::{self, Object};
use crate::{ContractError, Result};

const CODE: &str = "invalid_agent_structured_output_request";
const FORMAT: &str = "json_schema";
const NAME_LENGTH_MAX: usize = 64;

/// Asks for JSON output that follows a schema.
#[derive(Clone, Debug, PartialEq)]
pub struct StructuredOutputRequest {
    /// What the answer must look like.
    pub schema: Object,
    /// Whether the provider should enforce the schema itself.
    pub strict: bool,
    /// A letter, then up to 63 letters, digits, `_` or `-`.
    name: Option<String>,
}

impl StructuredOutputRequest {
    /// Reads a request.
    pub fn parse(value: &Value) -> Result<Self> {
        if !json::is_container(value) {
            return Err(refuse("structured_output", "must be an object"));
        }
        let field = |key| value.get(key).filter(|field| !field.is_null());
        let Some(schema) = field("schema").filter(|schema| json::is_container(schema)) else {
            return Err(refuse("schema", "must be an object"));
        };
        let text = |key, reason| field(key).map(|value| value.as_str().ok_or_else(|| refuse(key, reason)));
        let name = text("name", "must be a string or null").transpose()?.map(str::trim);
        let strict = field("strict").map_or(Some(true), Value::as_bool);
        let strict = strict.ok_or_else(|| refuse("strict", "must be a boolean"))?;
        if text("format", "must be a string").transpose()?.is_some_and(|format| format != FORMAT) {
            return Err(refuse("format", "must be json_schema"));
        }
        if name.is_some_and(|name| !is_name(name)) {
            return Err(refuse("name", "must match /^[A-Za-z][A-Za-z0-9_-]{0,63}$/"));
        }
        // A list names no member, so it says nothing about the answer.
        let schema = schema.as_object().cloned().unwrap_or_default();
        Ok(Self { schema, strict, name: name.map(str::to_owned) })
    }

    /// What to call the schema, where a provider wants a name.
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// The wire form.
    pub fn to_value(&self) -> Value {
        let mut wire = json!({ "format": FORMAT, "schema": self.schema, "strict": self.strict });
        if let (Some(map), Some(name)) = (wire.as_object_mut(), self.name()) {
            map.insert("name".into(), name.into());
        }
        wire
    }
}

fn refuse(field: &'static str, reason: &str) -> ContractError {
    ContractError::field(CODE, field, reason)
}

fn is_name(name: &str) -> bool {
    name.len() <= NAME_LENGTH_MAX
        && name.starts_with(|first: char| first.is_ascii_alphabetic())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-')
}
