//! The lock, the persister and the watcher of a scripted host.

use std::sync::Arc;

use serde_json::{Value, json};

use super::Script;

/// Locks as one word says: `available`, `contended`, `empty_token` or `release_throws`.
pub(crate) struct ScriptedLock {
    pub(crate) word: String,
    pub(crate) script: Script,
}

impl ScriptedLock {
    /// The token of the lock; none when it cannot be had.
    pub(super) fn acquire(&self, session: &str, ttl_seconds: i64) -> Option<String> {
        self.script.note(json!({ "op": "acquire", "session_id": session, "ttl_seconds": ttl_seconds }));
        match self.word.as_str() {
            "contended" | "empty_token" => None,
            _ => Some("token-1".to_owned()),
        }
    }

    /// Lets go. Whether that fails changes nothing.
    pub(super) fn release(&self, session: &str, token: &str) {
        self.script.note(json!({ "op": "release", "session_id": session, "token": token }));
    }
}

/// Remembers the result it was given, and how much its watcher had been told by then. Whether it fails changes
/// nothing.
pub(crate) struct ScriptedPersister {
    pub(crate) script: Script,
    pub(crate) results: Script,
    pub(crate) sink: Arc<ScriptedSink>,
}

impl ScriptedPersister {
    pub(super) fn persist(&self, max_turns: u32, result: &Value) {
        let field = |key: &str| result.get(key).cloned().unwrap_or_default();
        let messages = field("messages").as_array().map(Vec::len);
        self.script.note(json!({
            "message_count": messages,
            "status": field("status"),
            "completed": field("completed"),
            "request_message_count": messages,
            "request_max_turns": max_turns,
            "events_emitted_before": self.sink.events.asked().len(),
        }));
        self.results.note(result.clone());
    }
}

/// Remembers what it was told. Whether it fails changes nothing.
#[derive(Default)]
pub(crate) struct ScriptedSink {
    pub(crate) events: Script,
}
