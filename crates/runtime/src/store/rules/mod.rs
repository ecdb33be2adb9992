//! The decisions of a store, written once over rows.
//!
//! An adapter that holds a write lock for a whole operation (the tables in RAM, SQLite's writer) implements
//! [`Tables`] and calls these functions inside a transaction. Each function checks everything before its
//! first write, so a refused operation has written nothing even without a rollback; after a [`Fault`] the
//! adapter rolls back.

mod accept;
mod commit;
mod dispatch;
mod doors;
mod maintain;
mod sessions;

pub use accept::accept;
pub use commit::commit;
pub use dispatch::{RUNS_FREED_MAX, beat, bury, bury_expired, claim_due, register};
pub use doors::{answer, expire_due, post, revoke_standing};
pub use maintain::{erase, prune};
pub use sessions::{append_session, create_session, fork_session, rename_session, resume, say};

use provost_engine::{
    ActionId, Dedupe, Digest, Erasure, Record, RunId, Seq, SessionEntry, SessionId, SignalId,
    StandingApproval, Time, WaitId, WorkerId,
};
use serde_json::Value;

use super::{ClaimFilter, Entry, PruneFilter, Pruned, RunRow, SessionRow, Signal, Wait, Worker};
use crate::port::Fault;

/// A run that waits for its session, and the entries it brings.
#[derive(Clone, Debug, PartialEq)]
pub struct QueuedStart {
    /// Its place in the queue of the session.
    pub no: u64,
    /// The run.
    pub run: RunId,
    /// The events that become entries when it takes the session.
    pub entries: Vec<SessionEntry>,
}

/// The rows of a store inside one transaction. Reads see what the transaction wrote.
pub trait Tables {
    /// Returns a run.
    fn run(&self, run: &RunId) -> Result<Option<RunRow>, Fault>;
    /// Adds a run.
    fn insert_run(&mut self, row: &RunRow, summary: &Value) -> Result<(), Fault>;
    /// Changes a run; a summary that is not given stays.
    fn update_run(&mut self, before: &RunRow, after: &RunRow, summary: Option<&Value>) -> Result<(), Fault>;
    /// Returns runs that a worker holds.
    fn runs_owned(&self, worker: &WorkerId, most: usize) -> Result<Vec<RunId>, Fault>;
    /// Returns the runs of a workspace that workers hold.
    fn runs_held(&self, workspace: &str) -> Result<Vec<RunId>, Fault>;
    /// Returns resting runs whose time came.
    fn runs_due(&self, now: Time, most: usize) -> Result<Vec<RunId>, Fault>;
    /// Returns whether any run is ready.
    fn has_ready(&self) -> Result<bool, Fault>;
    /// Returns, in order, workspaces behind `after` (all without one) with a ready run that fits.
    fn ready_workspaces(
        &self,
        after: Option<&str>,
        filter: &ClaimFilter,
        most: usize,
    ) -> Result<Vec<String>, Fault>;
    /// Returns ready runs of a workspace that fit, by priority and how long they are ready.
    fn ready_runs(&self, workspace: &str, filter: &ClaimFilter, most: usize) -> Result<Vec<RunId>, Fault>;

    /// Appends records.
    fn append_records(&mut self, run: &RunId, records: &[Record]) -> Result<(), Fault>;
    /// Returns the hash of a record.
    fn record_hash(&self, run: &RunId, seq: Seq) -> Result<Option<Digest>, Fault>;
    /// Erases the words of a record that has any.
    fn erase_words(&mut self, run: &RunId, seq: Seq, erasure: &Erasure) -> Result<(), Fault>;

    /// Returns a wait.
    fn wait(&self, wait: &WaitId) -> Result<Option<Wait>, Fault>;
    /// Adds a wait.
    fn insert_wait(&mut self, wait: &Wait) -> Result<(), Fault>;
    /// Changes answer, settlement and question of a wait.
    fn update_wait(&mut self, wait: &Wait) -> Result<(), Fault>;
    /// Returns waits without an answer whose time came.
    fn waits_due(&self, now: Time, most: usize) -> Result<Vec<WaitId>, Fault>;

    /// Returns the signal of a run with a key.
    fn signal_keyed(&self, run: &RunId, key: &str) -> Result<Option<SignalId>, Fault>;
    /// Adds a signal.
    fn insert_signal(&mut self, run: &RunId, signal: &Signal) -> Result<(), Fault>;
    /// Drops the bodies of signals behind `after` up to `upto`: records carry them from now on.
    fn drop_bodies(&mut self, run: &RunId, after: SignalId, upto: SignalId) -> Result<(), Fault>;

    /// Returns the run and the request that used a key.
    fn request(&self, workspace: &str, key: &str) -> Result<Option<(RunId, Digest)>, Fault>;
    /// Records a key.
    fn insert_request(
        &mut self,
        workspace: &str,
        dedupe: &Dedupe,
        run: &RunId,
        now: Time,
    ) -> Result<(), Fault>;

