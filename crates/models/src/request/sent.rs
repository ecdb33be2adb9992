//! The transcript of a run as it was last sent, for the run's next request.

use std::collections::BTreeSet;
use std::sync::Arc;

use provost_contract::Message;
use provost_contract::json::{self, Object};
use provost_contract::provider::{Growing, Grown, Provider, RepairMode, request_text};
use provost_contract::tool::{ToolAliases, ToolCatalog};
use provost_runtime::port::{Transcript, TurnRequest};

use super::diagnostics;
use crate::provider_state;

/// The finished steps of a transcript in a provider's format. They are written once and sent with every request.
pub(crate) struct Sent {
    growing: Growing,
    /// The finished messages. A transcript that begins with the same messages begins with the same text.
    finished: Vec<Arc<Message>>,
    /// The tools they name.
    called: BTreeSet<String>,
    /// The aliases they were written with.
    names: ToolAliases,
}

/// A transcript as it is sent, but for the finished steps.
pub(crate) struct Transcribed {
    /// The keys of the provider's request that carry the transcript.
    pub(crate) body: Object,
    /// An alias for every tool that is declared or was called before.
    pub(crate) names: ToolAliases,
    /// What the format could not carry, and what was repaired.
    pub(crate) diagnostics: Object,
}

impl Sent {
    /// What the run's last request left, if the transcript still begins with it; otherwise nothing.
    pub(crate) fn before(request: &TurnRequest<'_>, provider: Provider) -> Self {
        let earlier = request.cache.take::<Self>();
        let fits = |sent: &Self| sent.growing.provider() == provider && sent.begins(request.messages);
        earlier.filter(fits).unwrap_or_else(|| Self::nothing(provider))
    }

    fn nothing(provider: Provider) -> Self {
        Self {
            growing: Growing::new(provider, RepairMode::Synthesise),
            finished: Vec::new(),
            called: BTreeSet::new(),
            names: ToolAliases::default(),
        }
    }

    fn begins(&self, transcript: &Transcript) -> bool {
        let mut messages = transcript.messages();
        self.finished.iter().all(|sent| messages.next().is_some_and(|message| Arc::ptr_eq(sent, message)))
    }

    /// Writes a transcript that begins with the finished messages, and finishes more of them.
    pub(crate) fn write(&mut self, transcript: &Transcript, tools: &ToolCatalog) -> Transcribed {
        let mut rest = self.rest(transcript);
        let names = self.aliases(&rest, tools);
        let same = self.called.iter().all(|name| names.alias_of(name) == self.names.alias_of(name));
        let fits = same && self.growing.close(&rest, &names);
        if fits {
            self.finish(transcript, &mut rest, &names);
        }
        match self.growing.write(&rest, &names).filter(|_| fits).map(Transcribed::parts) {
            Some((body, diagnostics)) => Transcribed { body, names, diagnostics },
            None => self.write_whole(transcript, names),
        }
    }

    /// Writes a transcript of which something new changes how the finished steps are written.
    fn write_whole(&mut self, transcript: &Transcript, names: ToolAliases) -> Transcribed {
        *self = Self::nothing(self.growing.provider());
        let written = self.growing.write(&self.rest(transcript), &names);
        let (body, diagnostics) = written.map(Transcribed::parts).unwrap_or_default();
        Transcribed { body, names, diagnostics }
    }

    /// Moves the messages that were just finished out of the rest.
    fn finish(&mut self, transcript: &Transcript, rest: &mut Vec<Message>, names: &ToolAliases) {
        let count = self.growing.len() - self.finished.len();
        if count > 0 {
            let finished = transcript.messages().skip(self.finished.len()).take(count).cloned();
            self.finished.extend(finished);
            self.called.extend(rest.drain(..count).filter_map(called));
            self.names.clone_from(names);
        }
    }

    /// The messages behind the finished ones, as they are sent.
    fn rest(&self, transcript: &Transcript) -> Vec<Message> {
        let rest = transcript.messages().skip(self.finished.len());
        let mut rest: Vec<Message> = rest.map(|message| Message::clone(message)).collect();
        provider_state::restore(&mut rest);
        rest.iter_mut().for_each(said_to_the_model);
        rest
    }

    fn aliases(&self, rest: &[Message], tools: &ToolCatalog) -> ToolAliases {
        let declared = tools.tools().iter().map(|tool| tool.name().as_str());
        let called = self.called.iter().map(String::as_str);
        let new = rest.iter().map(Message::tool_name).filter(|name| !name.is_empty());
        ToolAliases::new(declared.chain(called).chain(new))
    }

    /// The text of a request whose transcript is this one. `replaced` lists are not the transcript's.
    pub(crate) fn text(&self, request: &Object, replaced: &Object) -> String {
        let key = self.growing.provider().messages_key();
        let items = if replaced.contains_key(key) { "" } else { self.growing.items() };
        request_text(request, key, items)
    }
}

impl Transcribed {
    fn parts(grown: Grown<'_>) -> (Object, Object) {
        let diagnostics = diagnostics::of_request(grown.losses(), grown.changes());
        (grown.body, diagnostics)
    }
}

fn called(message: Message) -> Option<String> {
    Some(message.tool_name().to_owned()).filter(|name| !name.is_empty())
}

/// Sends the runtime's own words about a repeated failure as words to the model. The transcript has them as
/// the assistant's, and a request that ends with the assistant is refused or continued as its sentence.
fn said_to_the_model(message: &mut Message) {
    if json::text(&message.metadata, "type") == Some("identical_failure_nudge") {
        *message = Message::text("user", message.content.as_text().unwrap_or_default());
    }
}
