//! A clock that tells who sleeps until when.

use provost_runtime::port::{Boxed, Clock};
use provost_runtime::system::ManualClock;
use tokio::sync::watch;

pub(crate) struct WatchedClock {
    clock: ManualClock,
    sleepers: watch::Sender<Vec<i64>>,
}

impl WatchedClock {
    pub(crate) fn new() -> Self {
        Self { clock: ManualClock::at(0), sleepers: watch::Sender::new(Vec::new()) }
    }

    /// Waits until somebody sleeps until a moment in this range, and makes it that moment.
    pub(crate) async fn wake_sleeper(&self, until_ms: std::ops::RangeInclusive<i64>) -> i64 {
        let mut sleepers = self.sleepers.subscribe();
        let awaited = |sleepers: &Vec<i64>| sleepers.iter().any(|at_ms| until_ms.contains(at_ms));
        let found = sleepers.wait_for(awaited).await.unwrap();
        let at_ms = found.iter().copied().find(|at_ms| until_ms.contains(at_ms)).unwrap();
        drop(found);
        self.clock.set(at_ms);
        at_ms
    }
}

impl Clock for WatchedClock {
    fn now_ms(&self) -> i64 {
        self.clock.now_ms()
    }

    fn sleep_until(&self, at_ms: i64) -> Boxed<'static, ()> {
        self.sleepers.send_modify(|sleepers| sleepers.push(at_ms));
        self.clock.sleep_until(at_ms)
    }
}
