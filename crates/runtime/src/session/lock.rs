//! The lock of a stored session.

use std::sync::Arc;

use provost_contract::canonical;

use crate::port::{Boxed, Clock, HostError, LockError, SessionLock, Sessions};

/// Locks stored sessions, each under a token made of its holder's name.
///
/// Whoever writes a run holds its claim, so two writers of one run cannot ask at once: a run that died
/// and goes on takes its own lock again, and no other run gets it meanwhile.
pub struct StoredLock {
    pub sessions: Arc<dyn Sessions>,
    pub clock: Arc<dyn Clock>,
}

impl SessionLock for StoredLock {
    fn acquire<'a>(
        &'a self,
        session: &'a str,
        run: &'a str,
        ttl_seconds: u64,
    ) -> Boxed<'a, Result<String, LockError>> {
        Box::pin(async move {
            let token = token_of(run);
            let ttl_ms = i64::try_from(ttl_seconds).unwrap_or(i64::MAX).saturating_mul(1_000);
            let taken = self.sessions.acquire_lock(session, &token, ttl_ms, self.clock.now_ms()).await;
            match taken.map_err(|fault| HostError(fault.to_string()))? {
                true => Ok(token),
                false => Err(LockError::Contended),
            }
        })
    }

    fn reclaim<'a>(
        &'a self,
        session: &'a str,
        run: &'a str,
        ttl_seconds: u64,
    ) -> Boxed<'a, Result<Option<String>, HostError>> {
        Box::pin(async move {
            let last = self.sessions.lock_token(session).await;
            if last.map_err(|fault| HostError(fault.to_string()))? != Some(token_of(run)) {
                return Ok(None);
            }
            match self.acquire(session, run, ttl_seconds).await {
                Ok(token) => Ok(Some(token)),
                Err(LockError::Contended) => Ok(None),
                Err(LockError::Failed(error)) => Err(error),
            }
        })
    }

    fn release<'a>(&'a self, session: &'a str, token: &'a str) -> Boxed<'a, Result<(), HostError>> {
        Box::pin(async move {
            // A lock that lapsed and was taken by another run is no longer ours to release.
            self.sessions.release_lock(session, token).await.map_err(|fault| HostError(fault.to_string()))?;
            Ok(())
        })
    }
}

/// The same for a run every time, and for no other.
fn token_of(run: &str) -> String {
    canonical::sha256_hex(format!("provost.session-lock.v1\n{run}").as_bytes())
}
