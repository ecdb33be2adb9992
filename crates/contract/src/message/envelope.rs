//! The message envelope `{schema, version, type, role, content, payload, metadata}`: parsing any
//! legal input to one normal form, and building the messages a run appends.

use serde_json::{Value, json};

use super::MessageType;
use crate::json::{self, Object};
use crate::{ContractError, Result};

const CODE: &str = "invalid_ai_message_envelope";
const SCHEMA: &str = "agents-api.message";
const VERSION: u64 = 1;
/// What a plain message carries in its metadata belongs into the payload of its envelope.
const TOOL_CALL_KEYS: [&str; 3] = ["tool_name", "parameters", "turn"];
const TOOL_RESULT_KEYS: [&str; 6] = ["tool_name", "success", "turn", "tool_data", "media", "error"];

/// What a message says: text, or a list or object of parts.
#[derive(Clone, Debug, PartialEq)]
pub enum Content {
    /// Text.
    Text(String),
    /// A JSON list or object, kept as it came.
    Structured(Value),
}

impl Content {
    fn parse(value: &Value) -> Result<Self> {
        match value {
            Value::String(text) => Ok(Self::Text(text.clone())),
            Value::Array(_) | Value::Object(_) => Ok(Self::Structured(value.clone())),
            Value::Null | Value::Bool(_) | Value::Number(_) => {
                Err(ContractError::field(CODE, "content", "must be a string or array"))
            }
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
        match self {
            Self::Text(text) => Value::String(text.clone()),
            Self::Structured(value) => value.clone(),
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
    role: String,
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
        let content = Content::parse(content)?;
        let kind = MessageType::infer(&content, &metadata);
        let role = Self::checked_role(role)?;
        Ok(Self { role, metadata, ..Self::bare(kind, content) })
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
        let mut payload = Object::new();
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
        let Some(raw) = value.as_object() else {
            return Err(ContractError::whole(CODE, "message must be an array"));
        };
        let mut message = if is_envelope(raw) { Self::parse_envelope(raw)? } else { Self::parse_plain(raw)? };
        let stamp = |key| json::non_empty_text(raw, key).map(str::to_owned);
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
        let mut wire = json!({
            "schema": SCHEMA,
            "version": VERSION,
            "type": self.kind,
            "role": self.role,
            "content": self.content.to_value(),
            "payload": self.payload,
            "metadata": self.metadata,
        });
        if let Some(map) = wire.as_object_mut() {
            let stamps =
                [("id", &self.id), ("created_at", &self.created_at), ("updated_at", &self.updated_at)];
            for (key, stamp) in stamps {
                if let Some(stamp) = stamp {
                    map.insert(key.into(), stamp.as_str().into());
                }
            }
        }
        wire
    }

    fn bare(kind: MessageType, content: Content) -> Self {
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

    fn parse_envelope(raw: &Object) -> Result<Self> {
        if raw.get("version").and_then(Value::as_u64) != Some(VERSION) {
            return Err(
                ContractError::with_message(CODE, format!("{CODE}: unsupported version")).about("version")
            );
        }
        let Some(kind) = json::text(raw, "type").and_then(MessageType::from_word) else {
            return Err(ContractError::with_message(CODE, format!("{CODE}: unsupported type")).about("type"));
        };
        let mut message = Self::bare(kind, Self::parse_content(raw)?);
        message.set_role(raw)?;
        message.metadata = json::object_or_empty(raw, "metadata");
        // `data` is the older word for `payload`.
        message.payload = json::object(raw, "payload")
            .filter(|payload| !payload.is_empty())
            .or_else(|| json::object(raw, "data"))
            .cloned()
            .unwrap_or_default();
        Ok(message)
    }

    fn parse_plain(raw: &Object) -> Result<Self> {
        let metadata = json::object_or_empty(raw, "metadata");
        let content = Self::parse_content(raw)?;
        let mut message = Self::bare(MessageType::infer(&content, &metadata), content);
        message.set_role(raw)?;
        let known: &[&str] = match message.kind {
            MessageType::ToolCall => &TOOL_CALL_KEYS,
            MessageType::ToolResult => &TOOL_RESULT_KEYS,
            MessageType::Text
            | MessageType::InputRequired
            | MessageType::ApprovalRequired
            | MessageType::FinalResult
            | MessageType::Error
            | MessageType::Delta
            | MessageType::MultimodalPart => &[],
        };
        for key in known {
            if let Some(value) = metadata.get(*key) {
                message.payload.insert((*key).into(), value.clone());
            }
        }
        message.metadata = metadata;
        Ok(message)
    }

    fn parse_content(raw: &Object) -> Result<Content> {
        json::present(raw, "content").map_or_else(|| Ok("".into()), Content::parse)
    }

    fn set_role(&mut self, raw: &Object) -> Result<()> {
        if let Some(role) = json::present(raw, "role") {
            self.role = Self::checked_role(role.as_str().unwrap_or_default())?;
        }
        Ok(())
    }

    fn checked_role(role: &str) -> Result<String> {
        if role.is_empty() {
            return Err(ContractError::field(CODE, "role", "must be a non-empty string"));
        }
        Ok(role.to_owned())
    }
}

/// An envelope says its version and type, and shows by a third key that it means them.
fn is_envelope(raw: &Object) -> bool {
    json::present(raw, "version").is_some()
        && json::present(raw, "type").is_some()
        && (json::present(raw, "schema").is_some() || raw.contains_key("payload") || raw.contains_key("data"))
}
