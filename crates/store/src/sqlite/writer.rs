//! The writer thread: all that waits goes into one transaction, and is answered after its commit.

use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};

use provost_runtime::port::Fault;
use rusqlite::Connection;
use tokio::sync::mpsc;

use super::broken::Broken;
use super::desk::Desk;
use super::job::{Asked, Job, Open};
use super::ledger::Ledger;
use super::packed::Packing;

/// How many pieces of work one transaction takes.
const GROUP_MAX: usize = 256;
/// Up to so many, all that waits goes into one.
const GROUP_WHOLE: usize = 32;

/// The handle of the writer thread. Dropping it finishes what waits and ends the thread.
pub(super) struct Writer {
    desk: Arc<Mutex<Desk>>,
    open: Open,
    inbox: Option<mpsc::Sender<Box<dyn Job>>>,
    thread: Option<JoinHandle<()>>,
}

impl Writer {
    pub(super) fn start(desk: Desk, queue_max: usize) -> std::io::Result<Self> {
        let (sender, inbox) = mpsc::channel(queue_max.max(1));
        let desk = Arc::new(Mutex::new(desk));
        let at_desk = desk.clone();
        let thread =
            thread::Builder::new().name("provost-writer".to_owned()).spawn(move || run(&at_desk, inbox))?;
        Ok(Self { desk, open: Open::default(), inbox: Some(sender), thread: Some(thread) })
    }

    /// How records are best written now.
    pub(super) fn packing(&self) -> Packing {
        if self.open.is_alone() { Packing::Small } else { Packing::Quick }
    }

    /// Has the writer do some work, and waits until it is on the disk.
    pub(super) async fn write<T, Work>(&self, work: Work) -> Result<T, Fault>
    where
        T: Send + 'static,
        Work: FnMut(&Connection, &mut Ledger) -> Result<T, Broken> + Send + 'static,
    {
        let (job, answer) = Asked::new(work, self.open.clone());
        self.queue(job).await?;
        answer.await.map_err(|gone| Fault::Unknown(Box::new(gone)))?.outcome
    }

    /// The same for a few bytes. Whoever is alone writes them here and now: nobody else would share the
    /// commit, and to wake the writer and be woken by it takes as long as a good disk does.
    pub(super) async fn write_small<T, Work>(&self, work: Work) -> Result<T, Fault>
    where
        T: Send + 'static,
        Work: FnMut(&Connection, &mut Ledger) -> Result<T, Broken> + Send + 'static,
    {
        let alone = self.open.is_alone();
        let (job, answer) = Asked::new(work, self.open.clone());
        let left = if alone { self.at_once(job) } else { Some(job as Box<dyn Job>) };
        if let Some(job) = left {
            self.queue(job).await?;
        }
        answer.await.map_err(|gone| Fault::Unknown(Box::new(gone)))?.outcome
    }

    /// Gives back what could not be done without waiting.
    fn at_once(&self, job: Box<dyn Job>) -> Option<Box<dyn Job>> {
        match self.desk.try_lock() {
            Ok(mut desk) => desk.serve_at_once(job),
            Err(_) => Some(job),
        }
    }

    async fn queue(&self, job: Box<dyn Job>) -> Result<(), Fault> {
        let inbox = self.inbox.as_ref().ok_or(Fault::Closed)?;
        inbox.send(job).await.map_err(|_| Fault::Closed)
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

fn run(desk: &Mutex<Desk>, mut inbox: mpsc::Receiver<Box<dyn Job>>) {
    let mut group = Vec::with_capacity(GROUP_MAX);
    loop {
        // When many wait, half of them are written at a time: while the disk works for one half, the
        // other, answered before, works out what it writes next.
        let most = (inbox.len() / 2).clamp(GROUP_WHOLE, GROUP_MAX);
        if inbox.blocking_recv_many(&mut group, most) == 0 {
            return;
        }
        // Whoever panicked at the desk may have left a transaction open: nobody writes there any more.
        let Ok(mut desk) = desk.lock() else { return };
        desk.serve(&mut group);
        desk.end_lap();
    }
}
