//! The tables in RAM behind the port.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use provost_engine::{
    ActionId, AnswerPost, Commit, Digest, NewRun, Record, RunId, Seq, SessionId, SignalId, SignalPost,
    StandingApproval, Time, WaitId, WorkerId,
};
use tokio::sync::watch;

use super::MemoryTables;
use crate::port::{Boxed, Clock, Fault};
use crate::store::{
    About, AcceptError, Accepted, AnswerError, Answered, ArtifactInfo, Beat, ClaimError, ClaimFilter,
    Claimed, CommitError, Committed, Entry, Erase, EraseError, Expired, Imported, ListedRun, NewSession,
    Page, PostError, Posted, Prune, PruneFilter, Pruned, RecentSession, RegisterError, ResumeError,
    RevokePost, RowProblem, RunCursor, RunFilter, Said, SayError, SayPost, SessionCursor, SessionError,
    SessionFilter, SessionRow, Signal, Store, StoreStats, Upload, Wait, WaitCursor, WaitFilter, Worker,
};

/// A store in RAM. Clones share the same tables, as two processes share a database.
#[derive(Clone)]
pub struct MemoryStore {
    tables: Arc<Mutex<MemoryTables>>,
    clock: Arc<dyn Clock>,
    written: Arc<watch::Sender<u64>>,
}

impl MemoryStore {
    /// Returns an empty store with a clock.
    pub fn new(clock: Arc<dyn Clock>) -> Self {
        Self { tables: Arc::default(), clock, written: Arc::new(watch::Sender::new(0)) }
    }

    fn lock(&self) -> MutexGuard<'_, MemoryTables> {
        // Rules check before they write, so tables that a panic left behind are whole.
        self.tables.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn write<'a, T: Send + 'a>(&self, work: impl FnOnce(&mut MemoryTables, Time) -> T) -> Boxed<'a, T> {
        let done = work(&mut self.lock(), Time(self.clock.now_ms()));
        self.written.send_modify(|count| *count += 1);
        Box::pin(std::future::ready(done))
    }

    /// Like `write`, but says that looking is worth while only if something changed: a worker that looks
    /// because it looked would never rest.
    fn write_if<'a, T: Send + 'a>(
        &self,
        work: impl FnOnce(&mut MemoryTables, Time) -> T,
        changed: impl FnOnce(&T) -> bool,
    ) -> Boxed<'a, T> {
        let done = work(&mut self.lock(), Time(self.clock.now_ms()));
        if changed(&done) {
            self.written.send_modify(|count| *count += 1);
        }
        Box::pin(std::future::ready(done))
    }

    fn read<'a, T: Send + 'a>(&self, work: impl FnOnce(&MemoryTables) -> T) -> Boxed<'a, Result<T, Fault>> {
        let found = work(&self.lock());
        Box::pin(std::future::ready(Ok(found)))
    }
}

