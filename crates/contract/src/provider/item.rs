//! The pieces all four shapes are made of: who says what, in order.
//!
//! `read` takes messages apart into items, `write` puts items together to messages; a provider's
//! `encode` and `decode` only translate between items and its own blocks.

use serde_json::Value;

use super::{Part, ProviderFields};
use crate::json::Object;

/// Who speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Speaker {
    System,
    Developer,
    User,
    Assistant,
}

/// One piece of a transcript.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Item {
    /// The position of the message it belongs to; items of one message have the same.
    pub(super) index: usize,
    pub(super) speaker: Speaker,
    pub(super) what: What,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum What {
    Say(Part),
    Call(Call),
    Answer(Answer),
}

/// A model asks for a tool.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Call {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) parameters: Object,
    /// What the model wrote where it is no JSON object, as a cut stream leaves it.
    pub(super) unread: Option<Value>,
    pub(super) turn: Option<u64>,
    pub(super) fields: Option<ProviderFields>,
}

/// What a tool answered.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Answer {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) content: Vec<Part>,
    /// None where the format does not tell success from failure.
    pub(super) success: Option<bool>,
    pub(super) fields: Option<ProviderFields>,
}

impl Speaker {
    pub(super) fn of_role(role: &str) -> Option<Self> {
        match role {
            "system" => Some(Self::System),
            "developer" => Some(Self::Developer),
            "user" => Some(Self::User),
            "assistant" | "model" => Some(Self::Assistant),
            _ => None,
        }
    }

    pub(super) fn word(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::Developer => "developer",
            Self::User => "user",
            Self::Assistant => "assistant",
        }
    }

    /// Whether this is instruction rather than conversation.
    pub(super) fn instructs(self) -> bool {
        match self {
            Self::System | Self::Developer => true,
            Self::User | Self::Assistant => false,
        }
    }
}

impl Item {
    pub(super) fn say(index: usize, speaker: Speaker, part: Part) -> Self {
        Self { index, speaker, what: What::Say(part) }
    }

    pub(super) fn call(index: usize, call: Call) -> Self {
        Self { index, speaker: Speaker::Assistant, what: What::Call(call) }
    }

    /// Where the fields that came with it are; an opaque block has its own in it.
    pub(super) fn fields_mut(&mut self) -> Option<&mut Option<ProviderFields>> {
        match &mut self.what {
            What::Say(Part::Text { fields, .. } | Part::Media { fields, .. }) => Some(fields),
            What::Say(Part::Opaque { .. }) => None,
            What::Call(call) => Some(&mut call.fields),
            What::Answer(answer) => Some(&mut answer.fields),
        }
    }

    pub(super) fn answer(index: usize, answer: Answer) -> Self {
        Self { index, speaker: Speaker::User, what: What::Answer(answer) }
    }
}

impl Answer {
    pub(super) fn failed(&self) -> bool {
        self.success == Some(false)
    }
}
