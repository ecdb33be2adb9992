//! The writer thread: all that waits goes into one transaction, and is answered after its commit.

use std::path::PathBuf;
use std::thread::{self, JoinHandle};

use provost_runtime::port::Fault;
use rusqlite::{Connection, ErrorCode};
use tokio::sync::{mpsc, oneshot};

use super::broken::Broken;
use super::work;

/// How many pieces of work one transaction takes.
const GROUP_MAX: usize = 256;

/// A piece of work for the writer. It may be asked to work again in another transaction when the
/// first was rolled back.
trait Job: Send {
    fn work(&mut self, connection: &Connection) -> Result<(), Broken>;
    fn answer(self: Box<Self>, outcome: Result<(), Fault>);
}

struct Asked<T, Work> {
    work: Work,
    done: Option<T>,
    reply: oneshot::Sender<Result<T, Fault>>,
}

impl<T, Work> Job for Asked<T, Work>
where
    T: Send,
    Work: FnMut(&Connection) -> Result<T, Broken> + Send,
{
    fn work(&mut self, connection: &Connection) -> Result<(), Broken> {
        self.done = Some((self.work)(connection)?);
        Ok(())
    }

    fn answer(self: Box<Self>, outcome: Result<(), Fault>) {
        let Self { done, reply, .. } = *self;
        // Whoever asked may have stopped listening.
        let _ = reply.send(outcome.and_then(|()| done.ok_or(Fault::Closed)));
    }
}

/// The handle of the writer thread. Dropping it finishes what waits and ends the thread.
pub(super) struct Writer {
    inbox: Option<mpsc::Sender<Box<dyn Job>>>,
    thread: Option<JoinHandle<()>>,
}

impl Writer {
    pub(super) fn start(
        connection: Connection,
        path: PathBuf,
        patience_ms: u64,
        queue_max: usize,
    ) -> std::io::Result<Self> {
        let (sender, inbox) = mpsc::channel(queue_max.max(1));
        let desk = Desk { connection, path, patience_ms };
        let thread =
            thread::Builder::new().name("provost-writer".to_owned()).spawn(move || desk.run(inbox))?;
        Ok(Self { inbox: Some(sender), thread: Some(thread) })
    }

    /// Has the writer do some work, and waits until it is on the disk.
    pub(super) async fn write<T, Work>(&self, work: Work) -> Result<T, Fault>
    where
        T: Send + 'static,
        Work: FnMut(&Connection) -> Result<T, Broken> + Send + 'static,
    {
        let (reply, answer) = oneshot::channel();
        let inbox = self.inbox.as_ref().ok_or(Fault::Closed)?;
        inbox.send(Box::new(Asked { work, done: None, reply })).await.map_err(|_| Fault::Closed)?;
        answer.await.unwrap_or_else(|gone| Err(Fault::Unknown(Box::new(gone))))
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.inbox = None;
        if let Some(thread) = self.thread.take() {
            // A writer that panicked has told whoever waited by not answering.
            let _ = thread.join();
        }
    }
}

/// Where the writer sits.
struct Desk {
    connection: Connection,
    path: PathBuf,
    patience_ms: u64,
}

/// Where a transaction failed.
enum Failure {
    /// It never began: nobody's work was looked at.
    Begin(Broken),
    /// Some work in it failed, or it does not fit as a whole.
    Work(Broken),
    /// The disk failed while it was made durable.
    Commit(Broken),
}

impl Desk {
    fn run(self, mut inbox: mpsc::Receiver<Box<dyn Job>>) {
        let mut group = Vec::with_capacity(GROUP_MAX);
        while inbox.blocking_recv_many(&mut group, GROUP_MAX) > 0 {
            self.serve(&mut group);
        }
    }

    fn serve(&self, group: &mut Vec<Box<dyn Job>>) {
        match self.commit(group) {
            // One piece of work must not fail the others: each gets a transaction of its own.
            Err(Failure::Work(_)) if group.len() > 1 => {
                for mut job in group.drain(..) {
                    let outcome = self.commit(std::slice::from_mut(&mut job));
                    job.answer(outcome.map_err(|failure| self.fault(&failure)));
                }
            }
            Err(failure) => group.drain(..).for_each(|job| job.answer(Err(self.fault(&failure)))),
            Ok(()) => group.drain(..).for_each(|job| job.answer(Ok(()))),
        }
    }

    fn commit(&self, group: &mut [Box<dyn Job>]) -> Result<(), Failure> {
        let begin = || self.statement("BEGIN IMMEDIATE");
        work::patiently(self.patience_ms, begin).map_err(Failure::Begin)?;
        let worked = group.iter_mut().try_for_each(|job| job.work(&self.connection)).map_err(Failure::Work);
        let outcome = worked.and_then(|()| self.statement("COMMIT").map_err(Failure::of_commit));
        if outcome.is_err() {
            work::roll_back(&self.connection);
        }
        outcome
    }

    fn statement(&self, sql: &str) -> Result<(), Broken> {
        self.connection.prepare_cached(sql)?.execute([])?;
        Ok(())
    }

    fn fault(&self, failure: &Failure) -> Fault {
        match failure {
            Failure::Begin(broken) | Failure::Work(broken) => broken.fault(&self.path, self.patience_ms),
            Failure::Commit(Broken::Sqlite(error)) => Fault::Unknown(Box::new(error.clone())),
            Failure::Commit(broken @ Broken::Damaged(_)) => broken.fault(&self.path, self.patience_ms),
        }
    }
}

impl Failure {
    /// A commit that finds no room wrote nothing that counts; any other failing disk leaves it open.
    fn of_commit(broken: Broken) -> Self {
        if broken.code() == Some(ErrorCode::DiskFull) { Self::Work(broken) } else { Self::Commit(broken) }
    }
}
