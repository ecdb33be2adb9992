//! The message envelope `{schema, version, type, role, content, payload, metadata}`: parsing any
//! legal input to one normal form, and building the messages a run appends.

use serde_json::{Value, json};

use super::view::{CODE, VERSION, checked_role};
use super::{MessageType, MessageView};
use crate::json::{self, Object};
use crate::{ContractError, Result};

pub(super) const SCHEMA: &str = "agents-api.message";

/// What a message says: text, or a list or object of parts.
#[derive(Clone, Debug, PartialEq)]
pub enum Content {
    /// Text.
    Text(String),
    /// A JSON list or object, kept as it came.
    Structured(Value),
}

impl Content {
    /// Passes on what can be content.
    pub(super) fn checked(value: &Value) -> Result<&Value> {
        match value {
            Value::String(_) | Value::Array(_) | Value::Object(_) => Ok(value),
            Value::Null | Value::Bool(_) | Value::Number(_) => {
                Err(ContractError::field(CODE, "content", "must be a string or array"))
            }
        }
    }

    /// Copies a value that was checked.
    pub(super) fn of(checked: &Value) -> Self {
        match checked.as_str() {
            Some(text) => Self::Text(text.to_owned()),
            None => Self::Structured(checked.clone()),
        }
    }

    /// The text, when it is text.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            Self::Structured(_) => None,
        }
    }

    /// The wire form.
    pub fn to_value(&self) -> Value {
        self.clone().into_value()
    }

    fn into_value(self) -> Value {
        match self {
            Self::Text(text) => Value::String(text),
            Self::Structured(value) => value,
        }
    }
}

impl From<&str> for Content {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

/// One normalised transcript entry.
#[derive(Clone, Debug, PartialEq)]
pub struct Message {
    /// What the message is.
    pub kind: MessageType,
    /// Never empty: only the doors of this file set it.
    pub(super) role: String,
    /// What it says.
    pub content: Content,
    /// What its type needs: the tool and parameters of a call, the data of a result.
    pub payload: Object,
    /// What its owner wants to remember beside it, such as `tool_call_id`.
    pub metadata: Object,
    /// The caller's id of the message.
    pub id: Option<String>,
    /// When it was made, in the caller's words.
    pub created_at: Option<String>,
    /// When it was last changed, in the caller's words.
    pub updated_at: Option<String>,
}

impl Message {
    /// Builds a message of a role; the type follows from content and metadata.
    pub fn new(role: &str, content: &Value, metadata: Object) -> Result<Self> {
        let role = checked_role(role)?.to_owned();
        let content = Content::checked(content)?;
        let kind = MessageType::infer(Some(content), Some(&metadata));
        Ok(Self { role, metadata, ..Self::bare(kind, Content::of(content)) })
    }

    /// A text message; `role` is a word of ours or of a policy, and never empty.
    pub fn text(role: &str, text: impl Into<String>) -> Self {
        debug_assert!(!role.is_empty(), "a message has a role");
        Self { role: role.to_owned(), ..Self::bare(MessageType::Text, Content::Text(text.into())) }
    }

    /// A model's call of a tool.
    pub fn tool_call(
        content: &str,
        tool_name: &str,
        parameters: Object,
        turn: u64,
        metadata: Object,
    ) -> Self {
        let mut payload = Object::with_capacity(3);
        payload.insert("tool_name".into(), tool_name.into());
        payload.insert("parameters".into(), Value::Object(parameters));
        payload.insert("turn".into(), turn.into());
        Self { payload, metadata, ..Self::bare(MessageType::ToolCall, content.into()) }
    }

    /// A tool's answer. Its role is `user`: providers take results from the user's side.
    pub fn tool_result(content: &str, tool_name: &str, mut payload: Object, metadata: Object) -> Self {
        payload.insert("tool_name".into(), tool_name.into());
        Self {
            role: "user".to_owned(),
            payload,
            metadata,
            ..Self::bare(MessageType::ToolResult, content.into())
        }
    }

    /// A pending decision, shown in the transcript.
    pub fn approval_required(content: &str, payload: Object, metadata: Object) -> Self {
        Self { payload, metadata, ..Self::bare(MessageType::ApprovalRequired, content.into()) }
    }

    /// Reads a plain `{role, content, metadata}` message or an envelope into the normal form.
    pub fn parse(value: &Value) -> Result<Self> {
        let mut message = MessageView::read(value)?.to_message();
        let stamp = |key| value.get(key)?.as_str().filter(|stamp| !stamp.is_empty()).map(str::to_owned);
        message.id = stamp("id");
        message.created_at = stamp("created_at");
        message.updated_at = stamp("updated_at");
        Ok(message)
    }

    /// Reads a list of messages in order; the first bad entry refuses the list.
    pub fn parse_many(values: &[Value]) -> Result<Vec<Self>> {
        values.iter().map(Self::parse).collect()
    }

    /// Who speaks.
    pub fn role(&self) -> &str {
        &self.role
    }

    /// The tool a call or result belongs to; empty when it does not say.
    pub fn tool_name(&self) -> &str {
        json::text(&self.payload, "tool_name").unwrap_or_default()
    }

    /// The id that pairs a call with its result; empty when there is none.
    pub fn tool_call_id(&self) -> &str {
        json::text(&self.metadata, "tool_call_id").unwrap_or_default()
    }

    /// The wire form.
    pub fn to_value(&self) -> Value {
        self.clone().into_value()
    }

    /// The wire form of a message nobody needs any more: nothing is copied.
    pub fn into_value(self) -> Value {
        let fields = [
            ("schema", SCHEMA.into()),
            ("version", VERSION.into()),
            ("type", json!(self.kind)),
            ("role", self.role.into()),
            ("content", self.content.into_value()),
            ("payload", self.payload.into()),
            ("metadata", self.metadata.into()),
        ];
        let stamps = [("id", self.id), ("created_at", self.created_at), ("updated_at", self.updated_at)];
        let stamps = stamps.into_iter().filter_map(|(key, stamp)| Some((key, stamp?.into())));
        fields.into_iter().chain(stamps).collect()
    }

    pub(super) fn bare(kind: MessageType, content: Content) -> Self {
        Self {
            kind,
            role: kind.default_role().to_owned(),
            content,
            payload: Object::new(),
            metadata: Object::new(),
            id: None,
            created_at: None,
            updated_at: None,
        }
    }
}
