//! The generic item compaction works on: a message, a document section, or whatever a caller shortens.

use serde_json::{Value, json};

use crate::json::{self, Object};
use crate::message::{Content, Message};
use crate::{ContractError, Result, canonical};

const CODE: &str = "invalid_ai_compaction_item";
const SCHEMA: &str = "agents-api.compaction-item";
const VERSION: u64 = 1;

/// One item to keep, summarise or archive.
#[derive(Clone, Debug, PartialEq)]
pub struct Item {
    /// Never blank: given, or made from what the item says and where it stood.
    id: String,
    /// Never blank.
    kind: String,
    /// What it says.
    pub content: Content,
    /// What its owner wants to remember beside it.
    pub metadata: Object,
    /// Never blank: items of one group belong together.
    group: Option<String>,
    /// A list or object that says why a cut may or may not be made here.
    boundary: Option<Value>,
}

impl Item {
    /// Reads an item that stands alone. What has no id gets one made from what it says.
    pub fn parse(value: &Value) -> Result<Self> {
        Self::parse_with(value, None)
    }

    /// Reads an item of a list; a made id depends on the position too, so that equal items differ.
    pub fn parse_at(value: &Value, index: u64) -> Result<Self> {
        Self::parse_with(value, Some(index))
    }

    /// Reads a list of items in order; the first bad one refuses the list.
    pub fn parse_many(values: &[Value]) -> Result<Vec<Self>> {
        (0..).zip(values).map(|(index, value)| Self::parse_at(value, index)).collect()
    }

    /// Projects a message that stands alone.
    pub fn from_message(message: &Message) -> Result<Self> {
        Self::project(message, None)
    }

    /// Projects a message of a transcript.
    pub fn from_message_at(message: &Message, index: u64) -> Result<Self> {
        Self::project(message, Some(index))
    }

    /// Projects a transcript.
    pub fn from_messages(messages: &[Message]) -> Result<Vec<Self>> {
        (0..).zip(messages).map(|(index, message)| Self::from_message_at(message, index)).collect()
    }

    /// Builds an item of ours, whose id and type are known to say something.
    pub(super) fn new(id: String, kind: &'static str, content: String, metadata: Object) -> Self {
        debug_assert!(!id.trim().is_empty() && !kind.is_empty(), "an item has an id and a type");
        Self {
            id,
            kind: kind.to_owned(),
            content: Content::Text(content),
            metadata,
            group: None,
            boundary: None,
        }
    }

    /// What names it.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// What kind of item it is.
    pub fn kind(&self) -> &str {
        &self.kind
    }

    /// The wire form.
    pub fn to_value(&self) -> Value {
        let mut wire = json!({
            "schema": SCHEMA,
            "version": VERSION,
            "id": self.id,
            "type": self.kind,
            "content": self.content.to_value(),
            "metadata": self.metadata,
        });
        if let Some(map) = wire.as_object_mut() {
            let optional =
                [("group", self.group.clone().map(Value::String)), ("boundary", self.boundary.clone())];
            map.extend(optional.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?))));
        }
        wire
    }

    fn parse_with(value: &Value, index: Option<u64>) -> Result<Self> {
        let unnamed = Object::new();
        let raw = match value {
            Value::Object(raw) => raw,
            Value::Array(_) => &unnamed,
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
                return Err(ContractError::whole(CODE, "item must be an array"));
            }
        };
        let item = Self {
            id: String::new(),
            kind: required_text(raw.get("type").unwrap_or(&Value::Null), "type")?,
            content: parse_content(raw)?,
            metadata: json::optional_container(CODE, "metadata", raw)?
                .and_then(Value::as_object)
                .cloned()
                .unwrap_or_default(),
            group: json::present(raw, "group").map(|group| required_text(group, "group")).transpose()?,
            boundary: json::optional_container(CODE, "boundary", raw)?.cloned(),
        };
        let id = json::present(raw, "id").map(|id| required_text(id, "id")).transpose()?;
        Ok(item.named(id, index))
    }

    fn project(message: &Message, index: Option<u64>) -> Result<Self> {
        let mut metadata = message.metadata.clone();
        metadata.insert("message".into(), json!({ "role": message.role(), "payload": message.payload }));
        let item = Self {
            id: String::new(),
            kind: format!("message:{}", <&'static str>::from(message.kind)),
            content: message.content.clone(),
            metadata,
            group: None,
            boundary: None,
        };
        let id = message.id.as_deref().map(|id| required_text(&id.into(), "id")).transpose()?;
        Ok(item.named(id, index))
    }

    fn named(mut self, given: Option<String>, index: Option<u64>) -> Self {
        self.id = given.unwrap_or_else(|| self.made_id(index));
        self
    }

    fn made_id(&self, index: Option<u64>) -> String {
        let named_by = json!({
            "boundary": self.boundary,
            "content": self.content.to_value(),
            "group": self.group,
            "index": index,
            "metadata": self.metadata,
            "type": self.kind,
        });
        format!("item-{}", canonical::short_hash(&canonical::canonical(&named_by)))
    }
}

fn parse_content(raw: &Object) -> Result<Content> {
    let content = raw.get("content").ok_or_else(|| ContractError::field(CODE, "content", "is required"))?;
    match content {
        Value::String(text) => Ok(Content::Text(text.clone())),
        Value::Array(_) | Value::Object(_) => Ok(Content::Structured(content.clone())),
        Value::Null | Value::Bool(_) | Value::Number(_) => {
            Err(ContractError::field(CODE, "content", "must be a string or array"))
        }
    }
}

fn required_text(value: &Value, field: &str) -> Result<String> {
    let text = value.as_str().map(str::trim).filter(|text| !text.is_empty());
    text.map(str::to_owned).ok_or_else(|| ContractError::field(CODE, field, "must be a non-empty string"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_an_item_that_names_nothing() {
        let refused = |value: Value| Item::parse(&value).unwrap_err().field_paths().to_vec();
        assert_eq!(refused(json!(["note"])), ["type"]);
        assert_eq!(refused(json!("note")), Vec::<String>::new());
    }
}
