//! Opening a file: recognising it, setting it up, bringing its schema to the newest version.

use std::fs::{self, DirBuilder, OpenOptions};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use provost_runtime::port::Clock;
use provost_runtime::system::SystemClock;
use rusqlite::{Connection, OpenFlags, Result};

use super::error::OpenError;

/// Marks a file as ours: the letters `prvs`.
const APPLICATION_ID: i64 = 0x7072_7673;
/// The mark of files that Provost wrote before the schema of runs had a version.
const EARLIER_APPLICATION_ID: i64 = 0x7072_6f76;
/// Small pages: a step changes a few hundred bytes, and every changed page is written whole.
const PAGE_BYTES: i64 = 2_048;
const STATEMENTS_CACHED: usize = 128;

/// The versions of the schema. Once released, a step never changes; a new one is added below it.
const MIGRATIONS: [&str; 1] = [include_str!("../../migrations/run_store/0001_runs.sql")];

/// How a database file is opened.
#[derive(Clone)]
pub struct SqliteOptions {
    /// The store's clock: leases, due times and all times in rows.
    pub clock: Arc<dyn Clock>,
    /// How long to wait for other processes before a write is `Busy`.
    pub patience_ms: u64,
    /// How many reads run at once.
    pub readers: usize,
    /// How large the file may grow.
    pub bytes_max: Option<u64>,
}

impl Default for SqliteOptions {
    fn default() -> Self {
        Self { clock: Arc::new(SystemClock), patience_ms: 10_000, readers: 2, bytes_max: None }
    }
}

/// Opens the connection that writes.
pub(super) fn writing(path: &Path, options: &SqliteOptions) -> Result<Connection, OpenError> {
    let failed = |source: rusqlite::Error| OpenError::failed(path, source);
    prepare_files(path).map_err(|source| OpenError::failed(path, source))?;
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE;
    let connection = connect(path, flags, options.patience_ms).map_err(failed)?;
    admit(&connection, path)?;
    set_up(&connection, options).map_err(failed)?;
    migrate(&connection).map_err(failed)?;
    Ok(connection)
}

/// Opens a connection that only reads.
pub(super) fn reading(path: &Path, options: &SqliteOptions) -> Result<Connection, OpenError> {
    connect(path, OpenFlags::SQLITE_OPEN_READ_ONLY, options.patience_ms)
        .map_err(|source| OpenError::failed(path, source))
}

/// Makes the folder and the file, readable by their owner only. SQLite gives the files beside it the same mode.
fn prepare_files(path: &Path) -> std::io::Result<()> {
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    }
    let made = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path);
    match made {
        Ok(_) => Ok(()),
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => close_to_others(path),
        Err(error) => Err(error),
    }
}

fn close_to_others(path: &Path) -> std::io::Result<()> {
    let mode = fs::metadata(path)?.permissions().mode();
    if mode & 0o077 == 0 {
        return Ok(());
    }
    fs::set_permissions(path, fs::Permissions::from_mode(mode & 0o700))
}

#[expect(clippy::disallowed_methods, reason = "the one place that opens files of the run store")]
fn connect(path: &Path, flags: OpenFlags, patience_ms: u64) -> Result<Connection> {
    let flags = flags | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut connection = Connection::open_with_flags(path, flags)?;
    connection.busy_handler(Some(busy_handler(patience_ms)))?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS_CACHED);
    // A file from elsewhere must not run its code in ours.
    connection.pragma_update(None, "trusted_schema", false)?;
    connection.pragma_update(None, "cell_size_check", true)?;
    Ok(connection)
}

/// Returns a busy handler that sleeps 0.2 to 1 ms at a time. SQLite's own sleeps up to 100 ms while another
/// writer takes the lock again within 10 µs: with it one of two writers starves.
fn busy_handler(patience_ms: u64) -> impl FnMut(i32) -> bool + Send + 'static {
    let mut waited_us = 0;
    move |attempt| {
        if attempt == 0 {
            waited_us = 0;
        }
        let pause_us = 200 + u64::from(attempt.unsigned_abs()) * 137 % 800;
        waited_us += pause_us;
        if waited_us > patience_ms.saturating_mul(1_000) {
            return false;
        }
        pause(Duration::from_micros(pause_us));
        true
    }
}

