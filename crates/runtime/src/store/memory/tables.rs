//! The store as synchronous methods.

use std::collections::{BTreeMap, BTreeSet};

use provost_engine::{
    ActionId, AnswerPost, Commit, Digest, NewRun, Record, RunId, SessionId, SignalPost, StandingApproval,
    Time, WaitId, WorkerId,
};

use crate::port::Fault;
use crate::store::rules::{self, QueuedStart};
use crate::store::{
    About, AcceptError, Accepted, AnswerError, Answered, ArtifactInfo, Beat, ClaimError, ClaimFilter,
    Claimed, CommitError, Committed, Entry, Erase, EraseError, Expired, Imported, ListedRun, NewSession,
    PostError, Posted, Prune, PruneFilter, Pruned, RegisterError, ResumeError, RevokePost, Said, SayError,
    SayPost, SessionError, SessionRow, Signal, Wait, Worker,
};

/// The tables of a store in RAM. Every method that writes takes the time and writes all or nothing.
///
/// The error types mention [`Fault`], which RAM never produces.
#[derive(Clone, Debug, Default)]
pub struct MemoryTables {
    pub(super) runs: BTreeMap<RunId, ListedRun>,
    pub(super) journals: BTreeMap<RunId, Vec<Record>>,
    pub(super) waits: BTreeMap<WaitId, Wait>,
    pub(super) signals: BTreeMap<RunId, Vec<Signal>>,
    pub(super) requests: BTreeMap<(String, String), (RunId, Digest)>,
    pub(super) sessions: BTreeMap<SessionId, SessionRow>,
    pub(super) entries: BTreeMap<SessionId, Vec<Entry>>,
    pub(super) starts: BTreeMap<SessionId, Vec<QueuedStart>>,
    pub(super) workers: BTreeMap<WorkerId, Worker>,
    pub(super) artifacts: BTreeMap<Digest, StoredArtifact>,
    pub(super) uses: BTreeSet<(Digest, RunId)>,
    pub(super) sealed: BTreeMap<(RunId, ActionId), Vec<u8>>,
    pub(super) approvals: BTreeMap<(String, String), StandingApproval>,
    pub(super) pruned: Vec<Pruned>,
    served: Option<String>,
}

/// An artifact in RAM.
#[derive(Clone, Debug)]
pub(super) struct StoredArtifact {
    pub(super) info: ArtifactInfo,
    pub(super) parts: Vec<Vec<u8>>,
}

/// Each method does what the one of [`Store`](crate::store::Store) with its name does; errors are the same.
impl MemoryTables {
    /// Accepts a run.
    ///
    /// # Errors
    /// Nothing was written.
    pub fn accept(&mut self, now: Time, new: &NewRun) -> Result<Accepted, AcceptError> {
        rules::accept(self, now, new)
    }

    /// Writes a step of a run.
    ///
    /// # Errors
    /// Nothing was written.
    pub fn commit(&mut self, now: Time, commit: &Commit) -> Result<Committed, CommitError> {
        rules::commit(self, now, commit)
    }

    /// Posts a signal.
    ///
    /// # Errors
    /// Nothing was written.
    pub fn post(&mut self, now: Time, post: &SignalPost) -> Result<Posted, PostError> {
        rules::post(self, now, post)
    }

    /// Answers a wait.
    ///
    /// # Errors
    /// Nothing was written.
    pub fn answer(&mut self, now: Time, answer: &AnswerPost) -> Result<Answered, AnswerError> {
        rules::answer(self, now, answer)
    }

    /// Lets the clock answer what is due.
    pub fn expire_due(&mut self, now: Time, most: usize) -> Expired {
        never(rules::expire_due(self, now, most))
    }

    /// Takes an ended run up again.
    ///
    /// # Errors
    /// Nothing was written.
    pub fn resume(&mut self, now: Time, post: &SignalPost) -> Result<Posted, ResumeError> {
        rules::resume(self, now, post)
    }

    /// Posts a message to the active run of a session.
    ///
    /// # Errors
    /// Nothing was written.
    pub fn say(&mut self, now: Time, say: &SayPost) -> Result<Said, SayError> {
        rules::say(self, now, say)
    }

