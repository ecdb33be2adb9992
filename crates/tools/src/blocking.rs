//! Blocking work on a thread of its own, which learns when its caller no longer waits.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::Refusal;

/// Says whether the work should stop.
#[derive(Clone, Debug, Default)]
pub(crate) struct Stop(Arc<AtomicBool>);

/// The caller does not wait for the result any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the caller does not wait for the result any more")]
pub(crate) struct Stopped;

impl Stop {
    /// Returns a token that is cancelled from the start.
    #[cfg(test)]
    pub(crate) fn stopped() -> Self {
        Self(Arc::new(AtomicBool::new(true)))
    }

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

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    /// Works until it is told to stop, and tells that it was.
    fn endless(told: &mpsc::Sender<Stopped>) -> impl FnOnce(&Stop) -> Result<(), Refusal> + Send + 'static {
        let told = told.clone();
        move |stop| {
            let stopped = loop {
                if let Err(stopped) = stop.check() {
                    break stopped;
                }
                std::thread::yield_now();
            };
            told.send(stopped).unwrap();
            Ok(())
        }
    }

    #[tokio::test]
    async fn work_stops_when_its_time_is_up_or_nobody_waits() {
        let (told, stopped) = mpsc::channel();
        let late = run(Duration::from_millis(1), endless(&told)).await.unwrap_err();
        assert_eq!((late.code(), stopped.recv()), ("timed_out", Ok(Stopped)));
        let mut work = Box::pin(run(Duration::from_secs(600), endless(&told)));
        let started = std::future::poll_fn(|context| {
            assert!(work.as_mut().poll(context).is_pending());
            std::task::Poll::Ready(())
        });
        started.await;
        drop(work);
        assert_eq!(stopped.recv(), Ok(Stopped));
    }
}
