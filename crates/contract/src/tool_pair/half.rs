//! One half of a pair: a call that wants a result, or a result that wants a call.

use std::convert::Infallible;

use serde::Serialize;
use serde_json::Value;

use crate::json::{self, Object};
use crate::message::{MessageType, MessageView};
use crate::{ContractError, Message};

/// The role of what a model says: it does not end the step of its calls.
const ASSISTANT: &str = "assistant";

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

    /// The turn of a run that a call belongs to, when it says.
    #[inline]
    pub(super) fn turn(&self) -> Option<u64> {
        self.naming.and_then(|naming| json::present(naming, "turn")?.as_u64())
    }

    /// The id both halves share; empty when there is none.
    #[inline]
    pub fn tool_call_id(&self) -> &'a str {
        self.metadata.and_then(|metadata| json::text(metadata, "tool_call_id")).unwrap_or_default()
    }
}

/// What an entry of a transcript is to the pairing.
#[derive(Clone, Copy, Debug)]
pub enum Place<'a> {
    /// A call or a result.
    Half(Half<'a>),
    /// The model hears something: the calls before it are another step than those after it.
    EndsStep,
    /// Neither.
    Other,
}

/// An entry of a transcript that can be paired.
pub trait Entry {
    /// Why an entry could not be read.
    type Refusal;

    /// What this entry is to the pairing.
    fn place(&self) -> Result<Place<'_>, Self::Refusal>;

    /// The half this entry is; none when it is neither call nor result.
    fn half(&self) -> Result<Option<Half<'_>>, Self::Refusal> {
        Ok(match self.place()? {
            Place::Half(half) => Some(half),
            Place::EndsStep | Place::Other => None,
        })
    }
}

impl<'a> Place<'a> {
    #[inline]
    fn of(kind: MessageType, role: &str, naming: Option<&'a Object>, metadata: Option<&'a Object>) -> Self {
        match kind {
            MessageType::ToolCall => Self::Half(Half { side: Side::Call, naming, metadata }),
            MessageType::ToolResult => Self::Half(Half { side: Side::Result, naming, metadata }),
            MessageType::Text
            | MessageType::FinalResult
            | MessageType::Error
            | MessageType::MultimodalPart
                if role != ASSISTANT =>
            {
                Self::EndsStep
            }
            MessageType::Text
            | MessageType::FinalResult
            | MessageType::Error
            | MessageType::MultimodalPart
            | MessageType::InputRequired
            | MessageType::ApprovalRequired
            | MessageType::Delta => Self::Other,
        }
    }
}

impl Entry for Message {
    type Refusal = Infallible;

    #[inline]
    fn place(&self) -> Result<Place<'_>, Infallible> {
        Ok(Place::of(self.kind, self.role(), Some(&self.payload), Some(&self.metadata)))
    }
}

/// A message still in JSON, plain or envelope; what [`Message::parse`] refuses is refused.
impl Entry for Value {
    type Refusal = ContractError;

    fn place(&self) -> Result<Place<'_>, ContractError> {
        let view = MessageView::read(self)?;
        Ok(Place::of(view.kind(), view.role(), view.naming(), view.metadata()))
    }
}
