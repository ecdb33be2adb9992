//! The lock, the persister and the watcher of a scripted host.

use std::sync::Arc;

use provost_runtime::port::{
    Boxed, EventSink, FinishedRun, HostError, LockError, Observed, Persister, SessionLock,
};
use serde_json::json;

use super::Script;

/// Locks as one word says: `available`, `contended`, `empty_token` or `release_throws`.
pub(crate) struct ScriptedLock {
    pub(crate) word: String,
    pub(crate) script: Script,
}

impl SessionLock for ScriptedLock {
    fn acquire<'a>(
        &'a self,
        session: &'a str,
        _run: &'a str,
        ttl_seconds: u64,
    ) -> Boxed<'a, Result<String, LockError>> {
        self.script.note(json!({ "op": "acquire", "session_id": session, "ttl_seconds": ttl_seconds }));
        let token = match self.word.as_str() {
            "contended" => Err(LockError::Contended),
            "empty_token" => Ok(String::new()),
            _ => Ok("token-1".to_owned()),
        };
        Box::pin(async move { token })
    }

    fn reclaim<'a>(
        &'a self,
        _session: &'a str,
        _run: &'a str,
        _ttl_seconds: u64,
    ) -> Boxed<'a, Result<Option<String>, HostError>> {
        Box::pin(async { Ok(None) })
    }

    fn release<'a>(&'a self, session: &'a str, token: &'a str) -> Boxed<'a, Result<(), HostError>> {
        self.script.note(json!({ "op": "release", "session_id": session, "token": token }));
        let released =
            if self.word == "release_throws" { Err(HostError("release".to_owned())) } else { Ok(()) };
        Box::pin(async move { released })
    }
}

/// Remembers the result it was given, and how much its watcher had been told by then.
pub(crate) struct ScriptedPersister {
    pub(crate) throws: bool,
    pub(crate) script: Script,
    pub(crate) results: Script,
    pub(crate) sink: Arc<ScriptedSink>,
}

impl Persister for ScriptedPersister {
    fn persist<'a>(&'a self, run: FinishedRun<'a>) -> Boxed<'a, Result<(), HostError>> {
        let field = |key: &str| run.result.get(key).cloned().unwrap_or_default();
        self.script.note(json!({
            "message_count": field("messages").as_array().map(Vec::len),
            "status": field("status"),
            "completed": field("completed"),
            "request_message_count": run.messages.len(),
            "request_max_turns": run.max_turns,
            "events_emitted_before": self.sink.events.asked().len(),
        }));
        self.results.note(run.result.clone());
        let kept = if self.throws { Err(HostError("persister".to_owned())) } else { Ok(()) };
        Box::pin(async move { kept })
    }
}

/// Remembers what it was told.
#[derive(Default)]
pub(crate) struct ScriptedSink {
    pub(crate) throws: bool,
    pub(crate) events: Script,
}

impl EventSink for ScriptedSink {
    fn emit(&self, observed: &Observed) -> Result<(), HostError> {
        self.events.note(observed.to_value());
        if self.throws { Err(HostError("observer".to_owned())) } else { Ok(()) }
    }
}
