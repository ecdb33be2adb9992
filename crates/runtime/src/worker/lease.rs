//! Holding on to a claim while work goes on.

use crate::port::{Claim, Claims, Clock, RenewError};

/// How a claim is held.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lease {
    /// How long it holds without a sign of life.
    pub(super) ms: i64,
}

impl Lease {
    /// Thrice a lease a sign of life is due, so that one that is late does no harm.
    const BEATS: i64 = 3;

    /// Prolongs a claim again and again; resolves when it cannot be prolonged any more.
    pub(super) async fn hold(self, claims: &dyn Claims, clock: &dyn Clock, mut claim: Claim) -> RenewError {
        loop {
            clock.sleep_until(clock.now_ms().saturating_add((self.ms / Self::BEATS).max(1))).await;
            match claims.renew(&claim, self.ms, clock.now_ms()).await {
                Ok(renewed) => claim = renewed,
                Err(error) => return error,
            }
        }
    }
}
