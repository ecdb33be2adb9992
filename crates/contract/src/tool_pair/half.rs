//! One half of a pair: a call that wants a result, or a result that wants a call.

use std::convert::Infallible;

use serde::Serialize;
use serde_json::Value;

use crate::json::{self, Object};
use crate::message::{MessageType, MessageView};
use crate::{ContractError, Message};

/// Which half of a pair a message is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum Side {
    /// A model asks for a tool.
    #[serde(rename = "tool_call")]
    Call,
    /// What a tool answered.
    #[serde(rename = "tool_result")]
    Result,
}

/// A call or result, read where it lies; what nobody asks for is not looked up.
#[derive(Clone, Copy, Debug)]
pub struct Half<'a> {
    side: Side,
    /// Holds `tool_name`.
    naming: Option<&'a Object>,
    /// Holds `tool_call_id`.
    metadata: Option<&'a Object>,
}

impl<'a> Half<'a> {
    /// Which half it is.
    pub fn side(&self) -> Side {
        self.side
    }

    /// The tool; empty when the message does not say.
    #[inline]
    pub fn tool_name(&self) -> &'a str {
        self.naming.and_then(|naming| json::text(naming, "tool_name")).unwrap_or_default()
    }

    /// The id both halves share; empty when there is none.
    #[inline]
    pub fn tool_call_id(&self) -> &'a str {
        self.metadata.and_then(|metadata| json::text(metadata, "tool_call_id")).unwrap_or_default()
    }
}

/// An entry of a transcript that can be paired.
pub trait Entry {
    /// Why an entry could not be read.
    type Refusal;

    /// The half this entry is; none when it is neither call nor result.
    fn half(&self) -> Result<Option<Half<'_>>, Self::Refusal>;
}

impl Entry for Message {
    type Refusal = Infallible;

    #[inline]
    fn half(&self) -> Result<Option<Half<'_>>, Infallible> {
        Ok(Side::of(self.kind).map(|side| Half {
            side,
            naming: Some(&self.payload),
            metadata: Some(&self.metadata),
        }))
    }
}

/// A message still in JSON, plain or envelope; what [`Message::parse`] refuses is refused.
impl Entry for Value {
    type Refusal = ContractError;

    fn half(&self) -> Result<Option<Half<'_>>, ContractError> {
        let view = MessageView::read(self)?;
        Ok(Side::of(view.kind()).map(|side| Half { side, naming: view.naming(), metadata: view.metadata() }))
    }
}

impl Side {
    #[inline]
    fn of(kind: MessageType) -> Option<Self> {
        match kind {
            MessageType::ToolCall => Some(Self::Call),
            MessageType::ToolResult => Some(Self::Result),
            MessageType::Text
            | MessageType::InputRequired
            | MessageType::ApprovalRequired
            | MessageType::FinalResult
            | MessageType::Error
            | MessageType::Delta
            | MessageType::MultimodalPart => None,
        }
    }
}
