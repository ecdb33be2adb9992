//! Transactions, and patience with other processes.

use std::time::Duration;

use rusqlite::Connection;

use super::broken::Broken;

/// Runs some work in a transaction of its own that excludes other writers from the start.
pub(super) fn transaction<T>(
    connection: &Connection,
    work: impl FnOnce() -> Result<T, Broken>,
) -> Result<T, Broken> {
    connection.execute_batch("BEGIN IMMEDIATE")?;
    let done = work().and_then(|done| {
        connection.execute_batch("COMMIT")?;
        Ok(done)
    });
    if done.is_err() {
        roll_back(connection);
    }
    done
}

/// Ends a transaction that failed. SQLite may have ended it already, and there is nothing else to do.
pub(super) fn roll_back(connection: &Connection) {
    if !connection.is_autocommit() {
        let _ = connection.execute_batch("ROLLBACK");
    }
}

/// Tries again while another process is in the way, until `patience_ms` are over.
///
/// SQLite's own waiting does not cover every lock and sleeps longer and longer, which starves the
/// unlucky; short waits give everybody the same chance.
#[expect(clippy::disallowed_methods, reason = "another process cannot be waited for in any other way")]
pub(super) fn patiently<T>(
    patience_ms: u64,
    mut attempt: impl FnMut() -> Result<T, Broken>,
) -> Result<T, Broken> {
    const PAUSE: Duration = Duration::from_millis(1);
    let mut pauses_left = patience_ms;
    loop {
        match attempt() {
            Err(broken) if broken.is_busy() && pauses_left > 0 => {
                pauses_left -= 1;
                std::thread::sleep(PAUSE);
            }
            outcome => return outcome,
        }
    }
}
