//! The session of a run at work: it stays the run's while a turn lasts, and is not written once it is not.

use std::convert::Infallible;
use std::sync::atomic::Ordering;

use super::Run;
use crate::engine::SessionSpec;
use crate::port::SessionLock;

impl Run<'_> {
    /// When the lock is prolonged: a third of it is over.
    pub(super) fn prolonged_at_ms(&self, session: &SessionSpec) -> i64 {
        self.locked_at_ms.load(Ordering::Relaxed).saturating_add(ttl_ms(session) / 3)
    }

    /// Prolongs the lock again and again. One that is lost is not fought for: the next turn sees it.
    ///
    /// # Cancel safety
    /// Dropping it loses nothing.
    pub(super) async fn keep_session(&self) -> Infallible {
        if let (Some(lock), Some(session)) = (&self.host.lock, &self.state.spec.session) {
            loop {
                self.host.clock.sleep_until(self.prolonged_at_ms(session)).await;
                if !self.prolong(&**lock, session).await {
                    break;
                }
            }
        }
        std::future::pending().await
    }

    /// Whether nobody else can have taken the session meanwhile; who was silent for longer than the lock
    /// lasts asks.
    pub(super) async fn still_holds_session(&self) -> bool {
        let (Some(lock), Some(session), true) =
            (&self.host.lock, &self.state.spec.session, self.token.is_some())
        else {
            return true;
        };
        let lapses_at_ms = self.locked_at_ms.load(Ordering::Relaxed).saturating_add(ttl_ms(session));
        self.host.clock.now_ms() < lapses_at_ms || self.prolong(&**lock, session).await
    }

    async fn prolong(&self, lock: &dyn SessionLock, session: &SessionSpec) -> bool {
        let now_ms = self.host.clock.now_ms();
        let taken = lock.acquire(&session.id, &self.state.spec.run, session.lock_ttl_seconds).await;
        let held = taken.is_ok_and(|token| !token.is_empty());
        if held {
            self.locked_at_ms.store(now_ms, Ordering::Relaxed);
        }
        held
    }
}

fn ttl_ms(session: &SessionSpec) -> i64 {
    i64::try_from(session.lock_ttl_seconds).unwrap_or(i64::MAX).saturating_mul(1_000)
}
