//! Summaries of a conversation, written by its own model.

use std::fmt::Write as _;
use std::sync::Arc;

use provost_contract::Message;
use provost_contract::compaction::Summary;
use provost_contract::json::Object;
use provost_contract::tool::ToolCatalog;
use provost_engine::state::Transcript;
use provost_runtime::port::{Boxed, Hearing, HostError, Model, Summariser, TurnCache, TurnRequest};

const TASK: &str = "You sum up the beginning of a conversation between a person and an agent, so that the agent \
                    can go on without it. Keep what was asked for, what was decided and by whom, what was done \
                    and with what result, names, paths and numbers word for word, and what is still open. \
                    Write nothing but the summary.";
/// The size limit of one message in the prompt.
const MESSAGE_CHARS_MAX: usize = 4_000;
/// The size limit of all messages.
const TEXT_CHARS_MAX: usize = 200_000;

/// Calls the model.
pub(crate) struct Summaries(pub Arc<dyn Model>);

impl Summariser for Summaries {
    fn summarise<'a>(
        &'a self,
        messages: &'a [Message],
        _context: &'a Object,
    ) -> Boxed<'a, Result<Summary, HostError>> {
        Box::pin(async move {
            let asked = [Message::text("system", TASK), Message::text("user", text(messages))];
            let asked: Transcript = asked.into_iter().map(Arc::new).collect();
            let (tools, nothing) = (ToolCatalog::default(), Object::new());
            let request = TurnRequest {
                turn: 1,
                turns_max: 1,
                session: None,
                messages: &asked,
                tools: &tools,
                carrier: None,
                context: &nothing,
                model: &nothing,
                structured_output: None,
                // It is for the transcript, so there is no subscriber.
                hearing: Hearing::default(),
                cache: &TurnCache::default(),
            };
            let answer = self.0.turn(request).await.map_err(|error| HostError(error.message))?;
            let summary =
                Summary::new(answer.text()).map_err(|error| HostError(error.message().to_owned()))?;
            Ok(summary.costing(answer.usage().clone()))
        })
    }
}

/// Formats the messages as text.
fn text(messages: &[Message]) -> String {
    let mut text = String::new();
    for message in messages {
        let said = match message.content.as_text() {
            Some(said) if !said.is_empty() => said.to_owned(),
            Some(_) | None => message.to_value().get("payload").map(ToString::to_string).unwrap_or_default(),
        };
        let kept: String = said.chars().take(MESSAGE_CHARS_MAX).collect();
        let cut = if kept.len() < said.len() { " […]" } else { "" };
        let _ = writeln!(text, "{}: {kept}{cut}", message.role());
    }
    text.chars().take(TEXT_CHARS_MAX).collect()
}