impl Store for MemoryStore {
    fn accept(&self, new: NewRun) -> Boxed<'_, Result<Accepted, AcceptError>> {
        self.write(|tables, now| tables.accept(now, &new))
    }

    fn commit(&self, commit: Arc<Commit>) -> Boxed<'_, Result<Committed, CommitError>> {
        self.write(|tables, now| tables.commit(now, &commit))
    }

    fn post(&self, post: SignalPost) -> Boxed<'_, Result<Posted, PostError>> {
        self.write(|tables, now| tables.post(now, &post))
    }

    fn answer(&self, answer: AnswerPost) -> Boxed<'_, Result<Answered, AnswerError>> {
        self.write(|tables, now| tables.answer(now, &answer))
    }

    fn expire_due(&self, most: usize) -> Boxed<'_, Result<Expired, Fault>> {
        let changed =
            |done: &Result<Expired, Fault>| done.as_ref().is_ok_and(|done| *done != Expired::default());
        self.write_if(|tables, now| Ok(tables.expire_due(now, most)), changed)
    }

    fn resume(&self, post: SignalPost) -> Boxed<'_, Result<Posted, ResumeError>> {
        self.write(|tables, now| tables.resume(now, &post))
    }

    fn say(&self, say: SayPost) -> Boxed<'_, Result<Said, SayError>> {
        self.write(|tables, now| tables.say(now, &say))
    }

    fn revoke_standing(&self, revoke: RevokePost) -> Boxed<'_, Result<bool, Fault>> {
        self.write(|tables, now| tables.revoke_standing(now, &revoke))
    }

    fn register(
        &self,
        worker: WorkerId,
        about: About,
        ttl_ms: u64,
    ) -> Boxed<'_, Result<Time, RegisterError>> {
        self.write(|tables, now| tables.register(now, &worker, &about, ttl_ms))
    }

    fn beat(&self, worker: WorkerId, ttl_ms: u64) -> Boxed<'_, Result<Beat, Fault>> {
        self.write_if(|tables, now| Ok(tables.beat(now, &worker, ttl_ms)), |_| false)
    }

    fn bury_expired(&self) -> Boxed<'_, Result<Vec<RunId>, Fault>> {
        let freed = |freed: &Result<Vec<RunId>, Fault>| freed.as_ref().is_ok_and(|runs| !runs.is_empty());
        self.write_if(|tables, now| Ok(tables.bury_expired(now)), freed)
    }

    fn bury(&self, worker: WorkerId) -> Boxed<'_, Result<Vec<RunId>, Fault>> {
        self.write(|tables, now| Ok(tables.bury(now, &worker)))
    }

    fn claim_due(
        &self,
        worker: WorkerId,
        filter: ClaimFilter,
        most: usize,
    ) -> Boxed<'_, Result<Vec<Claimed>, ClaimError>> {
        let claimed =
            |done: &Result<Vec<Claimed>, ClaimError>| done.as_ref().is_ok_and(|runs| !runs.is_empty());
        self.write_if(|tables, now| tables.claim_due(now, &worker, &filter, most), claimed)
    }

    fn create_session(&self, new: NewSession) -> Boxed<'_, Result<SessionRow, SessionError>> {
        self.write(|tables, now| tables.create_session(now, &new))
    }

    fn rename_session(
        &self,
        session: SessionId,
        title: Option<String>,
    ) -> Boxed<'_, Result<(), SessionError>> {
        self.write(|tables, now| tables.rename_session(now, &session, title.as_deref()))
    }

    fn fork_session(
        &self,
        session: SessionId,
        upto: u64,
        new: NewSession,
    ) -> Boxed<'_, Result<SessionRow, SessionError>> {
        self.write(|tables, now| tables.fork_session(now, &session, upto, &new))
    }

    fn append_session(
        &self,
        session: SessionId,
        version: u64,
        entries: Vec<Imported>,
    ) -> Boxed<'_, Result<u64, SessionError>> {
        self.write(|tables, now| tables.append_session(now, &session, version, &entries))
    }

    fn put_artifact(&self, media: String, bytes: Vec<u8>) -> Boxed<'_, Result<ArtifactInfo, Fault>> {
        self.write(|tables, now| Ok(tables.put_artifact(now, media, vec![bytes])))
    }

    fn erase(&self, erase: Erase) -> Boxed<'_, Result<(), EraseError>> {
        self.write(|tables, _| tables.erase(&erase))
    }

    fn prune(&self, filter: PruneFilter) -> Boxed<'_, Result<Prune, Fault>> {
        self.write(|tables, now| Ok(tables.prune(now, &filter)))
    }

    fn watch(&self) -> watch::Receiver<u64> {
        self.written.subscribe()
    }

    fn upload(&self, media: String) -> Box<dyn Upload> {
        Box::new(MemoryUpload { store: self.clone(), media, parts: Vec::new(), size: 0 })
    }

    fn worker(&self, worker: WorkerId) -> Boxed<'_, Result<Option<Worker>, Fault>> {
        self.read(|tables| tables.workers.get(&worker).cloned())
    }

    fn workers(&self) -> Boxed<'_, Result<Vec<Worker>, Fault>> {
        self.read(|tables| tables.workers())
    }

    fn mail(&self, worker: WorkerId) -> Boxed<'_, Result<Vec<RunId>, Fault>> {
        self.read(|tables| tables.mail(&worker))
    }

    fn held(&self, worker: WorkerId) -> Boxed<'_, Result<Vec<Claimed>, Fault>> {
        self.read(|tables| tables.held(&worker))
    }

    fn next_due(&self) -> Boxed<'_, Result<Option<Time>, Fault>> {
        self.read(|tables| tables.next_due())
    }

    fn journal(&self, run: RunId, after: Seq, limit: usize) -> Boxed<'_, Result<Vec<Record>, Fault>> {
        self.read(|tables| tables.journal(&run, after, limit))
    }

    fn tails(&self, after: Vec<(RunId, Seq)>, each: usize) -> Boxed<'_, Result<Vec<(RunId, Record)>, Fault>> {
        self.read(|tables| tables.tails(&after, each))
    }

    fn run(&self, run: RunId) -> Boxed<'_, Result<Option<ListedRun>, Fault>> {
        self.read(|tables| tables.listed_run(&run))
    }

    fn runs(
        &self,
        filter: RunFilter,
        after: Option<RunCursor>,
        limit: usize,
    ) -> Boxed<'_, Result<Page<ListedRun, RunId>, Fault>> {
        self.read(|tables| tables.list_runs(&filter, after.as_ref(), limit))
    }

    fn wait(&self, wait: WaitId) -> Boxed<'_, Result<Option<Wait>, Fault>> {
        self.read(|tables| tables.waits.get(&wait).cloned())
    }

    fn waits(
        &self,
        filter: WaitFilter,
        after: Option<WaitCursor>,
        limit: usize,
    ) -> Boxed<'_, Result<Page<Wait, WaitId>, Fault>> {
        self.read(|tables| tables.list_waits(&filter, after.as_ref(), limit))
    }

    fn signals(&self, run: RunId, after: SignalId, limit: usize) -> Boxed<'_, Result<Vec<Signal>, Fault>> {
        self.read(|tables| tables.signals(&run, after, limit))
    }

    fn standing(&self, workspace: String) -> Boxed<'_, Result<Vec<StandingApproval>, Fault>> {
        self.read(|tables| tables.standing(&workspace))
    }

    fn all_standing(&self) -> Boxed<'_, Result<Vec<StandingApproval>, Fault>> {
        self.read(|tables| tables.approvals.values().cloned().collect())
    }

    fn sealed(&self, run: RunId, action: ActionId) -> Boxed<'_, Result<Option<Vec<u8>>, Fault>> {
        self.read(|tables| tables.sealed(&run, action))
    }

    fn session(&self, session: SessionId) -> Boxed<'_, Result<Option<SessionRow>, Fault>> {
        self.read(|tables| tables.sessions.get(&session).cloned())
    }

    fn sessions(
        &self,
        filter: SessionFilter,
        after: Option<SessionCursor>,
        limit: usize,
    ) -> Boxed<'_, Result<Page<SessionRow, SessionId>, Fault>> {
        self.read(|tables| tables.list_sessions(&filter, after.as_ref(), limit))
    }

    fn session_entries(
        &self,
        session: SessionId,
        after: u64,
        limit: usize,
    ) -> Boxed<'_, Result<Vec<Entry>, Fault>> {
        self.read(|tables| tables.session_entries(&session, after, limit))
    }

    fn recent_pending(&self, recent: RecentSession) -> Boxed<'_, Result<Option<SessionRow>, Fault>> {
        self.read(|tables| tables.recent_pending(&recent))
    }

    fn artifact(&self, digest: Digest) -> Boxed<'_, Result<Option<Vec<u8>>, Fault>> {
        self.read(|tables| tables.artifact(&digest))
    }

    fn artifact_part(&self, digest: Digest, part: u64) -> Boxed<'_, Result<Option<Vec<u8>>, Fault>> {
        self.read(|tables| tables.artifact_part(&digest, part))
    }

    fn artifact_info(&self, digest: Digest) -> Boxed<'_, Result<Option<ArtifactInfo>, Fault>> {
        self.read(|tables| tables.artifact_info(&digest))
    }

    fn pruned(&self) -> Boxed<'_, Result<Vec<Pruned>, Fault>> {
        self.read(|tables| tables.pruned())
    }

    fn stats(&self) -> Boxed<'_, Result<StoreStats, Fault>> {
        self.read(|tables| tables.stats())
    }

    fn verify_rows(&self) -> Boxed<'_, Result<Vec<RowProblem>, Fault>> {
        self.read(|tables| tables.verify_rows())
    }
}

/// An artifact that arrives in parts.
struct MemoryUpload {
    store: MemoryStore,
    media: String,
    parts: Vec<Vec<u8>>,
    size: u64,
}

impl Upload for MemoryUpload {
    fn append(&mut self, part: Vec<u8>) -> Boxed<'_, Result<(), Fault>> {
        self.size += part.len() as u64;
        self.parts.push(part);
        Box::pin(std::future::ready(Ok(())))
    }

    fn size(&self) -> u64 {
        self.size
    }

    fn finish(self: Box<Self>) -> Boxed<'static, Result<ArtifactInfo, Fault>> {
        let Self { store, media, parts, size: _ } = *self;
        store.write(|tables, now| Ok(tables.put_artifact(now, media, parts)))
    }
}
