//! The machine's clock.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::port::{Boxed, Clock};

/// The time of the machine.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

/// The machine's clock may be set while we sleep, so a long sleep looks at it now and then.
const LOOK_AGAIN_MS: u64 = 30_000;

impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "this is the adapter that owns the machine's clock")]
    fn now_ms(&self) -> i64 {
        let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        i64::try_from(since_1970.as_millis()).unwrap_or(i64::MAX)
    }

    fn sleep_until(&self, at_ms: i64) -> Boxed<'static, ()> {
        let clock = *self;
        Box::pin(async move {
            while let Ok(left_ms @ 1..) = u64::try_from(at_ms.saturating_sub(clock.now_ms())) {
                tokio::time::sleep(Duration::from_millis(left_ms.min(LOOK_AGAIN_MS))).await;
            }
        })
    }
}
