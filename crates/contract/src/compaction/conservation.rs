//! Counting bytes: did what was kept cover enough of what there was?

use serde::Serialize;
use serde_json::{Value, json};

use super::item::Item;
use crate::json::{self, Object};
use crate::message::{Content, Message};
use crate::{canonical, loose};

/// The keys of a policy that speak of conservation.
pub(super) const KEYS: [&str; 3] =
    ["conservation_enabled", "minimum_conserved_byte_ratio", "fail_on_conservation_failure"];

/// How much must be conserved, and what happens when less is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ConservationPolicy {
    /// Whether anything is required at all.
    pub enabled: bool,
    /// Never negative: the share of the original bytes that must be conserved.
    pub(super) minimum_ratio: f64,
    /// Whether falling short undoes the compaction.
    pub fail_closed: bool,
}

impl ConservationPolicy {
    /// Reads the conservation keys of any policy; what is absent or null takes its default.
    pub fn parse(policy: &Object) -> Self {
        let [enabled, ratio, fail_closed] = KEYS.map(|key| json::present(policy, key));
        Self {
            enabled: enabled.is_some_and(loose::flag),
            minimum_ratio: match ratio {
                Some(text @ Value::String(_)) => loose::number(text).unwrap_or_default(),
                Some(other) => loose::number(other).unwrap_or(1.0),
                None => 1.0,
            }
            .max(0.0),
            fail_closed: fail_closed.is_none_or(loose::flag),
        }
    }

    /// The policy with its conservation keys in normal form and every other key as it was.
    pub fn normalize(policy: &Object) -> Object {
        let mut normal = policy.clone();
        Self::parse(policy).write_into(&mut normal);
        normal
    }

    /// Writes the conservation keys into a policy's wire form.
    pub(super) fn write_into(self, policy: &mut Object) {
        let values = [json!(self.enabled), json!(self.minimum_ratio), json!(self.fail_closed)];
        policy.extend(KEYS.into_iter().map(str::to_owned).zip(values));
    }
}

/// How many items, and how many bytes they say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Stats {
    /// How many.
    pub item_count: usize,
    /// The bytes of what they say: text as UTF-8, anything else as compact JSON.
    pub byte_count: usize,
}

impl Stats {
    /// Counts items. An object with a `content` says that; anything else says itself.
    pub fn of(items: &[Value]) -> Self {
        Self::sum(items.iter().map(|item| match item.get("content").unwrap_or(item) {
            Value::String(text) => text.len(),
            other => canonical::compact(other).len(),
        }))
    }

    /// Counts messages by their content.
    pub fn of_messages(messages: &[Message]) -> Self {
        Self::sum(messages.iter().map(|message| content_bytes(&message.content)))
    }

    /// Counts items of ours by their content.
    pub(super) fn of_items<'a>(items: impl IntoIterator<Item = &'a Item>) -> Self {
        Self::sum(items.into_iter().map(|item| content_bytes(&item.content)))
    }

    fn sum(byte_counts: impl Iterator<Item = usize>) -> Self {
        byte_counts.fold(Self::default(), |sum, bytes| Self {
            item_count: sum.item_count + 1,
            byte_count: sum.byte_count + bytes,
        })
    }
}

/// Where the original went.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Provenance {
    /// What there was.
    pub original: Stats,
    /// What stands for the part that was shortened.
    pub compacted: Stats,
    /// What stayed as it was.
    pub retained: Stats,
    /// What was put elsewhere.
    pub archived: Stats,
}

/// The verdict: what was required, what was conserved.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Conservation {
    policy: ConservationPolicy,
    provenance: Provenance,
}

impl Conservation {
    /// Judges where the original went.
    pub fn new(policy: ConservationPolicy, provenance: Provenance) -> Self {
        Self { policy, provenance }
    }

    /// How many bytes must be conserved, rounded up.
    pub fn required_byte_count(&self) -> usize {
        (self.provenance.original.byte_count as f64 * self.policy.minimum_ratio).ceil() as usize
    }

    /// How many bytes were conserved, here or elsewhere.
    pub fn conserved_byte_count(&self) -> usize {
        let Provenance { compacted, retained, archived, .. } = self.provenance;
        compacted.byte_count + retained.byte_count + archived.byte_count
    }

    /// Whether enough was conserved, or nothing was required.
    pub fn passed(&self) -> bool {
        !self.policy.enabled || self.conserved_byte_count() >= self.required_byte_count()
    }

    /// Whether the compaction must not happen.
    pub fn failed_closed(&self) -> bool {
        self.policy.fail_closed && !self.passed()
    }

    /// Adds the record of this verdict to `extra`, whose keys of the same name are overwritten:
    /// `policy` as given with its conservation keys in normal form, `provenance`, `summarizer` and
    /// `conservation`.
    pub fn record(&self, policy: Object, extra: Object) -> Object {
        let said = |key| json::text(&policy, key).unwrap_or_default();
        let summarizer = json!({ "provider": said("summary_provider"), "model": said("summary_model") });
        let mut normal = policy;
        self.policy.write_into(&mut normal);
        let mut record = extra;
        record.insert("policy".into(), Value::Object(normal));
        record.insert("provenance".into(), json!(self.provenance));
        record.insert("summarizer".into(), summarizer);
        record.insert("conservation".into(), self.to_value());
        record
    }

    /// The wire form.
    pub fn to_value(&self) -> Value {
        let (original, conserved) = (self.provenance.original.byte_count, self.conserved_byte_count());
        let ratio = if original == 0 { 1.0 } else { conserved as f64 / original as f64 };
        json!({
            "enabled": self.policy.enabled,
            "minimum_conserved_byte_ratio": self.policy.minimum_ratio,
            "required_byte_count": self.required_byte_count(),
            "conserved_byte_count": conserved,
            "conserved_byte_ratio": ratio,
            "passed": self.passed(),
            "failed_closed": self.failed_closed(),
        })
    }
}

fn content_bytes(content: &Content) -> usize {
    match content {
        Content::Text(text) => text.len(),
        Content::Structured(value) => canonical::compact(value).len(),
    }
}

/// Whether a record says that its compaction must not happen; only a clear `true` does.
pub fn failed_closed(record: &Object) -> bool {
    let conservation = json::object(record, "conservation");
    conservation.and_then(|conservation| conservation.get("failed_closed")) == Some(&Value::Bool(true))
}
