//! What durable steps cost at least: their bytes appended to a plain SQLite table, one commit each.

use std::path::Path;

use rusqlite::Connection;

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
        "CREATE TABLE steps (run TEXT, seq INTEGER, body TEXT, PRIMARY KEY (run, seq)) WITHOUT ROWID",
    )?;
    let steps: Vec<String> =
        (1..=turns).flat_map(|turn| fake.steps(turn)).chain(["done".to_owned()]).collect();
    let mut statement = connection.prepare("INSERT INTO steps VALUES ('run_0', ?1, ?2)")?;
    let (appended, seconds) = timed(|| {
        steps.iter().zip(0_i64..).try_for_each(|(body, seq)| statement.execute((seq, body)).map(drop))
    });
    appended?;
    let count: i64 = connection.query_row("SELECT count(*) FROM steps", [], |row| row.get(0))?;
    if count != i64::try_from(steps.len())? {
        return Err("steps were lost".into());
    }
    Ok(seconds)
}
