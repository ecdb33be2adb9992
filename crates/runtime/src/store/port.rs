//! The port: what a store of runs does and promises.

use std::sync::Arc;

use provost_engine::{
    ActionId, AnswerPost, Commit, Digest, NewRun, Record, RunId, Seq, SessionId, SignalId, SignalPost,
    StandingApproval, Time, WaitId, WorkerId,
};
use tokio::sync::watch;

use super::{
    About, AcceptError, Accepted, AnswerError, Answered, ArtifactInfo, Beat, ClaimError, ClaimFilter,
    Claimed, CommitError, Committed, Entry, Erase, EraseError, Expired, Imported, ListedRun, NewSession,
    Page, PostError, Posted, Prune, PruneFilter, RecentSession, RegisterError, ResumeError, RevokePost,
    RowProblem, RunCursor, RunFilter, Said, SayError, SayPost, SessionCursor, SessionError, SessionFilter,
    SessionRow, Signal, StoreStats, Upload, Wait, WaitCursor, WaitFilter, Worker,
};
use crate::port::{Boxed, Fault};

/// The one store of runs.
///
/// # Promises
/// - Every operation that writes is one transaction: it writes all of its parts or nothing, and it is
///   durable when it answers `Ok`. Only [`Fault::Unknown`] leaves open whether it was written; the same
///   operation sent again then tells, because commits, accepted runs and keyed signals are recognised.
/// - A commit is fenced: it is written only under the run's present epoch and by its holder. Every claim and
///   every burial moves the epoch. The lease decides when a run may be taken, never whether a commit holds.
/// - A wake-up is never lost: a signal to a resting run makes it ready, and a commit that lets go of a run
///   with unread signals leaves it ready.
/// - A wait receives one answer. Answers of people, clients, children and the clock pass the same door.
/// - A run ends only with an empty queue, and an ended run receives no signal.
/// - One run at a time holds a session, and only that run writes into it.
/// - Times are those of the store's own clock.
///
/// Dropping the future of an operation that writes does not undo it.
pub trait Store: Send + Sync {
    // Runs and their steps.

    /// Makes a run durable. The same key and request, or the same id and first record, answer with the run
    /// that is there.
    fn accept(&self, new: NewRun) -> Boxed<'_, Result<Accepted, AcceptError>>;

    /// Writes a step of a run. A commit that was written before answers with `already`.
    fn commit(&self, commit: Arc<Commit>) -> Boxed<'_, Result<Committed, CommitError>>;

    // Doors: what reaches a run from outside.

    /// Posts a signal and wakes the run. A signal whose key is in the queue is not posted again.
    fn post(&self, post: SignalPost) -> Boxed<'_, Result<Posted, PostError>>;

    /// Answers a wait and wakes its run. Checks the binding, if the answer quotes one, and who may answer.
    fn answer(&self, answer: AnswerPost) -> Boxed<'_, Result<Answered, AnswerError>>;

    /// Lets the clock answer waits that are due and makes runs ready whose time came, at most `most` of each.
    fn expire_due(&self, most: usize) -> Boxed<'_, Result<Expired, Fault>>;

    /// Takes an ended run up again: not one that completed, was cancelled or was delegated, and only while
    /// its session is free and ends with it. The signal says how it goes on.
    fn resume(&self, post: SignalPost) -> Boxed<'_, Result<Posted, ResumeError>>;

    /// Posts a message to the active run of a session, or answers that there is none.
    fn say(&self, say: SayPost) -> Boxed<'_, Result<Said, SayError>>;

    /// Revokes a standing approval, and posts a signal to the runs of its workspace that a worker holds: others
    /// read what holds with their next claim. Returns whether it held.
    fn revoke_standing(&self, revoke: RevokePost) -> Boxed<'_, Result<bool, Fault>>;

    // Dispatch: which worker holds which run.

    /// Registers a worker with a lease of `ttl_ms` and returns when it ends.
    fn register(&self, worker: WorkerId, about: About, ttl_ms: u64)
    -> Boxed<'_, Result<Time, RegisterError>>;

