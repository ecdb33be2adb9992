//! When a transcript is shortened, what is kept of it, and how the rest is spoken of.

use serde_json::{Value, json};

use super::conservation::{self, ConservationPolicy};
use crate::json::{self, Object};
use crate::loose;

const SUMMARY_PREFIX: &str = "Earlier conversation summary:";
const STUB_PREFIX: &str = "Earlier conversation archived without summarization.";
const KEYS: [&str; 15] = [
    "enabled",
    "max_messages",
    "recent_messages",
    "summary_role",
    "summary_prefix",
    "summary_model",
    "summary_provider",
    "preserve_tool_boundaries",
    "overflow_archive_enabled",
    "overflow_threshold_bytes",
    "overflow_retained_messages",
    "overflow_retained_bytes",
    "overflow_archive_pointer",
    "overflow_stub_role",
    "overflow_stub_prefix",
];

/// How a transcript is compacted.
#[derive(Clone, Debug, PartialEq)]
pub struct Policy {
    /// Whether a transcript that grew too long is summarised.
    pub enabled: bool,
    /// At least 1: a longer transcript is summarised.
    max_messages: usize,
    /// At least 1, and less than `max_messages` unless that is 1: the newest messages, which stay.
    recent_messages: usize,
    /// Never blank.
    summary_role: String,
    summary_prefix: String,
    summary_model: String,
    summary_provider: String,
    /// Whether a tool's answer stays with its call.
    pub preserve_tool_boundaries: bool,
    /// What a summary must conserve.
    pub conservation: ConservationPolicy,
    /// What happens to an input too large to summarise.
    pub overflow: OverflowPolicy,
    /// Keys we do not know, kept for their owner.
    extra: Object,
}

/// How an input too large to summarise is archived.
#[derive(Clone, Debug, PartialEq)]
pub struct OverflowPolicy {
    /// Whether such an input is archived.
    pub enabled: bool,
    /// The size of the input, as compact JSON, above which it is archived; 0 means never.
    pub threshold_bytes: usize,
    /// How many of the newest messages stay; 0 means as many as after a summary.
    pub retained_messages: usize,
    /// How large what stays may be; 0 means any size.
    pub retained_bytes: usize,
    /// A list or object that tells a reader where the archive is.
    archive_pointer: Value,
    /// Never blank.
    stub_role: String,
    stub_prefix: String,
}

impl Default for Policy {
    fn default() -> Self {
        Self::parse(&Object::new())
    }
}

impl Policy {
    /// Reads a policy. An absent key takes its default; a key that is there but makes no sense counts
    /// as off, as zero, or as the default text.
    pub fn parse(raw: &Object) -> Self {
        let max_messages = count(raw, "max_messages", 40).max(1);
        let recent_messages = count(raw, "recent_messages", 12).max(1);
        Self {
            enabled: flag(raw, "enabled", false),
            max_messages,
            recent_messages: recent_messages.min((max_messages - 1).max(1)),
            summary_role: text(raw, "summary_role", "system"),
            summary_prefix: text(raw, "summary_prefix", SUMMARY_PREFIX),
            summary_model: text(raw, "summary_model", ""),
            summary_provider: text(raw, "summary_provider", ""),
            preserve_tool_boundaries: flag(raw, "preserve_tool_boundaries", true),
            conservation: ConservationPolicy {
                enabled: flag(raw, "conservation_enabled", false),
                minimum_ratio: ratio(raw, "minimum_conserved_byte_ratio"),
                fail_closed: flag(raw, "fail_on_conservation_failure", true),
            },
            overflow: OverflowPolicy::parse(raw),
            extra: json::without(raw, &[&KEYS[..], &conservation::KEYS].concat()),
        }
    }

    /// The length above which a transcript is summarised.
    pub fn max_messages(&self) -> usize {
        self.max_messages
    }

    /// How many of the newest messages stay.
    pub fn recent_messages(&self) -> usize {
        self.recent_messages
    }

    /// Who speaks the summary.
    pub fn summary_role(&self) -> &str {
        &self.summary_role
    }

    /// What stands before the summary.
    pub fn summary_prefix(&self) -> &str {
        &self.summary_prefix
    }

    /// Which model makes the summary; empty when the caller decides.
    pub fn summary_model(&self) -> &str {
        &self.summary_model
    }

    /// Whose model makes the summary; empty when the caller decides.
    pub fn summary_provider(&self) -> &str {
        &self.summary_provider
    }

    /// The wire form.
    pub fn to_object(&self) -> Object {
        let mut wire = Object::new();
        let overflow = &self.overflow;
        let values = [
            json!(self.enabled),
            json!(self.max_messages),
            json!(self.recent_messages),
            json!(self.summary_role),
            json!(self.summary_prefix),
            json!(self.summary_model),
            json!(self.summary_provider),
            json!(self.preserve_tool_boundaries),
            json!(overflow.enabled),
            json!(overflow.threshold_bytes),
            json!(overflow.retained_messages),
            json!(overflow.retained_bytes),
            overflow.archive_pointer.clone(),
            json!(overflow.stub_role),
            json!(overflow.stub_prefix),
        ];
        wire.extend(KEYS.into_iter().map(str::to_owned).zip(values));
        self.conservation.write_into(&mut wire);
        wire.extend(self.extra.clone());
        wire
    }
}

impl OverflowPolicy {
    fn parse(raw: &Object) -> Self {
        Self {
            enabled: flag(raw, "overflow_archive_enabled", false),
            threshold_bytes: count(raw, "overflow_threshold_bytes", 0),
            retained_messages: count(raw, "overflow_retained_messages", 0),
            retained_bytes: count(raw, "overflow_retained_bytes", 0),
            archive_pointer: json::container_or_empty(raw.get("overflow_archive_pointer")),
            stub_role: text(raw, "overflow_stub_role", "system"),
            stub_prefix: text(raw, "overflow_stub_prefix", STUB_PREFIX),
        }
    }

    /// Where the archive is, in its keeper's words.
    pub fn archive_pointer(&self) -> &Value {
        &self.archive_pointer
    }

    /// Who speaks the stub that stands for the archive.
    pub fn stub_role(&self) -> &str {
        &self.stub_role
    }

    /// How the stub begins.
    pub fn stub_prefix(&self) -> &str {
        &self.stub_prefix
    }
}

fn flag(raw: &Object, key: &str, default: bool) -> bool {
    raw.get(key).map_or(default, loose::flag)
}

fn count(raw: &Object, key: &str, default: usize) -> usize {
    raw.get(key).map_or(default, |value| loose::count(value).unwrap_or_default())
}

fn ratio(raw: &Object, key: &str) -> f64 {
    raw.get(key).map_or(1.0, |value| loose::number(value).unwrap_or_default().max(0.0))
}

fn text(raw: &Object, key: &str, default: &str) -> String {
    json::trimmed_text(raw, key).unwrap_or(default).to_owned()
}
