//! The clock.

use super::Boxed;

/// Wall time, in milliseconds since 1970 UTC. It may be set back by its owner; nothing here relies on it for order.
pub trait Clock: Send + Sync {
    /// The time now.
    fn now_ms(&self) -> i64;

    /// Resolves once the time is `at_ms` or later.
    ///
    /// # Cancel safety
    /// Dropping it loses nothing.
    fn sleep_until(&self, at_ms: i64) -> Boxed<'static, ()>;
}
