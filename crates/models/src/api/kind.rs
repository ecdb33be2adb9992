//! The providers by name.

use serde::{Deserialize, Serialize};
use strum::{Display, EnumString, IntoStaticStr, VariantArray};

use super::anthropic::Anthropic;
use super::contract::Api;
use super::gemini::Gemini;
use super::openai_chat::OpenaiChat;
use super::openai_responses::OpenaiResponses;

/// Which way of writing a provider understands.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    Serialize,
    Deserialize,
    Display,
    EnumString,
    IntoStaticStr,
    VariantArray,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum ApiKind {
    /// Anthropic Messages.
    Anthropic,
    /// OpenAI Chat Completions.
    OpenaiChat,
    /// Any server compatible with OpenAI Chat Completions, at a base URL of its own.
    OpenaiCompatible,
    /// OpenAI Responses.
    OpenaiResponses,
    /// Gemini.
    Gemini,
}

impl ApiKind {
    /// Where the provider listens; none when that is different for everybody.
    pub fn base_url(self) -> Option<&'static str> {
        match self {
            Self::Anthropic => Some("https://api.anthropic.com/v1"),
            Self::OpenaiChat | Self::OpenaiResponses => Some("https://api.openai.com/v1"),
            Self::OpenaiCompatible => None,
            Self::Gemini => Some("https://generativelanguage.googleapis.com/v1beta"),
        }
    }

    /// The variable of the environment its key usually stands in; none when it usually has no key.
    pub fn key_variable(self) -> Option<&'static str> {
        match self {
            Self::Anthropic => Some("ANTHROPIC_API_KEY"),
            Self::OpenaiChat | Self::OpenaiResponses => Some("OPENAI_API_KEY"),
            Self::OpenaiCompatible => None,
            Self::Gemini => Some("GEMINI_API_KEY"),
        }
    }

    pub(crate) fn api(self) -> Box<dyn Api> {
        match self {
            Self::Anthropic => Box::new(Anthropic),
            Self::OpenaiChat => Box::new(OpenaiChat { limit: "max_completion_tokens" }),
            Self::OpenaiCompatible => Box::new(OpenaiChat { limit: "max_tokens" }),
            Self::OpenaiResponses => Box::new(OpenaiResponses),
            Self::Gemini => Box::new(Gemini),
        }
    }
}