    /// Whether an artifact is stored.
    fn has_artifact(&self, digest: &Digest) -> Result<bool, Fault>;
    /// Records that a run uses artifacts.
    fn use_artifacts(&mut self, run: &RunId, digests: &[Digest]) -> Result<(), Fault>;
    /// Ends a run's use of an artifact and removes it if no other run uses it.
    fn drop_artifact(&mut self, run: &RunId, digest: &Digest) -> Result<(), Fault>;

    /// Returns a session.
    fn session(&self, session: &SessionId) -> Result<Option<SessionRow>, Fault>;
    /// Adds a session.
    fn insert_session(&mut self, row: &SessionRow) -> Result<(), Fault>;
    /// Changes a session.
    fn update_session(&mut self, row: &SessionRow) -> Result<(), Fault>;
    /// Adds an entry.
    fn insert_entry(&mut self, session: &SessionId, entry: &Entry) -> Result<(), Fault>;
    /// Returns an entry.
    fn entry(&self, session: &SessionId, no: u64) -> Result<Option<Entry>, Fault>;
    /// Copies entries up to `upto` into another session.
    fn copy_entries(&mut self, from: &SessionId, to: &SessionId, upto: u64) -> Result<(), Fault>;
    /// Queues a run behind the one that holds the session.
    fn insert_start(
        &mut self,
        session: &SessionId,
        run: &RunId,
        entries: &[SessionEntry],
    ) -> Result<(), Fault>;
    /// Returns the first queued run of a session.
    fn first_start(&self, session: &SessionId) -> Result<Option<QueuedStart>, Fault>;
    /// Removes a queued run.
    fn remove_start(&mut self, session: &SessionId, no: u64) -> Result<(), Fault>;

    /// Returns a worker.
    fn worker(&self, worker: &WorkerId) -> Result<Option<Worker>, Fault>;
    /// Adds a worker.
    fn insert_worker(&mut self, worker: &Worker) -> Result<(), Fault>;
    /// Changes the lease of a worker.
    fn update_worker(&mut self, worker: &Worker) -> Result<(), Fault>;
    /// Returns living workers whose lease is over.
    fn workers_expired(&self, now: Time, most: usize) -> Result<Vec<WorkerId>, Fault>;
    /// Returns dead workers that still hold runs.
    fn workers_unfreed(&self, most: usize) -> Result<Vec<WorkerId>, Fault>;

    /// Stores sealed arguments.
    fn seal(&mut self, run: &RunId, action: ActionId, bytes: &[u8]) -> Result<(), Fault>;
    /// Deletes sealed arguments.
    fn unseal(&mut self, run: &RunId, action: ActionId) -> Result<(), Fault>;
    /// Deletes all sealed arguments of a run.
    fn unseal_all(&mut self, run: &RunId) -> Result<(), Fault>;
    /// Grants a standing approval.
    fn grant(&mut self, workspace: &str, approval: &StandingApproval) -> Result<(), Fault>;
    /// Drops the reasons of standing approvals that were granted in a run.
    fn drop_reasons(&mut self, run: &RunId) -> Result<(), Fault>;
    /// Revokes a standing approval. Returns whether it held.
    fn revoke(&mut self, workspace: &str, scope: &str, now: Time) -> Result<bool, Fault>;

    /// Returns sessions that did not change since, without a run.
    fn stale_sessions(&self, filter: &PruneFilter) -> Result<Vec<SessionId>, Fault>;
    /// Removes a session and its entries.
    fn delete_session(&mut self, session: &SessionId) -> Result<(), Fault>;
    /// Returns the runs of whole trees that ended before, none of which a session names other than those that go.
    fn stale_runs(&self, filter: &PruneFilter, going: &[SessionId]) -> Result<Vec<RunId>, Fault>;
    /// Removes a run with its journal, waits, signals, keys and sealed arguments, and records the removal.
    fn delete_run(&mut self, pruned: &Pruned) -> Result<(), Fault>;
    /// Removes artifacts and abandoned uploads that were stored before and that no run uses.
    fn delete_unused_artifacts(&mut self, before: Time) -> Result<usize, Fault>;
    /// Removes dead workers whose lease ended before and that hold no run.
    fn delete_dead_workers(&mut self, before: Time) -> Result<(), Fault>;
}

/// Makes a resting run ready, unless it is over, held, or waits for its session.
fn wake(row: &mut RunRow, now: Time) {
    if row.owner.is_none() && row.ended.is_none() && !row.awaits_session && !row.ready {
        row.ready = true;
        row.due = Some(now);
    }
}

/// Takes a run from its owner. The epoch moves, so that the owner's commits are refused from now on.
fn free(row: &mut RunRow, now: Time) {
    row.owner = None;
    row.epoch.0 += 1;
    wake(row, now);
}
