//! The writer thread: all that waits goes into one transaction and is answered after its commit.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};

use provost_engine::Time;
use provost_runtime::port::{Clock, Fault};
use rusqlite::{Connection, ErrorCode};
use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::{mpsc, oneshot, watch};

use super::db::Db;
use super::error::fault;

/// How many writes one transaction takes.
const GROUP_MAX: usize = 256;
/// How many writes may wait.
const QUEUE_MAX: usize = 1_024;
/// How much is written before the log is copied into the file.
const LOG_BYTES_MAX: u64 = 4 << 20;
/// About what a write adds to the log beside its own bytes: the pages it touches.
const WRITE_BYTES: u64 = 12 << 10;

/// What happens to the log after a write.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Log {
    /// It grows until it is large enough to be copied.
    Grows,
    /// It is emptied, because the write erased something.
    Emptied,
    /// The file is rewritten after the write, and the log is emptied.
    Rewritten,
}

/// One write, which may be tried more than once.
trait Job: Send {
    fn run(&mut self, db: &mut Db<'_>, now: Time);
    fn log(&self) -> Log;
    fn answer(self: Box<Self>, outcome: Result<(), Fault>);
}

struct Write<T, E, Work> {
    work: Work,
    log: Log,
    done: Option<Result<T, E>>,
    reply: oneshot::Sender<Result<T, E>>,
}

impl<T, E, Work> Job for Write<T, E, Work>
where
    T: Send,
    E: From<Fault> + Send,
    Work: FnMut(&mut Db<'_>, Time) -> Result<T, E> + Send,
{
    fn run(&mut self, db: &mut Db<'_>, now: Time) {
        let done = (self.work)(db, now);
        // A write whose statement failed is rolled back, so it must not look like a success.
        let lost = done.is_ok() && db.has_failed();
        self.done = Some(if lost { Err(Fault::Failed("a statement failed".into()).into()) } else { done });
    }

    fn log(&self) -> Log {
        self.log
    }

    fn answer(self: Box<Self>, outcome: Result<(), Fault>) {
        let done = self.done.unwrap_or(Err(Fault::Closed.into()));
        // The caller may have stopped waiting.
        let _ = self.reply.send(outcome.map_err(E::from).and(done));
    }
}

/// The handle of the writer thread. Dropping it finishes what waits and ends the thread.
pub(super) struct Writer {
    /// None in a store that only reads.
    queue: Option<mpsc::Sender<Box<dyn Job>>>,
    thread: Option<JoinHandle<()>>,
    checkpoint_problem: Arc<Mutex<Option<String>>>,
    place: String,
}

/// What the writer thread owns.
pub(super) struct WriterState {
    pub(super) connection: Connection,
    pub(super) path: PathBuf,
    pub(super) patience_ms: u64,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) written: Arc<watch::Sender<u64>>,
}

impl Writer {
    pub(super) fn start(state: WriterState) -> std::io::Result<Self> {
        let (queue, jobs) = mpsc::channel(QUEUE_MAX);
        let checkpoint_problem = Arc::new(Mutex::new(None));
        let (problem, place) = (checkpoint_problem.clone(), state.path.display().to_string());
        let thread = thread::Builder::new()
            .name("provost-store-writer".to_owned())
            .spawn(move || serve(&state, jobs, &problem))?;
        Ok(Self { queue: Some(queue), thread: Some(thread), checkpoint_problem, place })
    }

    /// Returns a writer without a thread, which refuses every write.
    pub(super) fn refusing(path: &Path) -> Self {
        Self {
            queue: None,
            thread: None,
            checkpoint_problem: Arc::default(),
            place: path.display().to_string(),
        }
    }

