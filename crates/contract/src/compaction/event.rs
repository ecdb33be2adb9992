//! What a compaction tells those who watch it.

use serde::Serialize;
use serde_json::{Value, json};
use strum::IntoStaticStr;

use crate::json::Object;

/// The steps of a compaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, IntoStaticStr)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum EventType {
    /// A summary was asked for.
    CompactionStarted,
    /// The summary stands in the transcript.
    CompactionCompleted,
    /// There is no usable summary; the transcript is as it was.
    CompactionFailed,
    /// An input too large to summarise was archived.
    CompactionOverflowArchived,
}

/// One step, and what is known about it.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// Which step.
    pub kind: EventType,
    /// What is known: policy, counts, boundary and, at the end, provenance and conservation.
    pub metadata: Object,
}

impl Event {
    /// The wire form.
    pub fn to_value(&self) -> Value {
        json!({ "type": self.kind, "metadata": self.metadata })
    }
}
