//! Opening a file: recognising it, setting it up, bringing its schema to the newest version.

use std::path::Path;
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags, Result};

use super::error::{is_busy, is_unshared};
use super::open_error::OpenError;
use super::options::{Check, SqliteOptions};
use super::{files, log};

/// Marks a file as ours: the letters `prvs`.
const APPLICATION_ID: i64 = 0x7072_7673;
/// The mark of files that Provost wrote before the schema of runs had a version.
const EARLIER_APPLICATION_ID: i64 = 0x7072_6f76;
/// Small pages: a step changes a few hundred bytes, and every changed page is written whole.
const PAGE_BYTES: i64 = 2_048;
const STATEMENTS_CACHED: usize = 128;

/// The versions of the schema. Once released, a step never changes; a new one is added below it.
const MIGRATIONS: [&str; 1] = [include_str!("../../migrations/sqlite/0001_runs.sql")];

/// Opens the connection that writes.
pub(super) fn writing(path: &Path, options: &SqliteOptions) -> Result<Connection, OpenError> {
    let refused = |error| OpenError::of(path, options.patience_ms, error);
    files::prepare(path).map_err(|source| OpenError::failed(path, source))?;
    refuse_folder(path)?;
    // Before SQLite looks at it: beside a file that cannot be written it leaves shared memory that cannot be either.
    if files::is_closed_to_writers(path) {
        return Err(OpenError::ReadOnly { path: path.to_owned() });
    }
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE;
    let mut connection = connect(path, flags).map_err(refused)?;
    // A file that is refused is left as it is, with its log.
    let copy_log_at_close = |copy: bool| {
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, !copy).map_err(refused)
    };
    copy_log_at_close(false)?;
    patiently(options, || recognise(&connection)).map_err(refused)?.admit(path)?;
    if connection.is_readonly("main").map_err(refused)? {
        return Err(OpenError::ReadOnly { path: path.to_owned() });
    }
    check_log(path)?;
    patiently(options, || set_up(&connection, options)).map_err(refused)?;
    patiently(options, || migrate(&connection)).map_err(refused)?;
    check(&connection, path, options)?;
    copy_log_at_close(true)?;
    connection.busy_handler(Some(busy_handler(options.patience_ms))).map_err(refused)?;
    Ok(connection)
}

/// How a reader sees a file.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum View {
    /// With the log and the memory that all processes share.
    Shared,
    /// The bare file, complete because there is no log: on a medium that cannot be written.
    Immutable,
}

/// Opens a connection that only reads a file that is known to be ours.
pub(super) fn reading(path: &Path, view: View, options: &SqliteOptions) -> Result<Connection, OpenError> {
    connect_reader(path, view, options).map_err(|error| OpenError::of(path, options.patience_ms, error))
}

/// Opens a file only to read it: makes nothing and changes nothing. Returns how further connections see it.
pub(super) fn looking(path: &Path, options: &SqliteOptions) -> Result<(Connection, View), OpenError> {
    let refused = |error| OpenError::of(path, options.patience_ms, error);
    let unreadable = |source| OpenError::Unreadable { path: path.to_owned(), source };
    if !files::is_readable(path).map_err(unreadable)? {
        return Err(OpenError::Missing { path: path.to_owned() });
    }
    refuse_folder(path)?;
    let look = |view| {
        let connection = connect_reader(path, view, options)?;
        let found = recognise(&connection)?;
        Ok((connection, found, view))
    };
    let seen = match look(View::Shared) {
        Err(error) if is_unshared(&error) => {
            if files::has_log(path).map_err(unreadable)? {
                return Err(OpenError::Log { path: path.to_owned() });
            }
            look(View::Immutable)
        }
        seen => seen,
    };
    let (connection, found, view) = seen.map_err(refused)?;
    let is_empty = matches!(found, Found::Nothing);
    found.admit(path)?;
    if view == View::Shared {
        check_log(path)?;
    }
    if is_empty {
        return Err(OpenError::foreign(path, "it is empty"));
    }
    check(&connection, path, options)?;
    Ok((connection, view))
}

fn refuse_folder(path: &Path) -> Result<(), OpenError> {
    if path.is_dir() { Err(OpenError::foreign(path, "it is a folder")) } else { Ok(()) }
}

