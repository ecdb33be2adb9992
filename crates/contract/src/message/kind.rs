//! The closed list of message types.

use serde::Serialize;
use serde_json::Value;
use strum::{EnumString, IntoStaticStr, VariantArray};

use crate::json::{self, Object};

/// What a message is; the wire words are the snake-case names, in the order listed here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, EnumString, IntoStaticStr, VariantArray)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum MessageType {
    /// Plain text of a person or a model.
    Text,
    /// A model asks for a tool.
    ToolCall,
    /// What a tool answered.
    ToolResult,
    /// The run needs something from its user.
    InputRequired,
    /// The run needs a decision before it may act.
    ApprovalRequired,
    /// The closing answer of a run.
    FinalResult,
    /// Something went wrong, told as a message.
    Error,
    /// A piece of a message that is still being streamed.
    Delta,
    /// Content that is more than one text.
    MultimodalPart,
}

impl MessageType {
    /// Reads a wire word; case matters.
    pub fn from_word(word: &str) -> Option<Self> {
        word.parse().ok()
    }

    /// The role of a message that does not name one.
    pub fn default_role(self) -> &'static str {
        match self {
            Self::ToolResult | Self::InputRequired | Self::ApprovalRequired => "tool",
            Self::Text
            | Self::ToolCall
            | Self::FinalResult
            | Self::Error
            | Self::Delta
            | Self::MultimodalPart => "assistant",
        }
    }

    /// Infers the type of a plain message: its metadata says so, its content is structured, it
    /// carries an error, or it is text.
    pub(super) fn infer(content: Option<&Value>, metadata: Option<&Object>) -> Self {
        let said = |key| metadata.and_then(|metadata| json::present(metadata, key));
        let word = said("type").and_then(Value::as_str);
        if let Some(kind) = word.and_then(Self::from_word) {
            return kind;
        }
        if word == Some("multimodal") || content.is_some_and(json::is_container) {
            return Self::MultimodalPart;
        }
        if said("error").is_some() { Self::Error } else { Self::Text }
    }
}
