//! Shortening a transcript: deciding what to do, and doing what needs nobody else.
//!
//! A transcript is never lost. Whatever fails, the messages come back as they were, in normal form.

use std::fmt::Display;

use serde::Serialize;
use serde_json::{Value, json};

use super::conservation::{Conservation, Provenance, Stats};
use super::event::Event;
use super::summary::{PendingSummary, Summary};
use super::transcript::Transcript;
use super::{Policy, overflow, select_boundary};
use crate::Message;
use crate::json::Object;

/// What became of a transcript.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Nothing was to be done.
    Skipped,
    /// A summary stands for the older messages.
    Compacted,
    /// There is no usable summary; the transcript is as it was.
    Failed,
    /// The older messages were taken off to be archived.
    Archived,
}

/// A transcript after compaction, and the record of what happened.
#[derive(Clone, Debug, PartialEq)]
pub struct Compaction {
    /// What became of the transcript.
    pub status: Status,
    /// The transcript to go on with.
    pub messages: Vec<Message>,
    /// Policy, counts, boundary, provenance and conservation, as far as the status knows them.
    pub metadata: Object,
    /// What watchers are told, in order.
    pub events: Vec<Event>,
    /// The messages taken off, in their owner's words, when the status is archived: for the caller to keep.
    pub archive_items: Option<Vec<Value>>,
}

impl Compaction {
    /// The wire form `{messages, metadata: {compaction: {…, status}}, events, archive_items?}`.
    pub fn to_value(&self) -> Value {
        let mut compaction = self.metadata.clone();
        compaction.insert("status".into(), json!(self.status));
        let mut wire = json!({
            "messages": self.messages.iter().map(Message::to_value).collect::<Vec<_>>(),
            "metadata": { "compaction": compaction },
            "events": self.events.iter().map(Event::to_value).collect::<Vec<_>>(),
        });
        if let (Some(map), Some(items)) = (wire.as_object_mut(), &self.archive_items) {
            map.insert("archive_items".into(), items.clone().into());
        }
        wire
    }
}

/// What a transcript needs.
#[derive(Clone, Debug, PartialEq)]
pub enum Plan {
    /// Nothing more: it was left alone or archived.
    Finished(Compaction),
    /// A summary of its older messages.
    Summarize(Box<PendingSummary>),
}

/// Decides what a transcript needs. Costs one pass over it and copies no message.
pub fn plan(transcript: Transcript, policy: &Policy) -> Plan {
    if let Some(total_bytes) = overflow::exceeded(&transcript, policy) {
        return Plan::Finished(overflow::archive(transcript, total_bytes, policy));
    }
    let messages = transcript.messages;
    if !policy.enabled || messages.len() <= policy.max_messages() {
        return Plan::Finished(skipped(messages, policy));
    }
    match select_boundary(&messages, policy) {
        0 => Plan::Finished(skipped(messages, policy)),
        boundary => Plan::Summarize(Box::new(PendingSummary::new(messages, boundary, policy.clone()))),
    }
}

/// Compacts a transcript with a summariser that answers at once. A caller that has to wait for a
/// summary takes the [`plan`] and finishes it later.
pub fn compact<E: Display>(
    transcript: Transcript,
    policy: &Policy,
    summarize: impl FnOnce(&[Message], &Object) -> Result<Summary, E>,
) -> Compaction {
    match plan(transcript, policy) {
        Plan::Finished(compaction) => compaction,
        Plan::Summarize(pending) => {
            let summary = summarize(pending.earlier(), pending.context());
            pending.finish(summary)
        }
    }
}

fn skipped(messages: Vec<Message>, policy: &Policy) -> Compaction {
    let all = Stats::of_messages(&messages);
    let provenance = Provenance { original: all, retained: all, ..Provenance::default() };
    let metadata =
        Conservation::new(policy.conservation, provenance).record(policy.to_object(), Object::new());
    Compaction { status: Status::Skipped, messages, metadata, events: Vec::new(), archive_items: None }
}