    /// Queues a write and waits until it is durable. A full queue is `Busy`; without one the store is `ReadOnly`.
    pub(super) async fn write<T, E>(
        &self,
        log: Log,
        work: impl FnMut(&mut Db<'_>, Time) -> Result<T, E> + Send + 'static,
    ) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<Fault> + Send + 'static,
    {
        let (reply, answer) = oneshot::channel();
        let job = Box::new(Write { work, log, done: None, reply });
        let queue = self.queue.as_ref().ok_or_else(|| Fault::ReadOnly { place: self.place.clone() })?;
        queue.try_send(job).map_err(|error| match error {
            TrySendError::Full(_) => {
                Fault::Busy { waited_ms: 0, holder: format!("this process: {QUEUE_MAX} writes wait") }
            }
            TrySendError::Closed(_) => Fault::Closed,
        })?;
        answer.await.map_err(|gone| Fault::Unknown(Box::new(gone)))?
    }

    /// Returns why the log could not be copied the last time.
    pub(super) fn checkpoint_problem(&self) -> Option<String> {
        self.checkpoint_problem.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.queue = None;
        if let Some(thread) = self.thread.take() {
            // Callers of a writer that panicked have been answered by the closed channel.
            let _ = thread.join();
        }
    }
}

fn serve(state: &WriterState, mut jobs: mpsc::Receiver<Box<dyn Job>>, problem: &Mutex<Option<String>>) {
    let copy = |empty: bool| {
        let outcome = checkpoint(&state.connection, empty).err();
        *problem.lock().unwrap_or_else(PoisonError::into_inner) = outcome.map(|error| error.to_string());
    };
    let mut group = Vec::with_capacity(GROUP_MAX);
    let mut log_bytes = 0;
    while jobs.blocking_recv_many(&mut group, GROUP_MAX) > 0 {
        let emptied = group.iter().any(|job| job.log() == Log::Emptied);
        log_bytes += group.len() as u64 * WRITE_BYTES;
        let changes = state.connection.total_changes();
        let db = &mut Db::new(&state.connection, &state.path, state.patience_ms);
        let finished = write_group(state, db, std::mem::take(&mut group));
        log_bytes += db.take_bytes();
        if emptied {
            // What was erased is gone before the caller hears of it.
            copy(true);
            log_bytes = 0;
        }
        // A look that found nothing is no reason to look again.
        if state.connection.total_changes() != changes {
            state.written.send_modify(|count| *count += 1);
        }
        for (job, outcome) in finished {
            let rewritten = job.log() == Log::Rewritten;
            job.answer(if rewritten { outcome.and_then(|()| rewrite(state)) } else { outcome });
        }
        if log_bytes >= LOG_BYTES_MAX {
            copy(false);
            log_bytes = 0;
        }
    }
}

type Finished = Vec<(Box<dyn Job>, Result<(), Fault>)>;

/// Writes a group in one transaction. If a statement fails, the whole group is rolled back and each write gets
/// a transaction of its own: a failed statement may leave half a write behind, and a savepoint does not survive
/// a full disk.
fn write_group(state: &WriterState, db: &mut Db<'_>, mut group: Vec<Box<dyn Job>>) -> Finished {
    let outcome = transaction(state, db, &mut group);
    if group.len() > 1 && matches!(outcome, Err(Failure::RolledBack(_))) {
        let alone = group.into_iter().map(|mut job| {
            let outcome = transaction(state, db, std::slice::from_mut(&mut job));
            let outcome = answer_of(state, &outcome);
            (job, outcome)
        });
        return alone.collect();
    }
    group.into_iter().map(|job| (job, answer_of(state, &outcome))).collect()
}

/// Why a transaction failed.
enum Failure {
    /// It was rolled back. Each write has its own answer unless the commit failed.
    RolledBack(Option<Arc<rusqlite::Error>>),
    /// It did not begin.
    NotBegun(Arc<rusqlite::Error>),
    /// The commit failed in a way that leaves open whether it was written.
    Commit(Arc<rusqlite::Error>),
}

fn transaction(state: &WriterState, db: &mut Db<'_>, group: &mut [Box<dyn Job>]) -> Result<(), Failure> {
    let begin = state.connection.execute_batch("BEGIN IMMEDIATE");
    begin.map_err(|error| Failure::NotBegun(Arc::new(error)))?;
    let now = Time(state.clock.now_ms());
    for job in group.iter_mut() {
        job.run(db, now);
        if db.take_failure() {
            roll_back(&state.connection);
            return Err(Failure::RolledBack(None));
        }
    }
    state.connection.execute_batch("COMMIT").map_err(|error| {
        roll_back(&state.connection);
        let open = error.sqlite_error_code() == Some(ErrorCode::SystemIoFailure);
        let error = Arc::new(error);
        if open { Failure::Commit(error) } else { Failure::RolledBack(Some(error)) }
    })
}

/// Returns what a write of a transaction is answered. After a failed statement it has an answer of its own.
fn answer_of(state: &WriterState, outcome: &Result<(), Failure>) -> Result<(), Fault> {
    match outcome {
        Ok(()) | Err(Failure::RolledBack(None)) => Ok(()),
        Err(Failure::RolledBack(Some(error)) | Failure::NotBegun(error)) => {
            Err(fault(error, &state.path, state.patience_ms))
        }
        Err(Failure::Commit(error)) => Err(Fault::Unknown(Box::new(error.clone()))),
    }
}

/// Ends a transaction that failed. SQLite may have ended it already.
fn roll_back(connection: &Connection) {
    if !connection.is_autocommit() {
        let _ = connection.execute_batch("ROLLBACK");
    }
}

/// Copies everything that is stored into new pages. Overwriting what is deleted is not enough: when SQLite moves rows
/// between pages, it leaves their old bytes in the unused part of a page.
fn rewrite(state: &WriterState) -> Result<(), Fault> {
    let vacuumed = state.connection.execute_batch("VACUUM");
    vacuumed.map_err(|error| fault(&Arc::new(error), &state.path, state.patience_ms))?;
    checkpoint(&state.connection, true)
        .map_err(|error| Fault::Busy { waited_ms: state.patience_ms, holder: error.to_string() })
}

/// Copies the log into the file, as far as no reader needs it; `empty` also waits for readers and cuts it off.
fn checkpoint(connection: &Connection, empty: bool) -> Result<(), Box<dyn std::error::Error>> {
    let sql = if empty { "PRAGMA wal_checkpoint(TRUNCATE)" } else { "PRAGMA wal_checkpoint(PASSIVE)" };
    let busy: bool = connection.query_row(sql, [], |row| row.get(0))?;
    if empty && busy {
        return Err("a reader holds the log, which still has what was erased".into());
    }
    Ok(())
}
