//! A tool call: which tool, with what, under which id.

use serde_json::{Value, json};

use crate::json::{self, Object};
use crate::{ContractError, Result};

const CODE: &str = "invalid_tool_call";
const TOOL_CALL_ID: &str = "tool_call_id";

/// One normalised call. When it has an id, its metadata has the same one, so that results find their call.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolCall {
    tool_name: String,
    /// What the caller passes.
    pub parameters: Object,
    metadata: Object,
    id: Option<String>,
}

impl ToolCall {
    /// Reads a raw call. Its id is the first of `id`, `tool_call_id` and the one in its metadata that is
    /// given at all; one that is not a text, or blank, counts as no id.
    pub fn parse(value: &Value) -> Result<Self> {
        let Some(raw) = value.as_object() else {
            return Err(ContractError::whole(CODE, "tool call must be an object"));
        };
        let name = json::present(raw, "tool_name").or_else(|| raw.get("name")).and_then(Value::as_str);
        let Some(tool_name) = name.filter(|name| !name.is_empty()) else {
            return Err(ContractError::field(CODE, "tool_name", "must be a non-empty string"));
        };
        let parameters = match json::present(raw, "parameters") {
            None => Object::new(),
            Some(parameters) => json::object_from(parameters)
                .ok_or_else(|| ContractError::field(CODE, "parameters", "must be an object"))?,
        };
        let metadata = json::object_or_empty(raw, "metadata");
        let given = json::present(raw, "id").or_else(|| json::present(raw, TOOL_CALL_ID));
        let id = given.or_else(|| json::present(&metadata, TOOL_CALL_ID)).and_then(Value::as_str);
        let id = id.map(str::to_owned);
        Ok(Self::new(tool_name, parameters, metadata, id.as_deref()))
    }

    /// A call of a tool by its name, which is not empty; an id that is blank counts as none.
    pub fn new(tool_name: &str, parameters: Object, mut metadata: Object, id: Option<&str>) -> Self {
        debug_assert!(!tool_name.is_empty(), "a call names a tool");
        let id = id.map(str::trim).filter(|id| !id.is_empty());
        if let Some(id) = id {
            metadata.insert(TOOL_CALL_ID.into(), id.into());
        }
        Self { tool_name: tool_name.to_owned(), parameters, metadata, id: id.map(str::to_owned) }
    }

    /// The name of the tool, as called.
    pub fn tool_name(&self) -> &str {
        &self.tool_name
    }

    /// The id its result is paired by.
    pub fn id(&self) -> Option<&str> {
        self.id.as_deref()
    }

    /// What travels beside the call.
    pub fn metadata(&self) -> &Object {
        &self.metadata
    }

    /// The wire form.
    pub fn to_value(&self) -> Value {
        let mut wire = json!({
            "tool_name": self.tool_name,
            "parameters": self.parameters,
            "metadata": self.metadata,
        });
        if let (Some(map), Some(id)) = (wire.as_object_mut(), &self.id) {
            map.insert("id".into(), id.as_str().into());
        }
        wire
    }
}
