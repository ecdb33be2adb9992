//! The store behind the port: writes go to the writer, reads to the readers.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use provost_engine::{
    ActionId, AnswerPost, Commit, Digest, NewRun, Record, RunId, Seq, SessionId, SignalId, SignalPost,
    StandingApproval, Time, WaitId, WorkerId,
};
use provost_runtime::port::{Boxed, Fault};
use provost_runtime::store::{
    About, AcceptError, Accepted, AnswerError, Answered, ArtifactInfo, Beat, ClaimError, ClaimFilter,
    Claimed, CommitError, Committed, Entry, Erase, EraseError, Expired, Imported, ListedRun, NewSession,
    Page, PostError, Posted, Prune, PruneFilter, Pruned, RecentSession, RegisterError, ResumeError,
    RevokePost, RowProblem, RunCursor, RunFilter, Said, SayError, SayPost, SessionCursor, SessionError,
    SessionFilter, SessionRow, Signal, Store, StoreStats, Upload, Wait, WaitCursor, WaitFilter, Worker,
    rules,
};
use rusqlite::Connection;
use tokio::sync::watch;

use super::artifacts::{self, SqliteUpload};
use super::db::Db;
use super::lists;
use super::open::{self, View};
use super::open_error::OpenError;
use super::options::SqliteOptions;
use super::readers::Readers;
use super::watcher::Watcher;
use super::writer::{Log, Writer, WriterState};

/// A store of runs in an SQLite file. Clones share its threads; another process, or another `open`, has its own.
#[derive(Clone)]
pub struct SqliteStore {
    shared: Arc<Shared>,
}

/// The threads of a store. Fields are dropped in order: the connection that closes last copies the log into the
/// file and removes it, which only the writer's can do.
pub(super) struct Shared {
    readers: Readers,
    _watcher: Option<Watcher>,
    pub(super) writer: Writer,
    written: Arc<watch::Sender<u64>>,
    /// The workspace that the last claim served.
    served: Arc<Mutex<Option<String>>>,
}

impl SqliteStore {
    /// Opens a file, and makes it and its folder when they are missing. Blocks while it does.
    ///
    /// # Errors
    /// [`OpenError`] says what is wrong with the file and what to do. A file that is refused is left as it is.
    pub fn open(path: &Path, options: &SqliteOptions) -> Result<Self, OpenError> {
        let written = Arc::new(watch::Sender::new(0));
        let state = WriterState {
            connection: open::writing(path, options)?,
            path: path.to_owned(),
            patience_ms: options.patience_ms,
            clock: options.clock.clone(),
            written: written.clone(),
        };
        let first = open::reading(path, View::Shared, options)?;
        let writer = Writer::start(state).map_err(|source| OpenError::failed(path, source))?;
        Self::start(path, options, writer, (first, View::Shared), written)
    }

    /// Opens an existing file only to read it. Makes no database and no folder, and changes no permission and no
    /// schema. Every write is refused with [`Fault::ReadOnly`]. Works where nothing can be written, as long as no
    /// log is beside the file; where something can, SQLite leaves its shared memory and an empty log there.
    /// Blocks while it opens.
    ///
    /// # Errors
    /// [`OpenError`] says what is wrong with the file and what to do.
    pub fn look(path: &Path, options: &SqliteOptions) -> Result<Self, OpenError> {
        let first = open::looking(path, options)?;
        Self::start(path, options, Writer::refusing(path), first, Arc::new(watch::Sender::new(0)))
    }

    fn start(
        path: &Path,
        options: &SqliteOptions,
        writer: Writer,
        (first, view): (Connection, View),
        written: Arc<watch::Sender<u64>>,
    ) -> Result<Self, OpenError> {
        let failed = |source: std::io::Error| OpenError::failed(path, source);
        let more = (1..options.readers).map(|_| open::reading(path, view, options));
        let readers = std::iter::once(Ok(first)).chain(more).collect::<Result<_, _>>()?;
        let readers = Readers::start(readers, path.to_owned(), options.patience_ms).map_err(failed)?;
        let watcher = match view {
            View::Shared => {
                let connection = open::reading(path, view, options)?;
                Some(Watcher::start(connection, written.clone()).map_err(failed)?)
            }
            // No process can write there.
            View::Immutable => None,
        };
        let shared = Shared { readers, _watcher: watcher, writer, written, served: Arc::default() };
        Ok(Self { shared: Arc::new(shared) })
    }

    fn write<'a, T, E>(
        &'a self,
        log: Log,
        work: impl FnMut(&mut Db<'_>, Time) -> Result<T, E> + Send + 'static,
    ) -> Boxed<'a, Result<T, E>>
    where
        T: Send + 'static,
        E: From<Fault> + Send + 'static,
    {
        Box::pin(self.shared.writer.write(log, work))
    }

    fn read<'a, T: Send + 'static>(
        &'a self,
        work: impl FnOnce(&Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> Boxed<'a, Result<T, Fault>> {
        Box::pin(self.shared.readers.read(work))
    }
}

impl Store for SqliteStore {
    fn accept(&self, new: NewRun) -> Boxed<'_, Result<Accepted, AcceptError>> {
        self.write(Log::Grows, move |db, now| rules::accept(db, now, &new))
    }

