//! The four providers, and the same three questions to each.

use serde::Serialize;
use serde_json::Value;
use strum::{Display, EnumString, IntoStaticStr, VariantArray};

use super::segment::{Prior, Segment};
use super::{Encoded, Refusal, ToolNames, anthropic, gemini, openai_chat, openai_responses};
use crate::{Message, Result};

/// A provider, by the shape of its transcripts.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Display, EnumString, IntoStaticStr, VariantArray,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Provider {
    /// Anthropic Messages.
    Anthropic,
    /// OpenAI Chat Completions, and everything compatible with it.
    OpenaiChat,
    /// OpenAI Responses.
    OpenaiResponses,
    /// Gemini contents.
    Gemini,
}

impl Provider {
    /// The wire word.
    pub fn word(self) -> &'static str {
        self.into()
    }

    /// The name people use.
    pub fn label(self) -> &'static str {
        match self {
            Self::Anthropic => "Anthropic Messages",
            Self::OpenaiChat => "OpenAI Chat Completions",
            Self::OpenaiResponses => "OpenAI Responses",
            Self::Gemini => "Gemini",
        }
    }

    /// Writes a transcript as the part of this provider's request that carries it.
    pub fn encode(self, messages: &[Message], names: &dyn ToolNames) -> Encoded {
        match self {
            Self::Anthropic => anthropic::encode(messages, names),
            Self::OpenaiChat => openai_chat::encode(messages, names),
            Self::OpenaiResponses => openai_responses::encode(messages, names),
            Self::Gemini => gemini::encode(messages, names),
        }
    }

    /// The key of a request that lists the messages.
    pub fn messages_key(self) -> &'static str {
        match self {
            Self::Anthropic | Self::OpenaiChat => "messages",
            Self::OpenaiResponses => "input",
            Self::Gemini => "contents",
        }
    }

    /// Writes messages that follow others.
    pub(super) fn segment(self, messages: &[Message], names: &dyn ToolNames, prior: &Prior) -> Segment {
        match self {
            Self::Anthropic => anthropic::segment(messages, names, prior),
            Self::OpenaiChat => openai_chat::segment(messages, names, prior),
            Self::OpenaiResponses => openai_responses::segment(messages, names, prior),
            Self::Gemini => gemini::segment(messages, names, prior),
        }
    }

    /// Reads a request or response body of this provider. `first_turn` numbers the first turn of the
    /// assistant in it; it also keeps the ids apart that calls without one are given.
    pub fn decode(self, body: &Value, names: &dyn ToolNames, first_turn: u64) -> Result<Vec<Message>> {
        match self {
            Self::Anthropic => anthropic::decode(body, names, first_turn),
            Self::OpenaiChat => openai_chat::decode(body, names, first_turn),
            Self::OpenaiResponses => openai_responses::decode(body, names, first_turn),
            Self::Gemini => gemini::decode(body, names, first_turn),
        }
    }

    /// Everything this provider would refuse in a request body.
    pub fn validate(self, body: &Value) -> Vec<Refusal> {
        match self {
            Self::Anthropic => anthropic::validate(body),
            Self::OpenaiChat => openai_chat::validate(body),
            Self::OpenaiResponses => openai_responses::validate(body),
            Self::Gemini => gemini::validate(body),
        }
    }
}