fn connect_reader(path: &Path, view: View, options: &SqliteOptions) -> Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY;
    let mut connection = match view {
        View::Shared => connect(path, flags),
        View::Immutable => {
            connect(Path::new(&files::immutable_uri(path)), flags | OpenFlags::SQLITE_OPEN_URI)
        }
    }?;
    connection.busy_handler(Some(busy_handler(options.patience_ms)))?;
    Ok(connection)
}

#[expect(clippy::disallowed_methods, reason = "the one place that opens files of the run store")]
fn connect(path: &Path, flags: OpenFlags) -> Result<Connection> {
    let connection = Connection::open_with_flags(path, flags | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
    // Not every lock calls a busy handler: a step of opening is repeated as a whole, see `patiently`.
    connection.busy_timeout(Duration::ZERO)?;
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

/// What a file is.
enum Found {
    Nothing,
    Ours,
    Foreign(String),
    Newer(i64),
}

impl Found {
    fn admit(self, path: &Path) -> Result<(), OpenError> {
        match self {
            Self::Nothing | Self::Ours => Ok(()),
            Self::Foreign(found) => Err(OpenError::foreign(path, found)),
            Self::Newer(found) => Err(OpenError::Newer { path: path.to_owned(), found, known: newest() }),
        }
    }
}

/// Returns what a file is, before anything is written to it.
fn recognise(connection: &Connection) -> Result<Found> {
    let application = number(connection, "PRAGMA application_id")?;
    let version = number(connection, "PRAGMA user_version")?;
    let things = number(connection, "SELECT count(*) FROM sqlite_schema")?;
    Ok(match (application, version, things) {
        (0, 0, 0) => Found::Nothing,
        (APPLICATION_ID, version, _) if version > newest() => Found::Newer(version),
        (APPLICATION_ID, ..) => Found::Ours,
        (EARLIER_APPLICATION_ID, ..) => {
            Found::Foreign("an early version of Provost wrote it, before its first release".to_owned())
        }
        _ => Found::Foreign(format!(
            "it is the SQLite file of another program, with {things} tables and indexes"
        )),
    })
}

/// Refuses a file whose log lost something that was committed. SQLite ends a log at its first damaged frame and
/// says nothing.
fn check_log(path: &Path) -> Result<(), OpenError> {
    match log::damage(&files::beside(path, "-wal")) {
        Ok(None) => Ok(()),
        Ok(Some(problem)) => Err(OpenError::Corrupt { path: path.to_owned(), problem }),
        Err(source) => Err(OpenError::Unreadable { path: path.to_owned(), source }),
    }
}

/// Searches a file for damage.
fn check(connection: &Connection, path: &Path, options: &SqliteOptions) -> Result<(), OpenError> {
    let search = || {
        let bytes =
            number(connection, "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size")?;
        let large = u64::try_from(bytes).is_ok_and(|bytes| bytes > Check::BYTES_MAX);
        match options.check {
            Check::WhenSmall if large => Ok(None),
            Check::WhenSmall | Check::Always => {
                connection.query_row("PRAGMA quick_check(1)", [], |row| row.get::<_, String>(0)).map(Some)
            }
        }
    };
    let found = patiently(options, search);
    match found.map_err(|error| OpenError::of(path, options.patience_ms, error))? {
        Some(problem) if problem != "ok" => Err(OpenError::Corrupt { path: path.to_owned(), problem }),
        Some(_) | None => Ok(()),
    }
}

/// Repeats a step of opening while another process is in the way.
fn patiently<T>(options: &SqliteOptions, step: impl Fn() -> Result<T>) -> Result<T> {
    let mut pauses_left = options.patience_ms;
    loop {
        match step() {
            Err(error) if is_busy(&error) && pauses_left > 0 => {
                pauses_left -= 1;
                pause(Duration::from_millis(1));
            }
            outcome => return outcome,
        }
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
    let done = migrate_in_transaction(connection).and_then(|()| connection.execute_batch("COMMIT"));
    if done.is_err() && !connection.is_autocommit() {
        // The first error is the one to report.
        let _ = connection.execute_batch("ROLLBACK");
    }
    done
}

fn migrate_in_transaction(connection: &Connection) -> Result<()> {
    let version = number(connection, "PRAGMA user_version")?;
    if version == newest() {
        return Ok(());
    }
    for (step, sql) in (1..).zip(MIGRATIONS).filter(|(step, _)| *step > version) {
        connection.execute_batch(sql)?;
        connection.pragma_update(None, "user_version", step)?;
    }
    connection.pragma_update(None, "application_id", APPLICATION_ID)
}
