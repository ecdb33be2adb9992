//! Archiving the older part of an input that is too large to summarise.

use serde_json::{Value, json};

use super::boundary::whole_pairs;
use super::compact::{Compaction, Status};
use super::event::{Event, EventType};
use super::policy::Policy;
use super::transcript::{Transcript, message_bytes};
use crate::canonical;
use crate::json::{self, Object};
use crate::message::Message;

/// The size of the transcript, when the policy calls it too large.
pub(super) fn exceeded(transcript: &Transcript, policy: &Policy) -> Option<usize> {
    let limit = policy.overflow.threshold_bytes;
    if !policy.overflow.enabled || limit == 0 {
        return None;
    }
    Some(transcript.byte_count()).filter(|bytes| *bytes > limit)
}

/// Takes the older messages off for an archive; a stub that names it stands in their place.
pub(super) fn archive(transcript: Transcript, total_bytes: usize, policy: &Policy) -> Compaction {
    let total_messages = transcript.messages.len();
    let boundary = select(&transcript.messages, policy);
    if boundary == 0 {
        return unsplittable(transcript.messages, total_bytes, policy);
    }
    let (archived, retained) = transcript.split_archive(boundary);
    let archive_id =
        format!("agents-api-overflow-{}", canonical::short_hash(&canonical::compact_list(&archived)));
    let metadata = json::into_object(json!({
        "strategy": "deterministic_overflow_archive",
        "archive_id": archive_id,
        "archive_pointer": policy.overflow.archive_pointer(),
        "archive_count": boundary,
        "retained_count": retained.len(),
        "total_messages": total_messages,
        "total_bytes": total_bytes,
        "boundary": { "archive_until": boundary - 1, "retain_from": boundary },
        "policy": policy.to_object(),
    }));
    let mut messages = Vec::with_capacity(retained.len() + 1);
    messages.push(stub(&archive_id, boundary, metadata.clone(), policy));
    messages.extend(retained);
    let event = Event { kind: EventType::CompactionOverflowArchived, metadata: metadata.clone() };
    Compaction {
        status: Status::Archived,
        messages,
        metadata,
        events: vec![event],
        archive_items: Some(archived),
    }
}

/// The first message that stays: the newest ones, fewer of them while they are too large, and no pair cut.
fn select(messages: &[Message], policy: &Policy) -> usize {
    let overflow = &policy.overflow;
    let wanted = match overflow.retained_messages {
        0 => policy.recent_messages(),
        wanted => wanted,
    };
    let mut boundary = messages.len().saturating_sub(wanted);
    if overflow.retained_bytes > 0 {
        boundary = boundary.max(first_that_fits(messages, overflow.retained_bytes));
    }
    whole_pairs(messages, boundary, policy)
}

/// The first of the newest messages that together are no larger than a limit; the newest stays at any size.
fn first_that_fits(messages: &[Message], limit: usize) -> usize {
    // A list of n values has two brackets and n - 1 commas: one byte, and one more for each value.
    let mut total = 1_usize;
    let mut first = messages.len();
    for (index, message) in messages.iter().enumerate().rev() {
        total += message_bytes(message) + 1;
        if total > limit {
            break;
        }
        first = index;
    }
    first.min(messages.len().saturating_sub(1))
}

fn stub(archive_id: &str, archived: usize, record: Object, policy: &Policy) -> Message {
    let text = format!(
        "{}\n\nArchive ID: {archive_id}\nArchived messages: {archived}",
        policy.overflow.stub_prefix()
    );
    let mut stub = Message::text(policy.overflow.stub_role(), text);
    stub.metadata.insert("agents_api_compaction_archive".into(), Value::Object(record));
    stub
}

fn unsplittable(messages: Vec<Message>, total_bytes: usize, policy: &Policy) -> Compaction {
    let metadata = json::into_object(json!({
        "policy": policy.to_object(),
        "reason": "overflow_input_unsplittable",
        "total_messages": messages.len(),
        "total_bytes": total_bytes,
    }));
    Compaction { status: Status::Skipped, messages, metadata, events: Vec::new(), archive_items: None }
}