#[expect(clippy::disallowed_methods, reason = "another process cannot be waited for in any other way")]
fn pause(time: Duration) {
    std::thread::sleep(time);
}

fn number(connection: &Connection, sql: &str) -> Result<i64> {
    connection.query_row(sql, [], |row| row.get(0))
}

/// Refuses a file that is not ours, before anything is written to it.
fn admit(connection: &Connection, path: &Path) -> Result<(), OpenError> {
    let foreign = |found: String| Err(OpenError::Foreign { path: path.to_owned(), found });
    let look = || -> Result<_> {
        let application = number(connection, "PRAGMA application_id")?;
        let version = number(connection, "PRAGMA user_version")?;
        Ok((application, version, number(connection, "SELECT count(*) FROM sqlite_schema")?))
    };
    match look() {
        Ok((0, 0, 0)) => Ok(()),
        Ok((APPLICATION_ID, found, _)) if found > newest() => {
            Err(OpenError::Newer { path: path.to_owned(), found, known: newest() })
        }
        Ok((APPLICATION_ID, ..)) => Ok(()),
        Ok((EARLIER_APPLICATION_ID, ..)) => {
            foreign("an early version of Provost wrote it, before its first release".to_owned())
        }
        Ok((_, _, things)) => {
            foreign(format!("it is the SQLite file of another program, with {things} tables and indexes"))
        }
        Err(error) if error.sqlite_error_code() == Some(rusqlite::ErrorCode::NotADatabase) => {
            foreign("it is not an SQLite file".to_owned())
        }
        Err(error) => Err(OpenError::failed(path, error)),
    }
}

fn newest() -> i64 {
    MIGRATIONS.len() as i64
}

/// Sets what the file and the writing connection need. The page size comes before anything is written.
fn set_up(connection: &Connection, options: &SqliteOptions) -> Result<()> {
    connection.pragma_update(None, "page_size", PAGE_BYTES)?;
    connection.pragma_update_and_check(None, "journal_mode", "wal", |_| Ok(()))?;
    connection.pragma_update(None, "synchronous", "full")?;
    // What is erased is overwritten.
    connection.pragma_update_and_check(None, "secure_delete", true, |_| Ok(()))?;
    // The writer copies the log itself, where errors are seen.
    connection.pragma_update_and_check(None, "wal_autocheckpoint", 0, |_| Ok(()))?;
    connection.pragma_update_and_check(None, "journal_size_limit", 64 << 20, |_| Ok(()))?;
    if let Some(bytes_max) = options.bytes_max {
        let pages = i64::try_from(bytes_max).unwrap_or(i64::MAX) / number(connection, "PRAGMA page_size")?;
        connection.pragma_update_and_check(None, "max_page_count", pages.max(1), |_| Ok(()))?;
    }
    Ok(())
}

/// Brings the schema to the newest version. The transaction excludes other processes; the second one finds
/// nothing to do.
fn migrate(connection: &Connection) -> Result<()> {
    connection.execute_batch("BEGIN IMMEDIATE")?;
    let done = migrate_in_transaction(connection);
    connection.execute_batch(if done.is_ok() { "COMMIT" } else { "ROLLBACK" })?;
    done
}

fn migrate_in_transaction(connection: &Connection) -> Result<()> {
    let version = number(connection, "PRAGMA user_version")?;
    for (step, sql) in (1..).zip(MIGRATIONS).filter(|(step, _)| *step > version) {
        connection.execute_batch(sql)?;
        connection.pragma_update(None, "user_version", step)?;
    }
    connection.pragma_update(None, "application_id", APPLICATION_ID)
}
