//! The request of a turn, read once for every provider.

use std::borrow::Cow;

use provost_contract::json::Object;
use provost_contract::provider::{Provider, ToolNames};
use provost_contract::structured_output::StructuredOutputRequest;
use provost_contract::tool::ToolAliases;
use provost_runtime::port::TurnRequest;

use super::sent::{Sent, Transcribed};
use super::{OfferedTool, Settings};
use crate::{Fault, FaultKind};

/// What is asked, before any provider's words.
pub(crate) struct ProviderRequest {
    pub(crate) settings: Settings,
    /// The keys of the provider's request that carry the transcript, without its finished steps.
    pub(crate) transcript: Object,
    pub(crate) tools: Vec<OfferedTool>,
    pub(crate) structured_output: Option<StructuredOutputRequest>,
    /// Tool names, there and back.
    pub(crate) names: ToolAliases,
    /// What the provider's format cannot carry, and what had to be repaired before the provider would take it.
    pub(crate) diagnostics: Object,
}

/// The tools of the catalog, and the one that carries declarations.
fn offered(request: &TurnRequest<'_>, names: &ToolAliases) -> Vec<OfferedTool> {
    let tools = request.tools.tools().iter().map(|tool| OfferedTool::of(tool, names));
    tools.chain(request.carrier.map(OfferedTool::carrier)).collect()
}

impl ProviderRequest {
    /// Reads a turn's request. The transcript leaves here sendable, whatever it was: its finished steps in the
    /// [`Sent`], the rest in the [`ProviderRequest`].
    pub(crate) fn of(
        request: &TurnRequest<'_>,
        settings: &Settings,
        shape: Provider,
    ) -> Result<(Self, Sent), Fault> {
        let settings = settings.changed_by(request.model)?;
        let structured_output =
            request.structured_output.map(StructuredOutputRequest::parse).transpose().map_err(|error| {
                Fault::new(FaultKind::BadRequest, format!("the wanted output: {}", error.message()))
            })?;
        let mut sent = Sent::before(request, shape);
        let Transcribed { body, names, diagnostics } = sent.write(request.messages, request.tools);
        let ask = Self {
            settings,
            transcript: body,
            tools: offered(request, &names),
            structured_output,
            names,
            diagnostics,
        };
        Ok((ask, sent))
    }

    /// What a model reads of the wanted output where the provider's format has no word for it.
    pub(crate) fn output_in_words(&self) -> Option<String> {
        let wanted = self.structured_output.as_ref()?;
        let schema = serde_json::Value::Object(wanted.schema.clone());
        Some(format!(
            "When the work is done, answer with one JSON document and nothing else. It must fit this JSON Schema: {schema}"
        ))
    }

    /// The name the provider knows a tool by.
    pub(crate) fn alias<'a>(&'a self, tool: &'a str) -> Cow<'a, str> {
        self.names.alias(tool)
    }
}
