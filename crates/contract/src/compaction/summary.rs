//! The summary that stands for older messages: asking for it, judging it, putting it in their place.

use std::fmt::Display;

use serde_json::{Value, json};

use super::compact::{Compaction, Status};
use super::conservation::{Conservation, Provenance, Stats};
use super::event::{Event, EventType};
use super::policy::Policy;
use crate::json::{self, Object};
use crate::message::Message;
use crate::{ContractError, Result};

const CODE: &str = "invalid_ai_compaction_summary";
const BLANK: &str = "Summary must be a non-empty string.";
const NOT_CONSERVED: &str = "Compaction conservation check failed.";

/// What a summariser gives back.
#[derive(Clone, Debug, PartialEq)]
pub struct Summary {
    /// The summary; never blank.
    text: String,
    /// What the summariser put elsewhere, so that it counts as conserved.
    archived_items: Vec<Value>,
    /// What it cost, as a provider counts it.
    usage: Object,
}

impl Summary {
    /// A summary with nothing put elsewhere; blank text is refused.
    pub fn new(text: &str) -> Result<Self> {
        match text.trim() {
            "" => Err(ContractError::with_message(CODE, BLANK)),
            text => Ok(Self { text: text.to_owned(), archived_items: Vec::new(), usage: Object::new() }),
        }
    }

    /// The same with what it cost.
    #[must_use]
    pub fn costing(mut self, usage: Object) -> Self {
        self.usage = usage;
        self
    }

    /// What it cost; empty when nobody said.
    pub fn usage(&self) -> &Object {
        &self.usage
    }

    /// The wire form `{summary, archived_items}`, which [`Summary::parse`] reads.
    pub fn to_value(&self) -> Value {
        json!({ "summary": self.text, "archived_items": self.archived_items })
    }

    /// Reads a text, or an object `{summary, archived_items?}`.
    pub fn parse(value: &Value) -> Result<Self> {
        let Some(raw) = value.as_object() else {
            return Self::new(value.as_str().unwrap_or_default());
        };
        let archived_items = json::list(raw, "archived_items").cloned().unwrap_or_default();
        Ok(Self { archived_items, ..Self::new(json::text(raw, "summary").unwrap_or_default())? })
    }
}

/// A transcript that waits for the summary of its older messages.
#[derive(Clone, Debug, PartialEq)]
pub struct PendingSummary {
    messages: Vec<Message>,
    /// More than 0 and less than the number of messages: the first message that stays.
    boundary: usize,
    policy: Policy,
    context: Object,
}

impl PendingSummary {
    pub(super) fn new(messages: Vec<Message>, boundary: usize, policy: Policy) -> Self {
        debug_assert!(0 < boundary && boundary < messages.len(), "a boundary has messages on both sides");
        let context = json::into_object(json!({
            "policy": policy.to_object(),
            "total_messages": messages.len(),
            "compact_count": boundary,
            "retained_count": messages.len() - boundary,
            "boundary": { "compact_until": boundary - 1, "retain_from": boundary },
        }));
        Self { messages, boundary, policy, context }
    }

    /// The messages to summarise.
    pub fn earlier(&self) -> &[Message] {
        self.messages.get(..self.boundary).unwrap_or_default()
    }

    /// Policy, counts and boundary, for the summariser and for whoever watches.
    pub fn context(&self) -> &Object {
        &self.context
    }

    /// What watchers are told while the summary is made.
    pub fn started(&self) -> Event {
        Event { kind: EventType::CompactionStarted, metadata: self.context.clone() }
    }

    /// Puts the summary in the place of what it sums up; without a usable one the transcript stays whole.
    pub fn finish<E: Display>(self, summary: Result<Summary, E>) -> Compaction {
        let summary = match summary {
            Ok(summary) => summary,
            Err(error) => return self.failed(&error.to_string()),
        };
        let message = self.summary_message(&summary);
        let provenance = Provenance {
            compacted: Stats::of_messages(std::slice::from_ref(&message)),
            archived: Stats::of(&summary.archived_items),
            ..self.provenance()
        };
        let conservation = Conservation::new(self.policy.conservation, provenance);
        if conservation.failed_closed() {
            return self.failed(NOT_CONSERVED);
        }
        self.completed(message, conservation)
    }

    fn completed(self, message: Message, conservation: Conservation) -> Compaction {
        let started = self.started();
        let mut metadata = conservation.record(self.policy.to_object(), self.context);
        metadata.insert("summary_message".into(), message.to_value());
        let completed = Event { kind: EventType::CompactionCompleted, metadata: metadata.clone() };
        let mut messages = self.messages;
        messages.splice(..self.boundary, [message]);
        Compaction {
            status: Status::Compacted,
            messages,
            metadata,
            events: vec![started, completed],
            archive_items: None,
        }
    }

    fn failed(self, reason: &str) -> Compaction {
        let started = self.started();
        let conservation = Conservation::new(self.policy.conservation, self.provenance());
        let mut metadata = conservation.record(self.policy.to_object(), self.context);
        metadata.insert("error".into(), reason.into());
        let failed = Event { kind: EventType::CompactionFailed, metadata: metadata.clone() };
        Compaction {
            status: Status::Failed,
            messages: self.messages,
            metadata,
            events: vec![started, failed],
            archive_items: None,
        }
    }

    /// Where the original went while there is no summary: only what stays is safe.
    fn provenance(&self) -> Provenance {
        Provenance {
            original: Stats::of_messages(&self.messages),
            retained: Stats::of_messages(self.messages.get(self.boundary..).unwrap_or_default()),
            ..Provenance::default()
        }
    }

    fn summary_message(&self, summary: &Summary) -> Message {
        let text = format!("{}\n\n{}", self.policy.summary_prefix(), summary.text);
        let mut message = Message::text(self.policy.summary_role(), text);
        let record = json!({
            "compacted_message_count": self.boundary,
            "retained_message_count": self.messages.len() - self.boundary,
            "summary_provider": self.policy.summary_provider(),
            "summary_model": self.policy.summary_model(),
        });
        message.metadata.insert("agents_api_compaction".into(), record);
        message
    }
}