    /// Revokes a standing approval.
    ///
    /// # Errors
    /// Nothing was written.
    pub fn revoke_standing(&mut self, now: Time, revoke: &RevokePost) -> Result<bool, Fault> {
        rules::revoke_standing(self, now, revoke)
    }

    /// Registers a worker.
    ///
    /// # Errors
    /// Nothing was written.
    pub fn register(
        &mut self,
        now: Time,
        worker: &WorkerId,
        about: &About,
        ttl_ms: u64,
    ) -> Result<Time, RegisterError> {
        rules::register(self, now, worker, about, ttl_ms)
    }

    /// Renews a lease.
    pub fn beat(&mut self, now: Time, worker: &WorkerId, ttl_ms: u64) -> Beat {
        rules::beat(self, now, worker, ttl_ms).unwrap_or(Beat::Dead)
    }

    /// Buries workers whose lease is over.
    pub fn bury_expired(&mut self, now: Time) -> Vec<RunId> {
        never(rules::bury_expired(self, now))
    }

    /// Buries one worker.
    pub fn bury(&mut self, now: Time, worker: &WorkerId) -> Vec<RunId> {
        never(rules::bury(self, now, worker))
    }

    /// Claims ready runs.
    ///
    /// # Errors
    /// Nothing was written.
    pub fn claim_due(
        &mut self,
        now: Time,
        worker: &WorkerId,
        filter: &ClaimFilter,
        most: usize,
    ) -> Result<Vec<Claimed>, ClaimError> {
        let mut served = self.served.take();
        let claimed = rules::claim_due(self, now, worker, filter, most, &mut served);
        self.served = served;
        claimed
    }

    /// Creates a session.
    ///
    /// # Errors
    /// Nothing was written.
    pub fn create_session(&mut self, now: Time, new: &NewSession) -> Result<SessionRow, SessionError> {
        rules::create_session(self, now, new)
    }

    /// Changes the title of a session.
    ///
    /// # Errors
    /// Nothing was written.
    pub fn rename_session(
        &mut self,
        now: Time,
        session: &SessionId,
        title: Option<&str>,
    ) -> Result<(), SessionError> {
        rules::rename_session(self, now, session, title)
    }

    /// Creates a session with the entries of another one.
    ///
    /// # Errors
    /// Nothing was written.
    pub fn fork_session(
        &mut self,
        now: Time,
        session: &SessionId,
        upto: u64,
        new: &NewSession,
    ) -> Result<SessionRow, SessionError> {
        rules::fork_session(self, now, session, upto, new)
    }

    /// Appends entries that no run said.
    ///
    /// # Errors
    /// Nothing was written.
    pub fn append_session(
        &mut self,
        now: Time,
        session: &SessionId,
        version: u64,
        entries: &[Imported],
    ) -> Result<u64, SessionError> {
        rules::append_session(self, now, session, version, entries)
    }

    /// Stores an artifact that arrived in parts.
    pub fn put_artifact(&mut self, now: Time, media: String, parts: Vec<Vec<u8>>) -> ArtifactInfo {
        let mut hasher = crate::store::PartHasher::default();
        parts.iter().for_each(|part| hasher.update(part));
        let (size, digest) = (hasher.size(), hasher.finish());
        let info = ArtifactInfo { digest, size, media, parts: parts.len() as u64, created: now };
        let stored = self.artifacts.entry(digest).or_insert(StoredArtifact { info, parts });
        stored.info.clone()
    }

    /// Erases the words of a record.
    ///
    /// # Errors
    /// Nothing was written.
    pub fn erase(&mut self, erase: &Erase) -> Result<(), EraseError> {
        rules::erase(self, erase)
    }

    /// Removes old runs.
    pub fn prune(&mut self, now: Time, filter: &PruneFilter) -> Prune {
        never(rules::prune(self, now, filter))
    }
}

/// Unwraps what cannot fail in RAM.
fn never<T: Default>(result: Result<T, Fault>) -> T {
    result.unwrap_or_default()
}
