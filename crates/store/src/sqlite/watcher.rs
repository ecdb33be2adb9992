//! The watcher: one thread per process that notices what other processes write.

use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use rusqlite::Connection;
use tokio::sync::watch;

/// How often the file is looked at. Costs 0.4 % of a core.
const POLL: Duration = Duration::from_millis(25);

/// The handle of the watcher. Dropping it ends the thread.
pub(super) struct Watcher {
    stop: Option<mpsc::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Watcher {
    pub(super) fn start(connection: Connection, written: Arc<watch::Sender<u64>>) -> std::io::Result<Self> {
        let (stop, stopped) = mpsc::channel();
        // Read before the store is handed out: what is written from then on must be noticed.
        let seen = version(&connection);
        let thread = thread::Builder::new()
            .name("provost-store-watcher".to_owned())
            .spawn(move || poll(&connection, seen, &written, &stopped))?;
        Ok(Self { stop: Some(stop), thread: Some(thread) })
    }
}

impl Drop for Watcher {
    fn drop(&mut self) {
        self.stop = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn version(connection: &Connection) -> Option<i64> {
    connection.query_row("PRAGMA data_version", [], |row| row.get(0)).ok()
}

/// Rings when the version of the data moved. It moves for the own writer as well, which only rings once more.
fn poll(
    connection: &Connection,
    mut seen: Option<i64>,
    written: &watch::Sender<u64>,
    stopped: &mpsc::Receiver<()>,
) {
    while stopped.recv_timeout(POLL) == Err(RecvTimeoutError::Timeout) {
        if written.receiver_count() == 0 {
            continue;
        }
        let now = version(connection);
        if now != seen {
            seen = now;
            written.send_modify(|count| *count += 1);
        }
    }
}
