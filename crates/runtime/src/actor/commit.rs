//! Committing a batch of events, and what the actor does when the store refuses or fails.

use std::sync::Arc;

use provost_engine::Commit;

use super::patience::{Outage as _, Pauses};
use super::run::ActorError;
use crate::port::Advice;
use crate::store::{CommitError, Store};

/// What came of a commit.
#[derive(Debug)]
pub(super) enum Committed {
    /// It is durable.
    Done,
    /// The state is not the store's: it is folded again, and the same inputs are reacted to.
    Reload,
}

/// Sends a commit until the store says what became of it. `Busy` and a store that went away are not ends:
/// the same commit is sent again, and the store recognises one that it has.
///
/// # Errors
/// If the run belongs to another worker, or the store cannot take the commit at all.
pub(super) async fn send(store: &dyn Store, commit: Arc<Commit>) -> Result<Committed, ActorError> {
    let mut pauses = Pauses::new();
    loop {
        let error = match store.commit(commit.clone()).await {
            Ok(_) => return Ok(Committed::Done),
            Err(error) => error,
        };
        match error.advice() {
            Advice::LetGo => return Err(ActorError::Fenced),
            Advice::Reload => return Ok(Committed::Reload),
            Advice::RetryLater | Advice::ReadTail => {}
            Advice::Stop if is_outage(&error) => {}
            Advice::Stop => return Err(ActorError::Commit(Box::new(error))),
        }
        pauses.pause().await;
    }
}

/// Whether the storage itself is away or full: it may come back, and the run is not at fault.
fn is_outage(error: &CommitError) -> bool {
    matches!(error, CommitError::Storage(fault) if fault.is_outage())
}
