//! The reader threads: each has a connection, and they share one queue.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};

use provost_runtime::port::Fault;
use rusqlite::Connection;
use tokio::sync::{mpsc, oneshot};

use super::error::fault;

const QUEUE_MAX: usize = 1_024;

type Job = Box<dyn FnOnce(&Connection) + Send>;

/// The handle of the reader threads. Dropping it ends them.
pub(super) struct Readers {
    queue: Option<mpsc::Sender<Job>>,
    threads: Vec<JoinHandle<()>>,
    path: PathBuf,
    patience_ms: u64,
}

impl Readers {
    pub(super) fn start(
        connections: Vec<Connection>,
        path: PathBuf,
        patience_ms: u64,
    ) -> std::io::Result<Self> {
        let (queue, jobs) = mpsc::channel(QUEUE_MAX);
        let jobs = Arc::new(Mutex::new(jobs));
        let start = |connection: Connection| {
            let jobs = jobs.clone();
            thread::Builder::new()
                .name("provost-store-reader".to_owned())
                .spawn(move || serve(&connection, &jobs))
        };
        let threads = connections.into_iter().map(start).collect::<Result<_, _>>()?;
        Ok(Self { queue: Some(queue), threads, path, patience_ms })
    }

    /// Runs a query. Each query finishes its statements, so that no open one holds the log.
    pub(super) async fn read<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T, Fault> {
        let (reply, answer) = oneshot::channel();
        let job: Job = Box::new(move |connection| {
            // The caller may have stopped waiting.
            let _ = reply.send(work(connection));
        });
        let queue = self.queue.as_ref().ok_or(Fault::Closed)?;
        queue.send(job).await.map_err(|_| Fault::Closed)?;
        let found = answer.await.map_err(|_| Fault::Closed)?;
        found.map_err(|error| fault(&Arc::new(error), &self.path, self.patience_ms))
    }
}

impl Drop for Readers {
    fn drop(&mut self) {
        self.queue = None;
        for thread in self.threads.drain(..) {
            // Callers of a reader that panicked have been answered by the closed channel.
            let _ = thread.join();
        }
    }
}

/// One reader waits at the queue, the others wait for the lock.
fn serve(connection: &Connection, jobs: &Mutex<mpsc::Receiver<Job>>) {
    let next = || jobs.lock().unwrap_or_else(PoisonError::into_inner).blocking_recv();
    while let Some(job) = next() {
        job(connection);
    }
}
