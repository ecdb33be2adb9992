//! One run at a time in a session.

use super::HostError;
use crate::port::Boxed;

/// Why a session could not be locked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LockError {
    /// Another run holds it.
    #[error("another run holds the session")]
    Contended,
    /// The lock itself failed.
    #[error(transparent)]
    Failed(#[from] HostError),
}

/// Locks sessions for runs. A lock is released by its token, or lapses.
pub trait SessionLock: Send + Sync {
    /// Takes hold of a session for a run and gives the token of the lock; an empty token is none. A run
    /// that holds the session already prolongs its hold: after a crash it may ask before the old one lapses.
    fn acquire<'a>(
        &'a self,
        session: &'a str,
        run: &'a str,
        ttl_seconds: u64,
    ) -> Boxed<'a, Result<String, LockError>>;

    /// Takes hold again of a session that a run took before its process died, and gives the token; none when
    /// the run let go of it, or another run has had it since: then what the run left in it is kept already,
    /// or has been gone over.
    fn reclaim<'a>(
        &'a self,
        session: &'a str,
        run: &'a str,
        ttl_seconds: u64,
    ) -> Boxed<'a, Result<Option<String>, HostError>>;

    /// Lets go. What was not released lapses by itself.
    fn release<'a>(&'a self, session: &'a str, token: &'a str) -> Boxed<'a, Result<(), HostError>>;
}
