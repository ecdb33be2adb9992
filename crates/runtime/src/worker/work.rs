//! One process at work on runs.

use super::lease::Lease;
use super::owner::{Life, Owner};
use crate::RunId;
use crate::driver::{Finished, Host, Resume, Run, RunError, Start};
use crate::port::{Claim, ClaimError, Epoch, Fault, RenewError, SeizeError, Stores};

/// Works on runs for as long as it holds their claims.
pub struct Worker {
    stores: Stores,
    owner: String,
    lease: Lease,
}

/// Why no work was done on a run, or no more.
#[derive(Debug, thiserror::Error)]
pub enum WorkError {
    /// Somebody else works on it.
    #[error("run {} is being worked on by {}", .0.run, .0.owner)]
    Held(Claim),
    /// The claim was lost while the work went on; whoever has it now goes on from the journal.
    #[error("the claim on the run was lost")]
    Lost(#[from] RenewError),
    #[error(transparent)]
    Run(#[from] RunError),
    #[error(transparent)]
    Storage(#[from] Fault),
}

/// What to do with a run once it is claimed.
enum Work {
    Start(Box<Start>),
    Resume(Resume),
}

impl Worker {
    /// How long a claim outlives a process that cannot be seen to be dead.
    pub const LEASE_MS: i64 = 30_000;

    /// A worker in this process.
    pub fn new(stores: Stores) -> Self {
        Self { stores, owner: Owner::this_process().to_string(), lease: Lease { ms: Self::LEASE_MS } }
    }

    /// Starts a run and works until it is over, or parked.
    ///
    /// # Errors
    /// When somebody else has the run, the claim is lost, or the run fails to be written.
    pub async fn start(&self, host: &Host, run: RunId, start: Start) -> Result<Finished, WorkError> {
        let finished = self.work(host, &run, Work::Start(Box::new(start))).await?;
        self.stay_awake(host, run, finished).await
    }

    /// Goes on with a run.
    ///
    /// # Errors
    /// When somebody else has the run, it cannot be read back, the claim is lost, or the run fails to be
    /// written.
    pub async fn resume(&self, host: &Host, run: RunId, resume: Resume) -> Result<Finished, WorkError> {
        let finished = self.work(host, &run, Work::Resume(resume)).await?;
        self.stay_awake(host, run, finished).await
    }

    /// Whoever answers a parked run wakes it, unless it was still being worked on. So after letting go,
    /// the answers are looked for once more: one of the two sees them.
    async fn stay_awake(
        &self,
        host: &Host,
        run: RunId,
        mut finished: Finished,
    ) -> Result<Finished, WorkError> {
        while finished.status.is_parked() && Run::is_answered(host, &*self.stores.journal, &run).await? {
            match self.work(host, &run, Work::Resume(Resume::default())).await {
                Ok(later) => finished = later,
                // Whoever answered woke it.
                Err(WorkError::Held(_)) => break,
                Err(error) => return Err(error),
            }
        }
        Ok(finished)
    }

    async fn work(&self, host: &Host, run: &RunId, work: Work) -> Result<Finished, WorkError> {
        let claim = self.claim(host, run).await?;
        let held = self.lease.hold(&*self.stores.claims, &*host.clock, claim.clone());
        let done = tokio::select! {
            biased;
            done = self.drive(host, run, claim.epoch, work) => done.map_err(WorkError::from),
            lost = held => Err(lost.into()),
        };
        // What is not let go lapses.
        drop(self.stores.claims.release(&claim).await);
        done
    }

    async fn drive(&self, host: &Host, run: &RunId, epoch: Epoch, work: Work) -> Result<Finished, RunError> {
        let journal = &*self.stores.journal;
        match work {
            Work::Start(start) => Run::drive(host, journal, run.clone(), epoch, *start).await,
            Work::Resume(resume) => Run::resume(host, journal, run.clone(), epoch, resume).await,
        }
    }

    /// Takes the run; from a process that is gone at once, from any other when its lease is over.
    async fn claim(&self, host: &Host, run: &RunId) -> Result<Claim, WorkError> {
        let claims = &self.stores.claims;
        let now_ms = host.clock.now_ms();
        let held = match claims.claim(run, &self.owner, self.lease.ms, now_ms).await {
            Ok(claim) => return Ok(claim),
            Err(ClaimError::Storage(fault)) => return Err(fault.into()),
            Err(ClaimError::Held(held)) => held,
        };
        if Owner::life_of(&held.owner) != Life::Dead {
            return Err(WorkError::Held(held));
        }
        match claims.seize(&held, &self.owner, self.lease.ms, now_ms).await {
            Ok(claim) => Ok(claim),
            Err(SeizeError::Changed { .. }) => Err(WorkError::Held(held)),
            Err(SeizeError::Storage(fault)) => Err(fault.into()),
        }
    }
}