    /// Renews the lease of a worker, unless it was buried.
    fn beat(&self, worker: WorkerId, ttl_ms: u64) -> Boxed<'_, Result<Beat, Fault>>;

    /// Returns the workers that are not buried.
    fn workers(&self) -> Boxed<'_, Result<Vec<Worker>, Fault>>;

    /// Returns a worker, also one that was buried.
    fn worker(&self, worker: WorkerId) -> Boxed<'_, Result<Option<Worker>, Fault>>;

    /// Buries workers whose lease is over and frees their runs; returns the freed runs. At most 1,000 runs
    /// are freed at a time: call it again until it returns none.
    fn bury_expired(&self) -> Boxed<'_, Result<Vec<RunId>, Fault>>;

    /// Buries one worker, whose process the caller knows to be gone, and frees its runs like
    /// [`bury_expired`](Self::bury_expired).
    fn bury(&self, worker: WorkerId) -> Boxed<'_, Result<Vec<RunId>, Fault>>;

    /// Ends the caller's own worker after a drain and frees what it still holds.
    fn release(&self, worker: WorkerId) -> Boxed<'_, Result<Vec<RunId>, Fault>> {
        self.bury(worker)
    }

    /// Claims at most `most` ready runs: one of each workspace in turn, going on after the workspace served
    /// last; in a workspace by priority, then by how long they are ready.
    fn claim_due(
        &self,
        worker: WorkerId,
        filter: ClaimFilter,
        most: usize,
    ) -> Boxed<'_, Result<Vec<Claimed>, ClaimError>>;

    /// Returns the runs of a worker that have signals to take.
    fn mail(&self, worker: WorkerId) -> Boxed<'_, Result<Vec<RunId>, Fault>>;

    /// Returns the runs that a worker holds. Tells a worker what it claimed when the answer of
    /// [`claim_due`](Self::claim_due) was lost.
    fn held(&self, worker: WorkerId) -> Boxed<'_, Result<Vec<Claimed>, Fault>>;

    /// Returns when [`expire_due`](Self::expire_due) has something to do next.
    fn next_due(&self) -> Boxed<'_, Result<Option<Time>, Fault>>;

    /// Returns a counter that moves whenever something was written, by this process at once, by others after
    /// a moment. It only says that looking is worth while.
    fn watch(&self) -> watch::Receiver<u64>;

    // Reading runs.

    /// Returns records of a run behind `after`, in order.
    fn journal(&self, run: RunId, after: Seq, limit: usize) -> Boxed<'_, Result<Vec<Record>, Fault>>;

    /// Returns, for each run, at most `each` records behind its position, all in one query.
    fn tails(&self, after: Vec<(RunId, Seq)>, each: usize) -> Boxed<'_, Result<Vec<(RunId, Record)>, Fault>>;

    /// Returns a run.
    fn run(&self, run: RunId) -> Boxed<'_, Result<Option<ListedRun>, Fault>>;

    /// Returns a page of runs, newest first.
    fn runs(
        &self,
        filter: RunFilter,
        after: Option<RunCursor>,
        limit: usize,
    ) -> Boxed<'_, Result<Page<ListedRun, RunId>, Fault>>;

    /// Returns a wait.
    fn wait(&self, wait: WaitId) -> Boxed<'_, Result<Option<Wait>, Fault>>;

    /// Returns a page of waits, oldest first.
    fn waits(
        &self,
        filter: WaitFilter,
        after: Option<WaitCursor>,
        limit: usize,
    ) -> Boxed<'_, Result<Page<Wait, WaitId>, Fault>>;

    /// Returns signals of a run behind `after`, in order.
    fn signals(&self, run: RunId, after: SignalId, limit: usize) -> Boxed<'_, Result<Vec<Signal>, Fault>>;

    /// Returns the standing approvals of a workspace that hold.
    fn standing(&self, workspace: String) -> Boxed<'_, Result<Vec<StandingApproval>, Fault>>;

    /// Returns the standing approvals of every workspace that hold.
    fn all_standing(&self) -> Boxed<'_, Result<Vec<StandingApproval>, Fault>>;

    /// Returns the sealed arguments of an action.
    fn sealed(&self, run: RunId, action: ActionId) -> Boxed<'_, Result<Option<Vec<u8>>, Fault>>;

    // Sessions.

    /// Creates a session.
    fn create_session(&self, new: NewSession) -> Boxed<'_, Result<SessionRow, SessionError>>;

    /// Changes the title of a session.
    fn rename_session(
        &self,
        session: SessionId,
        title: Option<String>,
    ) -> Boxed<'_, Result<(), SessionError>>;

    /// Creates a session with the entries of another one up to an entry. They point to the same events.
    fn fork_session(
        &self,
        session: SessionId,
        upto: u64,
        new: NewSession,
    ) -> Boxed<'_, Result<SessionRow, SessionError>>;

    /// Appends entries that no run said, if the session is free and at `version`; returns the version after.
    fn append_session(
        &self,
        session: SessionId,
        version: u64,
        entries: Vec<Imported>,
    ) -> Boxed<'_, Result<u64, SessionError>>;

    /// Returns a session.
    fn session(&self, session: SessionId) -> Boxed<'_, Result<Option<SessionRow>, Fault>>;

    /// Returns a page of sessions, newest first.
    fn sessions(
        &self,
        filter: SessionFilter,
        after: Option<SessionCursor>,
        limit: usize,
    ) -> Boxed<'_, Result<Page<SessionRow, SessionId>, Fault>>;

    /// Returns entries of a session behind `after`, in order.
    fn session_entries(
        &self,
        session: SessionId,
        after: u64,
        limit: usize,
    ) -> Boxed<'_, Result<Vec<Entry>, Fault>>;

    /// Returns the newest session that fits, if it is empty or a run holds it.
    fn recent_pending(&self, recent: RecentSession) -> Boxed<'_, Result<Option<SessionRow>, Fault>>;

    // Artifacts.

    /// Stores an artifact. An equal one that is stored stays as it is.
    fn put_artifact(&self, media: String, bytes: Vec<u8>) -> Boxed<'_, Result<ArtifactInfo, Fault>>;

    /// Begins an artifact that arrives in parts.
    fn upload(&self, media: String) -> Box<dyn Upload>;

    /// Returns all bytes of an artifact.
    fn artifact(&self, digest: Digest) -> Boxed<'_, Result<Option<Vec<u8>>, Fault>>;

    /// Returns one part of an artifact; the first is 0. Parts end where the upload's parts ended.
    fn artifact_part(&self, digest: Digest, part: u64) -> Boxed<'_, Result<Option<Vec<u8>>, Fault>>;

    /// Returns what is stored of an artifact.
    fn artifact_info(&self, digest: Digest) -> Boxed<'_, Result<Option<ArtifactInfo>, Fault>>;

    // Maintenance.

    /// Erases the words of a record and what repeats them. The hashes stay, so the chain verifies. Erasing a
    /// record again changes nothing. The storage may hold copies of what moved in it earlier, until
    /// [`compact`](Self::compact).
    fn erase(&self, erase: Erase) -> Boxed<'_, Result<(), EraseError>>;

    /// Rewrites the storage, so that no copy of what was erased or pruned is left in it and its room is given back.
    /// Takes as long as copying everything; other writers wait meanwhile.
    fn compact(&self) -> Boxed<'_, Result<(), Fault>> {
        Box::pin(async { Ok(()) })
    }

    /// Removes old trees of ended runs, and artifacts that no run uses any more.
    fn prune(&self, filter: PruneFilter) -> Boxed<'_, Result<Prune, Fault>>;

    /// Returns which runs were pruned, oldest first.
    fn pruned(&self) -> Boxed<'_, Result<Vec<super::Pruned>, Fault>>;

    /// Returns how much the store holds.
    fn stats(&self) -> Boxed<'_, Result<StoreStats, Fault>>;

    /// Compares every row with the end of its journal.
    fn verify_rows(&self) -> Boxed<'_, Result<Vec<RowProblem>, Fault>>;
}
