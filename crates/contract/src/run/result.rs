//! The run-result envelope tasks, workflows and runtimes share: every field is there, and what has a
//! wrong type is empty. Reading one never fails.

use serde::Serialize;
use serde_json::{Value, json};
use strum::{EnumString, IntoStaticStr, VariantArray};

use crate::json::{self, Object};
use crate::{canonical, loose};

const SCHEMA: &str = "agents-api/run-result/v1";
const VERSION: u64 = 1;
const TIMESTAMPS: [&str; 3] = ["started_at", "ended_at", "updated_at"];
/// The fields of a reference that are texts.
const REF_TEXTS: [&str; 8] = ["type", "label", "id", "url", "path", "mime_type", "sha256", "description"];

/// How the work of an envelope stands; the wire words are the snake-case names, in the order listed here.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, EnumString, IntoStaticStr, VariantArray,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum ResultStatus {
    /// Not yet accepted.
    Pending,
    /// Accepted, not started.
    Queued,
    /// At work; also what an unknown word means.
    #[default]
    Running,
    /// Asked to stop.
    Cancelling,
    /// Stopped on request.
    Cancelled,
    /// Ended well.
    Succeeded,
    /// Ended badly.
    Failed,
    /// Left out on purpose.
    Skipped,
    /// Ended.
    Completed,
    /// Ended early.
    Incomplete,
    /// Waits for a person's decision.
    ApprovalRequired,
    /// Waits for a tool its client runs.
    RuntimeToolPending,
    /// Stopped by a budget.
    BudgetExceeded,
    /// No longer moved.
    Stalled,
    /// Stopped by a message from outside.
    Interrupted,
}

impl ResultStatus {
    /// Reads a status word, trimmed and in any case.
    pub fn parse(value: &Value) -> Self {
        loose::text(value).and_then(|word| word.to_lowercase().parse().ok()).unwrap_or_default()
    }
}

/// What came of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RunResult {
    /// The run; empty when it is not known.
    pub run_id: String,
    /// How it stands.
    pub status: ResultStatus,
    /// What it produced, by name.
    pub outputs: Object,
    /// The files and pages it made.
    pub artifact_refs: Vec<Object>,
    /// What shows that it did its work.
    pub evidence_refs: Vec<Object>,
    /// What it wrote down on the way.
    pub logs: Vec<Object>,
    /// What a repetition needs.
    pub replay: Object,
    /// Where it came from.
    pub provenance: Object,
    /// When it started, ended and was last changed, in its own words.
    pub timestamps: Object,
    /// What went wrong.
    pub error: Object,
    /// Who stopped it, and why.
    pub cancellation: Object,
    /// What its owner remembers beside it.
    pub metadata: Object,
}

impl RunResult {
    /// Reads an envelope; anything but an object is an empty one.
    pub fn parse(value: &Value) -> Self {
        let Some(raw) = value.as_object() else { return Self::default() };
        let field = |key| json::get(raw, key).unwrap_or(&Value::Null);
        let map = |key| json::object_or_empty(raw, key);
        let outputs = json::present(raw, "outputs").or_else(|| json::get(raw, "output"));
        Self {
            run_id: run_id(field("run_id")),
            status: ResultStatus::parse(field("status")),
            outputs: outputs.and_then(Value::as_object).cloned().unwrap_or_default(),
            artifact_refs: artifact_refs(field("artifact_refs")),
            evidence_refs: artifact_refs(field("evidence_refs")),
            logs: objects(field("logs")).filter(|log| !log.is_empty()).cloned().collect(),
            replay: map("replay"),
            provenance: map("provenance"),
            timestamps: timestamps(raw),
            error: map("error"),
            cancellation: map("cancellation"),
            metadata: map("metadata"),
        }
    }

    /// The wire form.
    pub fn to_value(&self) -> Value {
        json!({
            "schema": SCHEMA,
            "version": VERSION,
            "run_id": self.run_id,
            "status": self.status,
            "outputs": self.outputs,
            "artifact_refs": self.artifact_refs,
            "evidence_refs": self.evidence_refs,
            "logs": self.logs,
            "replay": self.replay,
            "provenance": self.provenance,
            "timestamps": self.timestamps,
            "error": self.error,
            "cancellation": self.cancellation,
            "metadata": self.metadata,
        })
    }
}

/// Reads references: objects whose well-known fields are trimmed texts. A blank or structured
/// one of those is removed, a null stays, and an entry left with nothing is dropped.
pub fn artifact_refs(value: &Value) -> Vec<Object> {
    objects(value).map(artifact_ref).filter(|entry| !entry.is_empty()).collect()
}

fn artifact_ref(raw: &Object) -> Object {
    let kept = raw.iter().filter_map(|(key, value)| {
        let plain = value.is_null() || !REF_TEXTS.contains(&key.as_str());
        let value = if plain { value.clone() } else { Value::String(loose::text(value)?) };
        Some((key.clone(), value))
    });
    kept.collect()
}

/// The objects of a list, or of an object's values.
fn objects(value: &Value) -> impl Iterator<Item = &Object> {
    json::entries(value).into_iter().filter_map(Value::as_object)
}

/// An id is taken to the letter; only a number becomes text.
fn run_id(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Number(_) => canonical::compact(value),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => String::new(),
    }
}

/// What `timestamps` does not have may stand beside it.
fn timestamps(raw: &Object) -> Object {
    let own = json::object(raw, "timestamps");
    let stamp = |key: &str| {
        let value = own.and_then(|own| json::present(own, key)).or_else(|| json::get(raw, key))?;
        Some((key.to_owned(), Value::String(loose::text(value)?)))
    };
    TIMESTAMPS.into_iter().filter_map(stamp).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_under_keys_count_like_those_of_a_list() {
        let refs = artifact_refs(&json!({"report": {"type": " file "}, "note": "dropped"}));
        assert_eq!(refs, artifact_refs(&json!([{"type": "file"}, "dropped"])));
        assert_eq!(refs.len(), 1);
    }
}
