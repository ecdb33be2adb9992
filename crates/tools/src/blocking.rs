//! Blocking work on a thread of its own, which learns when nobody waits for it any more.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::Refusal;

/// Says whether the work should stop.
#[derive(Clone, Debug, Default)]
pub(crate) struct Stop(Arc<AtomicBool>);

/// Nobody waits for the result any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("nobody waits for it any more")]
pub(crate) struct Stopped;

impl Stop {
    /// Asked before each step that costs much or changes something.
    pub(crate) fn check(&self) -> Result<(), Stopped> {
        if self.0.load(Ordering::Relaxed) { Err(Stopped) } else { Ok(()) }
    }
}

/// Stops the work when the future that waits for it goes away.
struct StopOnDrop(Stop);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.0.store(true, Ordering::Relaxed);
    }
}

/// Runs blocking work.
///
/// # Cancel safety
/// The work is told to stop and does so at its next step.
pub(crate) async fn run<T: Send + 'static>(
    limit: Duration,
    work: impl FnOnce(&Stop) -> Result<T, Refusal> + Send + 'static,
) -> Result<T, Refusal> {
    let stop = Stop::default();
    let _stops = StopOnDrop(stop.clone());
    let task = tokio::task::spawn_blocking(move || work(&stop));
    match tokio::time::timeout(limit, task).await {
        Ok(Ok(done)) => done,
        Ok(Err(crash)) => Err(Refusal::new("crashed", format!("the tool crashed: {crash}"))),
        Err(_) => Err(Refusal::new("timed_out", format!("was not done within {} ms", limit.as_millis()))),
    }
}
