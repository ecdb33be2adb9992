//! What durable steps cost at least: their bytes appended to a plain SQLite table by a writer thread, one commit each.

use std::path::Path;

use rusqlite::Connection;
use tokio::sync::{mpsc, oneshot};

use super::fake::Fake;
use crate::Failure;
use crate::bench::measure::timed;

/// Appends the steps of so many turns and of the answer at the end.
pub(super) fn append(path: &Path, fake: &Fake, turns: u64) -> Result<f64, Failure> {
    #[expect(clippy::disallowed_methods, reason = "this is what the product's own door is compared with")]
    let connection = Connection::open(path)?;
    connection.pragma_update_and_check(None, "journal_mode", "wal", |_| Ok(()))?;
    connection.pragma_update(None, "synchronous", "full")?;
    connection.execute_batch(
        "CREATE TABLE steps (id INTEGER PRIMARY KEY, run TEXT NOT NULL, seq INTEGER NOT NULL, body TEXT NOT NULL)",
    )?;
    let steps: Vec<String> =
        (1..=turns).flat_map(|turn| fake.steps(turn)).chain(["done".to_owned()]).collect();
    let count = steps.len();
    let (sender, writer) = writer(connection);
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).build()?;
    // A task, as a run is one: the caller's thread would be woken differently.
    let appending = runtime.spawn(async move {
        for (body, seq) in steps.into_iter().zip(0_i64..) {
            let (done, committed) = oneshot::channel();
            sender.send((seq, body, done)).await.ok()?;
            committed.await.ok()?;
        }
        Some(())
    });
    let (appended, seconds) = timed(|| runtime.block_on(appending));
    let connection = writer.join().map_err(|_| "the writer broke")??;
    let written: i64 = connection.query_row("SELECT count(*) FROM steps", [], |row| row.get(0))?;
    if appended?.is_none() || written != i64::try_from(count)? {
        return Err("steps were lost".into());
    }
    Ok(seconds)
}

type Step = (i64, String, oneshot::Sender<()>);
type Writer = std::thread::JoinHandle<rusqlite::Result<Connection>>;

/// A thread that commits one step after the other.
fn writer(connection: Connection) -> (mpsc::Sender<Step>, Writer) {
    let (sender, mut steps) = mpsc::channel::<Step>(64);
    let writer = std::thread::spawn(move || {
        while let Some((seq, body, done)) = steps.blocking_recv() {
            let insert = "INSERT INTO steps (run, seq, body) VALUES ('run_0', ?1, ?2)";
            connection.prepare_cached(insert)?.execute((seq, body))?;
            // The reader may be gone.
            let _ = done.send(());
        }
        Ok(connection)
    });
    (sender, writer)
}
