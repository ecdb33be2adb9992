//! The reader threads: each has a connection, and they share one queue.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};

use provost_runtime::port::Fault;
use rusqlite::Connection;
use tokio::sync::{mpsc, oneshot};

use super::broken::Broken;
use super::migrate;

type Job = Box<dyn FnOnce(&Connection) + Send>;

/// The handle of the reader threads. Dropping it ends them, so that the file is closed afterwards.
pub(super) struct Readers {
    inbox: Option<mpsc::Sender<Job>>,
    threads: Vec<JoinHandle<()>>,
    path: PathBuf,
    patience_ms: u64,
}

impl Readers {
    pub(super) fn start(
        connections: Vec<Connection>,
        path: PathBuf,
        patience_ms: u64,
        queue_max: usize,
    ) -> std::io::Result<Self> {
        let (inbox, jobs) = mpsc::channel::<Job>(queue_max.max(1));
        let jobs = Arc::new(Mutex::new(jobs));
        let start = |connection: Connection| {
            let (jobs, builder) = (jobs.clone(), thread::Builder::new().name("provost-reader".to_owned()));
            builder.spawn(move || serve(&connection, &jobs))
        };
        let threads = connections.into_iter().map(start).collect::<Result<_, _>>()?;
        Ok(Self { inbox: Some(inbox), threads, path, patience_ms })
    }

    /// Has a reader look something up.
    pub(super) async fn read<T, Work>(&self, work: Work) -> Result<T, Fault>
    where
        T: Send + 'static,
        Work: FnOnce(&Connection) -> Result<T, Broken> + Send + 'static,
    {
        let (reply, answer) = oneshot::channel();
        let job: Job = Box::new(move |connection| {
            // Whoever asked may have stopped listening.
            let _ = reply.send(work(connection));
        });
        let inbox = self.inbox.as_ref().ok_or(Fault::Closed)?;
        inbox.send(job).await.map_err(|_| Fault::Closed)?;
        let outcome = answer.await.map_err(|_| Fault::Closed)?;
        outcome.map_err(|broken| broken.fault(&self.path, self.patience_ms))
    }
}

impl Drop for Readers {
    fn drop(&mut self) {
        self.inbox = None;
        for thread in self.threads.drain(..) {
            // A reader that panicked has told whoever waited by not answering.
            let _ = thread.join();
        }
    }
}

/// One reader waits at the queue, the others wait for its place.
fn serve(connection: &Connection, jobs: &Mutex<mpsc::Receiver<Job>>) {
    let next = || jobs.lock().unwrap_or_else(PoisonError::into_inner).blocking_recv();
    // What cannot be found out here fails for whoever reads, who is told why.
    let stands_in = || migrate::has_stand_ins(connection).unwrap_or_default();
    let mut older = stands_in();
    while let Some(job) = next() {
        if older {
            let _ = migrate::stand_down(connection);
            older = stands_in();
        }
        job(connection);
    }
}
