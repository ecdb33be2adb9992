//! What only this process knows of its runs: secrets, and words that records do not have.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use provost_contract::json::Object;
use provost_engine::RunId;
use serde_json::Value;

use crate::port::TurnCache;

/// What this process knows of a run beside its journal. After a restart it is gone, and what records have
/// stands in.
#[derive(Clone, Debug, Default)]
pub(super) struct Memory {
    /// The caller's context with its secrets.
    pub(super) context: Option<Arc<Object>>,
    /// The calls of the last turn as the model wrote them, by label.
    pub(super) written: HashMap<String, Object>,
    /// Results of calls that the host carried out itself and reported.
    pub(super) reported: Vec<Value>,
    /// What the model left for the next turn.
    pub(super) cache: TurnCache,
}

/// The memories of all runs.
#[derive(Debug, Default)]
pub(super) struct Memories(Mutex<HashMap<RunId, Memory>>);

impl Memories {
    /// Reads or changes what is known of a run.
    pub(super) fn of<T>(&self, run: &RunId, f: impl FnOnce(&mut Memory) -> T) -> T {
        let mut memories = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        f(memories.entry(run.clone()).or_default())
    }

    /// Drops what records stand in for: the calls of the last turn, and what the model left for its next one, which may
    /// be as long as the transcript. The caller's secrets and the results that a host reported are nowhere else.
    pub(super) fn unload(&self, run: &RunId) {
        let mut memories = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(memory) = memories.get_mut(run) {
            memory.cache = TurnCache::default();
            memory.written = HashMap::new();
        }
    }

    pub(super) fn forget(&self, run: &RunId) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(run);
    }
}
