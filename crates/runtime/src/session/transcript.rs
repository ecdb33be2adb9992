//! The transcript of a stored session.

use std::sync::Arc;

use provost_contract::session::{Continuation, SessionUpdate};

use crate::port::{Boxed, Clock, Fault, FinishedRun, HostError, Persister, Sessions};

/// Writes the transcript of a finished run into its session. Asked again about the same run it writes
/// the same, so a run that died after its end can be kept by whoever goes on with it.
pub struct StoredTranscript {
    pub sessions: Arc<dyn Sessions>,
    pub clock: Arc<dyn Clock>,
}

impl Persister for StoredTranscript {
    fn persist<'a>(&'a self, run: FinishedRun<'a>) -> Boxed<'a, Result<(), HostError>> {
        Box::pin(async move {
            let Some(session_id) = run.session else { return Ok(()) };
            let unknown = || HostError(format!("there is no session {session_id}"));
            let stored = self.sessions.get(session_id).await.map_err(failed)?.ok_or_else(unknown)?;
            let update = SessionUpdate {
                messages: run.messages.iter().map(|message| message.to_value()).collect(),
                // An update replaces them; they are the owner's, not the run's.
                metadata: stored.metadata,
                provider: String::new(),
                model: String::new(),
                continuation: Continuation::Keep,
            };
            let now = self.clock.now_ms().div_euclid(1_000);
            match self.sessions.update(session_id, update, now).await.map_err(failed)? {
                true => Ok(()),
                false => Err(unknown()),
            }
        })
    }
}

fn failed(fault: Fault) -> HostError {
    HostError(fault.to_string())
}
