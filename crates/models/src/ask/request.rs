//! The request of a turn, read once for every provider.

use std::borrow::Cow;

use provost_contract::Message;
use provost_contract::json::{self, Object};
use provost_contract::provider::{Change, Loss, Provider, RepairMode, ToolNames, repair_owned};
use provost_contract::structured_output::StructuredOutputRequest;
use provost_contract::tool::ToolAliases;
use provost_runtime::port::TurnRequest;

use super::{OfferedTool, Settings};
use crate::{Fault, FaultKind, riding};

/// What is asked, before any provider's words.
pub(crate) struct Ask {
    pub(crate) settings: Settings,
    /// The keys of the provider's request that carry the transcript.
    pub(crate) transcript: Object,
    pub(crate) tools: Vec<OfferedTool>,
    pub(crate) structured_output: Option<StructuredOutputRequest>,
    /// Tool names, there and back.
    pub(crate) names: ToolAliases,
    /// What the provider's format cannot carry.
    pub(crate) losses: Vec<Loss>,
    /// What had to be mended before the provider would take the transcript.
    pub(crate) repairs: Vec<Change>,
}

impl Ask {
    /// Reads a turn's request. The transcript leaves here sendable, whatever it was.
    pub(crate) fn of(request: &TurnRequest<'_>, settings: &Settings, shape: Provider) -> Result<Self, Fault> {
        let settings = settings.changed_by(request.model)?;
        let structured_output =
            request.structured_output.map(StructuredOutputRequest::parse).transpose().map_err(|error| {
                Fault::new(FaultKind::BadRequest, format!("the wanted output: {}", error.message()))
            })?;
        let mut messages: Vec<Message> =
            request.messages.messages().map(|said| Message::clone(said)).collect();
        let names = names(request, &messages);
        riding::restore(&mut messages);
        messages.iter_mut().for_each(said_to_the_model);
        let repaired = repair_owned(messages, RepairMode::Synthesise);
        let encoded = shape.encode(&repaired.messages, &names);
        Ok(Self {
            settings,
            transcript: json::into_object(encoded.body),
            tools: request.tools.tools().iter().map(|tool| OfferedTool::of(tool, &names)).collect(),
            structured_output,
            names,
            losses: encoded.losses,
            repairs: repaired.changes,
        })
    }

    /// The name the provider knows a tool by.
    pub(crate) fn alias<'a>(&'a self, tool: &'a str) -> Cow<'a, str> {
        self.names.alias(tool)
    }
}

/// Sends the runtime's own words about a repeated failure as words to the model. The transcript has them as
/// the assistant's, and a request that ends with the assistant is refused or continued as its sentence.
fn said_to_the_model(message: &mut Message) {
    if json::text(&message.metadata, "type") == Some("identical_failure_nudge") {
        *message = Message::text("user", message.content.as_text().unwrap_or_default());
    }
}

/// An alias for every tool that is declared or was called before.
fn names(request: &TurnRequest<'_>, messages: &[Message]) -> ToolAliases {
    let declared = request.tools.tools().iter().map(|tool| tool.name().as_str());
    let called = messages.iter().map(Message::tool_name).filter(|name| !name.is_empty());
    ToolAliases::new(declared.chain(called))
}
