//! Removing orphans, and the event that tells of it.

use serde_json::{Value, json};

use super::{Entry, Orphan, validate};

/// A transcript without orphans, and what had to go.
#[derive(Clone, Debug, PartialEq)]
pub struct Pruned<E> {
    /// The surviving entries, exactly as they were given.
    pub messages: Vec<E>,
    /// The orphans, by their position in the given transcript.
    pub removed: Vec<Orphan>,
}

/// Removes every orphan. What remains is paired; pruning it again changes nothing.
pub fn prune<E: Entry>(mut transcript: Vec<E>) -> Result<Pruned<E>, E::Refusal> {
    let removed = validate(&transcript)?;
    let mut orphans = removed.iter().map(|orphan| orphan.index).peekable();
    let mut index = 0;
    transcript.retain(|_| {
        let is_orphan = orphans.next_if_eq(&index).is_some();
        index += 1;
        !is_orphan
    });
    Ok(Pruned { messages: transcript, removed })
}

impl<E> Pruned<E> {
    /// The lifecycle event `{type, metadata}`: the transcript was found whole, or was pruned.
    pub fn event(&self) -> Value {
        let retained = self.messages.len();
        let total = retained + self.removed.len();
        if self.removed.is_empty() {
            return json!({
                "type": "tool_pair_validated",
                "metadata": { "total_messages": total, "orphan_count": 0 },
            });
        }
        let orphans: Vec<Value> = self.removed.iter().map(Orphan::to_value).collect();
        let indices: Vec<usize> = self.removed.iter().map(|orphan| orphan.index).collect();
        json!({
            "type": "tool_pair_pruned",
            "metadata": {
                "total_messages": total,
                "orphan_count": orphans.len(),
                "retained_count": retained,
                "removed_indices": indices,
                "orphans": orphans,
            },
        })
    }
}