    fn commit(&self, commit: Arc<Commit>) -> Boxed<'_, Result<Committed, CommitError>> {
        self.write(Log::Grows, move |db, now| rules::commit(db, now, &commit))
    }

    fn post(&self, post: SignalPost) -> Boxed<'_, Result<Posted, PostError>> {
        self.write(Log::Grows, move |db, now| rules::post(db, now, &post))
    }

    fn answer(&self, answer: AnswerPost) -> Boxed<'_, Result<Answered, AnswerError>> {
        self.write(Log::Grows, move |db, now| rules::answer(db, now, &answer))
    }

    fn expire_due(&self, most: usize) -> Boxed<'_, Result<Expired, Fault>> {
        self.write(Log::Grows, move |db, now| rules::expire_due(db, now, most))
    }

    fn resume(&self, post: SignalPost) -> Boxed<'_, Result<Posted, ResumeError>> {
        self.write(Log::Grows, move |db, now| rules::resume(db, now, &post))
    }

    fn say(&self, say: SayPost) -> Boxed<'_, Result<Said, SayError>> {
        self.write(Log::Grows, move |db, now| rules::say(db, now, &say))
    }

    fn revoke_standing(&self, revoke: RevokePost) -> Boxed<'_, Result<bool, Fault>> {
        self.write(Log::Grows, move |db, now| rules::revoke_standing(db, now, &revoke))
    }

    fn register(
        &self,
        worker: WorkerId,
        about: About,
        ttl_ms: u64,
    ) -> Boxed<'_, Result<Time, RegisterError>> {
        self.write(Log::Grows, move |db, now| rules::register(db, now, &worker, &about, ttl_ms))
    }

    fn beat(&self, worker: WorkerId, ttl_ms: u64) -> Boxed<'_, Result<Beat, Fault>> {
        self.write(Log::Grows, move |db, now| rules::beat(db, now, &worker, ttl_ms))
    }

    fn bury_expired(&self) -> Boxed<'_, Result<Vec<RunId>, Fault>> {
        self.write(Log::Grows, move |db, now| rules::bury_expired(db, now))
    }

    fn bury(&self, worker: WorkerId) -> Boxed<'_, Result<Vec<RunId>, Fault>> {
        self.write(Log::Grows, move |db, now| rules::bury(db, now, &worker))
    }

    fn create_session(&self, new: NewSession) -> Boxed<'_, Result<SessionRow, SessionError>> {
        self.write(Log::Grows, move |db, now| rules::create_session(db, now, &new))
    }

    fn rename_session(
        &self,
        session: SessionId,
        title: Option<String>,
    ) -> Boxed<'_, Result<(), SessionError>> {
        self.write(Log::Grows, move |db, now| rules::rename_session(db, now, &session, title.as_deref()))
    }

    fn fork_session(
        &self,
        session: SessionId,
        upto: u64,
        new: NewSession,
    ) -> Boxed<'_, Result<SessionRow, SessionError>> {
        self.write(Log::Grows, move |db, now| rules::fork_session(db, now, &session, upto, &new))
    }

    fn append_session(
        &self,
        session: SessionId,
        version: u64,
        entries: Vec<Imported>,
    ) -> Boxed<'_, Result<u64, SessionError>> {
        self.write(Log::Grows, move |db, now| rules::append_session(db, now, &session, version, &entries))
    }

    fn erase(&self, erase: Erase) -> Boxed<'_, Result<(), EraseError>> {
        self.write(Log::Emptied, move |db, _| rules::erase(db, &erase))
    }

    fn compact(&self) -> Boxed<'_, Result<(), Fault>> {
        self.write(Log::Rewritten, |_, _| Ok(()))
    }

    fn prune(&self, filter: PruneFilter) -> Boxed<'_, Result<Prune, Fault>> {
        let log = if filter.preview { Log::Grows } else { Log::Emptied };
        self.write(log, move |db, now| rules::prune(db, now, &filter))
    }

    fn claim_due(
        &self,
        worker: WorkerId,
        filter: ClaimFilter,
        most: usize,
    ) -> Boxed<'_, Result<Vec<Claimed>, ClaimError>> {
        let served = self.shared.served.clone();
        self.write(Log::Grows, move |db, now| {
            let mut served = served.lock().unwrap_or_else(PoisonError::into_inner);
            rules::claim_due(db, now, &worker, &filter, most, &mut served)
        })
    }

    fn put_artifact(&self, media: String, bytes: Vec<u8>) -> Boxed<'_, Result<ArtifactInfo, Fault>> {
        let (digest, size) = (Digest::of(&bytes), bytes.len() as u64);
        let encoded = artifacts::encode(bytes);
        self.write(Log::Grows, move |db, now| artifacts::put(db, now, (digest, size, &media), &encoded))
    }

    fn upload(&self, media: String) -> Box<dyn Upload> {
        Box::new(SqliteUpload::new(self.shared.clone(), media))
    }

    fn watch(&self) -> watch::Receiver<u64> {
        self.shared.written.subscribe()
    }

    fn stats(&self) -> Boxed<'_, Result<StoreStats, Fault>> {
        Box::pin(async {
            let mut stats = self.read(lists::stats).await?;
            stats.checkpoint_problem = self.shared.writer.checkpoint_problem();
            Ok(stats)
        })
    }

    fn worker(&self, worker: WorkerId) -> Boxed<'_, Result<Option<Worker>, Fault>> {
        self.read(move |connection| lists::worker(connection, &worker))
    }

    fn workers(&self) -> Boxed<'_, Result<Vec<Worker>, Fault>> {
        self.read(lists::workers)
    }

    fn mail(&self, worker: WorkerId) -> Boxed<'_, Result<Vec<RunId>, Fault>> {
        self.read(move |connection| lists::mail(connection, &worker))
    }

    fn held(&self, worker: WorkerId) -> Boxed<'_, Result<Vec<Claimed>, Fault>> {
        self.read(move |connection| lists::held(connection, &worker))
    }

    fn next_due(&self) -> Boxed<'_, Result<Option<Time>, Fault>> {
        self.read(lists::next_due)
    }

    fn journal(&self, run: RunId, after: Seq, limit: usize) -> Boxed<'_, Result<Vec<Record>, Fault>> {
        self.read(move |connection| lists::journal(connection, &run, after, limit))
    }

    fn tails(&self, after: Vec<(RunId, Seq)>, each: usize) -> Boxed<'_, Result<Vec<(RunId, Record)>, Fault>> {
        self.read(move |connection| lists::tails(connection, &after, each))
    }

    fn run(&self, run: RunId) -> Boxed<'_, Result<Option<ListedRun>, Fault>> {
        self.read(move |connection| lists::run(connection, &run))
    }

    fn runs(
        &self,
        filter: RunFilter,
        after: Option<RunCursor>,
        limit: usize,
    ) -> Boxed<'_, Result<Page<ListedRun, RunId>, Fault>> {
        self.read(move |connection| lists::runs(connection, filter, after, limit))
    }

    fn wait(&self, wait: WaitId) -> Boxed<'_, Result<Option<Wait>, Fault>> {
        self.read(move |connection| lists::wait(connection, &wait))
    }

    fn waits(
        &self,
        filter: WaitFilter,
        after: Option<WaitCursor>,
        limit: usize,
    ) -> Boxed<'_, Result<Page<Wait, WaitId>, Fault>> {
        self.read(move |connection| lists::waits(connection, filter, after, limit))
    }

    fn signals(&self, run: RunId, after: SignalId, limit: usize) -> Boxed<'_, Result<Vec<Signal>, Fault>> {
        self.read(move |connection| lists::signals(connection, &run, after, limit))
    }

    fn standing(&self, workspace: String) -> Boxed<'_, Result<Vec<StandingApproval>, Fault>> {
        self.read(move |connection| lists::standing(connection, &workspace))
    }

    fn all_standing(&self) -> Boxed<'_, Result<Vec<StandingApproval>, Fault>> {
        self.read(lists::all_standing)
    }

    fn sealed(&self, run: RunId, action: ActionId) -> Boxed<'_, Result<Option<Vec<u8>>, Fault>> {
        self.read(move |connection| lists::sealed(connection, &run, action))
    }

    fn session(&self, session: SessionId) -> Boxed<'_, Result<Option<SessionRow>, Fault>> {
        self.read(move |connection| lists::session(connection, &session))
    }

    fn sessions(
        &self,
        filter: SessionFilter,
        after: Option<SessionCursor>,
        limit: usize,
    ) -> Boxed<'_, Result<Page<SessionRow, SessionId>, Fault>> {
        self.read(move |connection| lists::sessions(connection, filter, after, limit))
    }

    fn session_entries(
        &self,
        session: SessionId,
        after: u64,
        limit: usize,
    ) -> Boxed<'_, Result<Vec<Entry>, Fault>> {
        self.read(move |connection| lists::session_entries(connection, &session, after, limit))
    }

    fn recent_pending(&self, recent: RecentSession) -> Boxed<'_, Result<Option<SessionRow>, Fault>> {
        self.read(move |connection| lists::recent_pending(connection, &recent))
    }

    fn artifact(&self, digest: Digest) -> Boxed<'_, Result<Option<Vec<u8>>, Fault>> {
        self.read(move |connection| artifacts::bytes(connection, digest))
    }

    fn artifact_part(&self, digest: Digest, part: u64) -> Boxed<'_, Result<Option<Vec<u8>>, Fault>> {
        self.read(move |connection| artifacts::part(connection, digest, part))
    }

    fn artifact_info(&self, digest: Digest) -> Boxed<'_, Result<Option<ArtifactInfo>, Fault>> {
        self.read(move |connection| artifacts::info(connection, digest))
    }

    fn pruned(&self) -> Boxed<'_, Result<Vec<Pruned>, Fault>> {
        self.read(lists::pruned)
    }

    fn verify_rows(&self) -> Boxed<'_, Result<Vec<RowProblem>, Fault>> {
        self.read(lists::verify_rows)
    }
}
