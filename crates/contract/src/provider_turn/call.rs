//! A tool call as a provider's turn names it, before anyone looked at the tool.

use serde_json::{Value, json};

use super::turn::refuse;
use crate::Result;
use crate::json::{self, Object};

/// What the model wants called.
#[derive(Clone, Debug, PartialEq)]
pub struct RequestedCall {
    /// Never empty.
    name: String,
    /// The arguments, by name.
    pub parameters: Object,
    /// The provider's id of the call.
    pub id: Option<String>,
    /// What the provider says beside it.
    pub metadata: Option<Object>,
}

impl RequestedCall {
    /// The key of a call's metadata under which an adapter says why its arguments cannot be read. The call is
    /// not made, and the model gets the reason as its result.
    pub const UNREAD_ARGUMENTS: &str = "unread_arguments";

    /// Reads a call; `path` is where it stands in the turn.
    fn parse(value: &Value, path: &str) -> Result<Self> {
        let Some(raw) = value.as_object() else { return Err(refuse(path, "must be an object")) };
        let name = json::present(raw, "name").or_else(|| json::present(raw, "tool_name"));
        let Some(name) = name.and_then(Value::as_str).filter(|name| !name.is_empty()) else {
            return Err(refuse(format!("{path}.name"), "must be a non-empty string"));
        };
        let parameters =
            json::present(raw, "parameters").map_or_else(|| Some(Object::new()), json::object_from);
        let Some(parameters) = parameters else {
            return Err(refuse(format!("{path}.parameters"), "must be an object when present"));
        };
        let id = json::non_empty_text(raw, "id").map(str::to_owned);
        let metadata = json::object(raw, "metadata").cloned();
        Ok(Self { name: name.to_owned(), parameters, id, metadata })
    }

    /// Reads the `tool_calls` of a turn.
    pub(super) fn parse_many(values: &[Value]) -> Result<Vec<Self>> {
        let parse = |(index, value)| Self::parse(value, &format!("tool_calls[{index}]"));
        values.iter().enumerate().map(parse).collect()
    }

    /// A call found in text; none when no tool can have this name.
    pub(super) fn written(name: &str, parameters: Object, id: String) -> Option<Self> {
        can_be_a_name(name).then(|| Self { name: name.to_owned(), parameters, id: Some(id), metadata: None })
    }

    /// The tool, in the model's words.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The wire form.
    pub fn to_value(&self) -> Value {
        let mut wire = json!({ "name": self.name, "parameters": self.parameters });
        if let Some(map) = wire.as_object_mut() {
            map.extend(self.id.iter().map(|id| ("id".to_owned(), id.as_str().into())));
            let metadata = self.metadata.iter().cloned().map(Value::Object);
            map.extend(metadata.map(|metadata| ("metadata".to_owned(), metadata)));
        }
        wire
    }
}

const NAME_LENGTH_MAX: usize = 128;

/// Whether text can name a tool: letters, digits and `_/.:-`, neither empty nor too long.
fn can_be_a_name(text: &str) -> bool {
    (1..=NAME_LENGTH_MAX).contains(&text.len())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_/.:-".contains(&byte))
}
