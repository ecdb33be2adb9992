//! A future, or the end of its time.

use provost_runtime::port::Clock;

use crate::{Fault, FaultKind};

/// A moment by which something must have happened.
pub(super) struct Deadline<'a> {
    clock: &'a dyn Clock,
    at_ms: i64,
    /// What to say when it passes.
    late: String,
}

impl<'a> Deadline<'a> {
    pub(super) fn in_ms(clock: &'a dyn Clock, ms: u64, what: &str) -> Self {
        let at_ms = clock.now_ms().saturating_add(i64::try_from(ms).unwrap_or(i64::MAX));
        Self { clock, at_ms, late: format!("{what} within {ms} ms") }
    }

    /// The output of the future, unless the deadline comes first. Dropping the future ends it.
    pub(super) async fn keep<T>(&self, work: impl Future<Output = Result<T, Fault>>) -> Result<T, Fault> {
        tokio::select! {
            biased; // What is there in time counts, even when both are ready.
            done = work => done,
            () = self.clock.sleep_until(self.at_ms) => Err(Fault::new(FaultKind::TimedOut, &*self.late)),
        }
    }
}
