//! Claims: which worker may write a run now.

use super::{Boxed, Epoch, Fault};
use crate::RunId;

/// A lease on a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    pub run: RunId,
    /// Who holds it, in words another worker can check, such as host, process and start time.
    pub owner: String,
    pub epoch: Epoch,
    pub expires_at_ms: i64,
}

/// Why a claim was not given.
#[derive(Debug, thiserror::Error)]
pub enum ClaimError {
    /// Somebody holds the run; try again when the claim expires.
    #[error("run {} is held by {} until {}", .0.run, .0.owner, .0.expires_at_ms)]
    Held(Claim),
    #[error(transparent)]
    Storage(#[from] Fault),
}

/// Why a claim was not prolonged.
#[derive(Debug, thiserror::Error)]
pub enum RenewError {
    /// The claim is over: released, or taken by another. Stop writing.
    #[error("the claim on run {run} of epoch {epoch} is over")]
    Lost { run: RunId, epoch: Epoch },
    #[error(transparent)]
    Storage(#[from] Fault),
}

/// Why a dead worker's claim was not taken.
#[derive(Debug, thiserror::Error)]
pub enum SeizeError {
    /// The run is not held under that epoch any more.
    #[error("run {run} is not held under epoch {epoch} any more")]
    Changed { run: RunId, epoch: Epoch },
    #[error(transparent)]
    Storage(#[from] Fault),
}

/// Who may write a run. Never two at once: every claim has a higher epoch than the one before, and
/// the journal refuses every epoch but the run's last.
///
/// A claim that was released, or whose time is over (`now_ms >= expires_at_ms`), can be taken.
/// A claim that is over but was taken by nobody still holds: it can be renewed and writes are admitted.
pub trait Claims: Send + Sync {
    /// Takes the run if nobody holds it.
    fn claim<'a>(
        &'a self,
        run: &'a RunId,
        owner: &'a str,
        ttl_ms: i64,
        now_ms: i64,
    ) -> Boxed<'a, Result<Claim, ClaimError>>;

    /// Takes the run from a holder the caller knows to be dead, if it is still held under that claim's epoch.
    fn seize<'a>(
        &'a self,
        dead: &'a Claim,
        owner: &'a str,
        ttl_ms: i64,
        now_ms: i64,
    ) -> Boxed<'a, Result<Claim, SeizeError>>;

    /// Prolongs a claim to `now_ms + ttl_ms`.
    fn renew<'a>(
        &'a self,
        claim: &'a Claim,
        ttl_ms: i64,
        now_ms: i64,
    ) -> Boxed<'a, Result<Claim, RenewError>>;

    /// Lets go of a claim. One that is over already is left alone.
    fn release<'a>(&'a self, claim: &'a Claim) -> Boxed<'a, Result<(), Fault>>;

    /// The claim that was not released, expired or not.
    fn holder<'a>(&'a self, run: &'a RunId) -> Boxed<'a, Result<Option<Claim>, Fault>>;
}
