//! A clock that goes with tokio's: where a test pauses time, both stand still.

use std::time::Duration;

use tokio::time::Instant;

use crate::port::{Boxed, Clock};

/// Wall time that begins at a given moment and moves with tokio's clock.
#[derive(Clone, Copy, Debug)]
pub struct TokioClock {
    began: Instant,
    began_ms: i64,
}

impl TokioClock {
    /// Returns a clock that shows `began_ms` now.
    pub fn starting_at(began_ms: i64) -> Self {
        Self { began: Instant::now(), began_ms }
    }
}

impl Clock for TokioClock {
    fn now_ms(&self) -> i64 {
        let since = i64::try_from(self.began.elapsed().as_millis()).unwrap_or(i64::MAX);
        self.began_ms.saturating_add(since)
    }

    fn sleep_until(&self, at_ms: i64) -> Boxed<'static, ()> {
        let left = u64::try_from(at_ms.saturating_sub(self.began_ms)).unwrap_or_default();
        Box::pin(tokio::time::sleep_until(self.began + Duration::from_millis(left)))
    }
}
