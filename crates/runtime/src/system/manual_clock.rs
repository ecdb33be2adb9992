//! A clock that moves when it is told to.

use tokio::sync::watch;

use crate::port::{Boxed, Clock};

/// Time under the control of a test, a replay or a simulation.
pub struct ManualClock {
    now_ms: watch::Sender<i64>,
}

impl ManualClock {
    /// A clock that stands at a time.
    pub fn at(now_ms: i64) -> Self {
        Self { now_ms: watch::Sender::new(now_ms) }
    }

    /// Sets the time and wakes whoever waited for it.
    pub fn set(&self, now_ms: i64) {
        self.now_ms.send_replace(now_ms);
    }

    /// Moves the time on and wakes whoever waited for it.
    pub fn advance(&self, by_ms: i64) {
        self.now_ms.send_modify(|now_ms| *now_ms = now_ms.saturating_add(by_ms));
    }
}

impl Clock for ManualClock {
    fn now_ms(&self) -> i64 {
        *self.now_ms.borrow()
    }

    fn sleep_until(&self, at_ms: i64) -> Boxed<'static, ()> {
        let mut now_ms = self.now_ms.subscribe();
        Box::pin(async move {
            if now_ms.wait_for(|now_ms| *now_ms >= at_ms).await.is_err() {
                // The clock is gone, so that time never comes.
                std::future::pending::<()>().await;
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use std::task::{Context, Waker};

    use super::*;

    #[tokio::test]
    async fn a_sleeper_wakes_when_its_time_comes_and_not_before() {
        let clock = ManualClock::at(1_000);
        clock.sleep_until(1_000).await;
        let mut sleeper = clock.sleep_until(2_000);
        let mut is_done = || sleeper.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_ready();
        assert!(!is_done());
        clock.advance(999);
        assert!(!is_done());
        clock.advance(1);
        assert!(is_done());
    }
}
