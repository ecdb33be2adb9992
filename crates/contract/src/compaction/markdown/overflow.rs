//! Keeping as many sections of a document as fit, and archiving the others.

use serde::Serialize;
use serde_json::{Value, json};

use super::replace::{ArchivePointer, clamped_level};
use super::section::{SectionType, pieces};
use crate::compaction::conservation::{Conservation, ConservationPolicy, Provenance, Stats};
use crate::compaction::{Event, EventType, Item};
use crate::json::{self, Object};
use crate::{Result, canonical, loose};

/// How large a document may stay, and what points to the rest of it.
#[derive(Clone, Debug, PartialEq)]
pub struct SplitPolicy {
    target_bytes: usize,
    pointer: ArchivePointer,
    conservation: ConservationPolicy,
    /// Every key as it came, for the record.
    given: Object,
}

impl SplitPolicy {
    /// Reads a policy; what is absent takes its default, a document without a target size is never split.
    pub fn parse(raw: &Object) -> Self {
        let target =
            json::present(raw, "target_bytes").or_else(|| json::present(raw, "overflow_retained_bytes"));
        let elsewhere = json::object(raw, "archive_pointer")
            .and_then(|pointer| json::trimmed_text(pointer, "destination"));
        let destination = json::trimmed_text(raw, "pointer_destination").or(elsewhere);
        let level =
            json::present(raw, "pointer_level").map(|level| loose::integer(level).unwrap_or_default());
        Self {
            target_bytes: target.and_then(loose::count).unwrap_or_default(),
            pointer: ArchivePointer {
                heading: json::trimmed_text(raw, "pointer_heading").unwrap_or("Archived Sections").to_owned(),
                destination: destination.unwrap_or_default().to_owned(),
                level: Some(level.unwrap_or(2)),
                content: json::text(raw, "pointer_content").unwrap_or_default().to_owned(),
            },
            conservation: ConservationPolicy::parse(raw),
            given: raw.clone(),
        }
    }

    /// The wire form.
    pub fn to_object(&self) -> Object {
        let mut wire = self.given.clone();
        wire.insert("target_bytes".into(), self.target_bytes.into());
        wire.insert("pointer_destination".into(), self.pointer.destination.as_str().into());
        wire.insert("pointer_heading".into(), self.pointer.heading.as_str().into());
        wire.insert("pointer_level".into(), self.pointer.level.map(clamped_level).into());
        wire.insert("pointer_content".into(), self.pointer.content.as_str().into());
        self.conservation.write_into(&mut wire);
        wire
    }
}

/// Whether a document was split.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SplitStatus {
    /// It is whole; the metadata says why.
    Skipped,
    /// Some sections were taken off.
    Archived,
}

/// A document after an overflow.
#[derive(Clone, Debug, PartialEq)]
pub struct Split {
    /// Whether it was split.
    pub status: SplitStatus,
    /// What stays, the pointer to the rest last.
    pub retained_items: Vec<Item>,
    /// What was taken off, for the caller to keep.
    pub archive_items: Vec<Item>,
    /// Why, how much and where to.
    pub metadata: Object,
    /// What watchers are told.
    pub events: Vec<Event>,
}

impl Split {
    /// The wire form.
    pub fn to_value(&self) -> Value {
        json!({
            "status": self.status,
            "retained_items": wire(&self.retained_items),
            "archive_items": wire(&self.archive_items),
            "metadata": self.metadata,
            "events": self.events.iter().map(Event::to_value).collect::<Vec<_>>(),
        })
    }
}

/// Splits a document that is larger than its policy wants: the first section stays at any size, a later
/// one when it fits beside what stays already and the pointer.
pub fn split_for_overflow(items: Vec<Item>, policy: &SplitPolicy) -> Result<Split> {
    let total = bytes_of(&items)?;
    if policy.target_bytes == 0 || total <= policy.target_bytes {
        return Ok(skipped(items, total, policy, "overflow_input_below_target"));
    }
    if items.iter().filter(|item| is_section(item)).count() < 2 {
        return Ok(skipped(items, total, policy, "overflow_input_unsplittable"));
    }
    let pointer = policy.pointer.to_item()?;
    let original = Stats::of_items(&items);
    let stays = fitting(&items, &pointer, policy.target_bytes)?;
    if stays.iter().all(|stays| *stays) {
        return Ok(skipped(items, total, policy, "overflow_no_archive_boundary"));
    }
    let (mut retained, mut archived) = (Vec::new(), Vec::new());
    for (item, stays) in items.into_iter().zip(stays) {
        if stays { retained.push(item) } else { archived.push(item) }
    }
    retained.push(pointer);
    Ok(archive(retained, archived, original, total, policy))
}

/// Which items stay, in order.
fn fitting(items: &[Item], pointer: &Item, target: usize) -> Result<Vec<bool>> {
    let mut total = bytes(pointer)?;
    let mut seen_section = false;
    let mut stays = Vec::with_capacity(items.len());
    for item in items {
        let size = bytes(item)?;
        let fits = !is_section(item) || !seen_section || total + size <= target;
        seen_section |= is_section(item);
        total += if fits { size } else { 0 };
        stays.push(fits);
    }
    Ok(stays)
}

fn archive(
    retained_items: Vec<Item>,
    archive_items: Vec<Item>,
    original: Stats,
    total: usize,
    policy: &SplitPolicy,
) -> Split {
    let archived: Vec<Value> = archive_items.iter().map(Item::to_value).collect();
    let id = canonical::short_hash(&canonical::compact_list(&archived));
    let extra = json!({
        "strategy": "deterministic_markdown_section_overflow_archive",
        "boundary": { "retained_count": retained_items.len(), "archive_count": archive_items.len() },
        "status": SplitStatus::Archived,
        "archive_id": format!("agents-api-markdown-overflow-{id}"),
    });
    let provenance = Provenance {
        original,
        retained: Stats::of_items(&retained_items),
        archived: Stats::of_items(&archive_items),
        ..Provenance::default()
    };
    let metadata = record(policy, provenance, total, extra);
    let event = Event { kind: EventType::CompactionOverflowArchived, metadata: metadata.clone() };
    Split { status: SplitStatus::Archived, retained_items, archive_items, metadata, events: vec![event] }
}

fn skipped(items: Vec<Item>, total: usize, policy: &SplitPolicy, reason: &str) -> Split {
    let all = Stats::of_items(&items);
    let extra = json!({ "reason": reason, "status": SplitStatus::Skipped, "archive_id": "" });
    let provenance = Provenance { original: all, retained: all, ..Provenance::default() };
    Split {
        status: SplitStatus::Skipped,
        retained_items: items,
        archive_items: Vec::new(),
        metadata: record(policy, provenance, total, extra),
        events: Vec::new(),
    }
}

fn record(policy: &SplitPolicy, provenance: Provenance, total: usize, extra: Value) -> Object {
    let mut extra = json::into_object(extra);
    extra.insert("archive_pointer".into(), json!({ "destination": policy.pointer.destination }));
    extra.insert("total_markdown_bytes".into(), total.into());
    Conservation::new(policy.conservation, provenance).record(policy.to_object(), extra)
}

fn is_section(item: &Item) -> bool {
    item.kind() == SectionType::Section.word()
}

fn bytes(item: &Item) -> Result<usize> {
    pieces(item).map(|(heading_line, content)| heading_line.len() + content.len())
}

fn bytes_of(items: &[Item]) -> Result<usize> {
    items.iter().map(bytes).sum()
}

fn wire(items: &[Item]) -> Vec<Value> {
    items.iter().map(Item::to_value).collect()
}
