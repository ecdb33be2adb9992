//! A transcript from a file of any supported format.

use provost_contract::provider::{IdentityNames, Provider, Shape};
use provost_contract::session_file::{BrokenLines, Format, LeftOut};
use provost_contract::{Message, Result, json};
use serde_json::Value;

/// The source of a transcript.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Source {
    /// A request, a response or a list of messages in one JSON document.
    Document(Shape),
    /// A session file of another program, one JSON object per line.
    Session(Format),
}

impl Source {
    /// Detects the source of a text; `None` if it is unknown.
    ///
    /// # Errors
    /// If the text is neither lines of a session nor JSON.
    pub(super) fn detect(text: &str) -> Result<Option<Self>> {
        if let Some(format) = Format::detect(text) {
            return Ok(Some(Self::Session(format)));
        }
        match json::parse_text(text) {
            Ok(document) => Ok(Shape::detect(&document).map(Self::Document)),
            // JSON lines of an unknown program.
            Err(_) if text.lines().next().is_some_and(|line| json::parse_text(line).is_ok()) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Returns the source with a name.
    pub(super) fn of(word: &str) -> Option<Self> {
        let session = || word.parse().ok().map(Self::Session);
        let provider = || word.parse().ok().map(Shape::Of).map(Self::Document);
        let own = || (word == "messages").then_some(Self::Document(Shape::Messages));
        session().or_else(provider).or_else(own)
    }
}

/// A transcript, as our messages and in the format of a provider.
pub(super) struct Transcript {
    pub(super) provider: Provider,
    pub(super) body: Value,
    pub(super) messages: Vec<Message>,
    pub(super) left_out: Vec<LeftOut>,
}

impl Transcript {
    pub(super) fn read(source: Source, text: &str, broken: BrokenLines) -> Result<Self> {
        match source {
            Source::Document(Shape::Of(provider)) => {
                Self::of_provider(provider, json::parse_text(text)?, Vec::new())
            }
            Source::Document(Shape::Messages) => Self::of_messages(&json::parse_text(text)?),
            Source::Session(format) => {
                let session = format.read(text, broken)?;
                Self::of_provider(format.provider(), session.body, session.left_out)
            }
        }
    }

    fn of_provider(provider: Provider, body: Value, left_out: Vec<LeftOut>) -> Result<Self> {
        let messages = provider.decode(&body, &IdentityNames, 1)?;
        Ok(Self { provider, body, messages, left_out })
    }

    fn of_messages(document: &Value) -> Result<Self> {
        let list = document.as_array().or_else(|| document.get("messages")?.as_array());
        let messages = Message::parse_many(list.map_or(&[][..], Vec::as_slice))?;
        let provider = Provider::Anthropic;
        let body = provider.encode(&messages, &IdentityNames).body;
        Ok(Self { provider, body, messages, left_out: Vec::new() })
    }
}
