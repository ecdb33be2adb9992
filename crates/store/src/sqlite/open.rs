//! The one door to SQLite: opening, recognising and setting up a file.

use std::ffi::CStr;
use std::fs::{self, DirBuilder};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::Path;
use std::time::Duration;

use rusqlite::{Connection, OpenFlags};

use super::broken::Broken;
use super::counter::stored;
use super::open_error::OpenError;
use super::options::{Access, Check, Options};
use super::{file_layer, migrate, unshared, work};

/// Marks a file as ours: the letters `prov`.
const APPLICATION_ID: i64 = 0x7072_6f76;
/// Small pages: a step of one run changes a few hundred bytes, and every changed page is written whole.
/// Not the smallest: a commit of many runs takes as much time for each page as for its bytes.
const PAGE_BYTES: i64 = 2_048;
/// How much the log may hold before it is copied into the file.
const LOG_BYTES_MAX: i64 = 8 << 20;
const STATEMENTS_KEPT: usize = 64;

/// Opens the connection that writes: recognises the file, brings it to the newest format, looks for damage.
pub(super) fn writing(path: &Path, options: &Options) -> Result<Connection, OpenError> {
    let error = |broken: Broken| OpenError::of(path.to_owned(), options.patience_ms, &broken);
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(folder)
            .map_err(|source| OpenError::Failed { path: path.to_owned(), source: Box::new(source) })?;
    }
    not_a_folder(path)?;
    for_its_owner(path);
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE;
    // It waits by itself: see `work::patiently`.
    let connection = connect(path, flags, file_layer::name(), Duration::ZERO).map_err(error)?;
    let patiently = |attempt: &dyn Fn() -> Result<(), Broken>| {
        work::patiently(options.patience_ms, attempt).map_err(error)
    };
    let found = work::patiently(options.patience_ms, || recognise(&connection)).map_err(error)?;
    found.admit(path)?;
    if connection.is_readonly("main").map_err(|cause| error(cause.into()))? {
        return Err(OpenError::ReadOnly { path: path.to_owned() });
    }
    patiently(&|| prepare(&connection, options))?;
    patiently(&|| bring_up(&connection))?;
    patiently(&|| check(&connection, options))?;
    Ok(connection)
}

/// Records hold what was said and read: the file is its owner's alone from the moment it is there, and so are
/// log and index beside it, which SQLite makes with the mode of the file. One that is found more open is closed.
fn for_its_owner(path: &Path) {
    // What is wrong with the file is said when it is opened.
    drop(fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(path));
    for ending in ["", "-wal", "-shm"] {
        let mut name = path.as_os_str().to_owned();
        name.push(ending);
        let Ok(about) = fs::metadata(&name) else { continue };
        let mode = about.permissions().mode();
        if about.is_file() && mode & 0o077 != 0 {
            drop(fs::set_permissions(&name, fs::Permissions::from_mode(mode & 0o700)));
        }
    }
}

/// Opens a connection that only reads a file made by [`writing`], here or elsewhere.
pub(super) fn reading(path: &Path, options: &Options) -> Result<Connection, OpenError> {
    let error = |broken: Broken| OpenError::of(path.to_owned(), options.patience_ms, &broken);
    let unreadable = |source| OpenError::Unreadable { path: path.to_owned(), source };
    if !path.try_exists().map_err(unreadable)? {
        return Err(OpenError::Missing { path: path.to_owned() });
    }
    not_a_folder(path)?;
    rustix::fs::access(path, rustix::fs::Access::READ_OK).map_err(|errno| unreadable(errno.into()))?;
    let seen = match look(path, View::Shared, options) {
        Err(broken) if options.access == Access::ReadOnly && broken.is_unshared() => {
            if unshared::has_log(path).map_err(unreadable)? {
                return Err(OpenError::Log { path: path.to_owned() });
            }
            look(path, View::AsItLies, options)
        }
        seen => seen,
    };
    let (connection, found) = seen.map_err(error)?;
    match found {
        Found::Nothing => Found::Foreign("it is empty".to_owned()).admit(path)?,
        found @ (Found::Ours | Found::Foreign(_) | Found::Newer(_)) => found.admit(path)?,
    }
    migrate::stand_in(&connection).map_err(error)?;
    if options.access == Access::ReadOnly {
        check(&connection, options).map_err(error)?;
    }
    Ok(connection)
}

/// How a reader sees a file.
#[derive(Clone, Copy)]
enum View {
    /// With the log and the memory that every other process uses too.
    Shared,
    /// The bare file, see [`unshared`].
    AsItLies,
}

fn look(path: &Path, view: View, options: &Options) -> Result<(Connection, Found), Broken> {
    let patience = Duration::from_millis(options.patience_ms);
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY;
    let connection = match view {
        View::Shared => connect(path, flags, None, patience)?,
        View::AsItLies => {
            let name = unshared::as_it_lies(path);
            connect(Path::new(&name), flags | OpenFlags::SQLITE_OPEN_URI, None, patience)?
        }
    };
    let found = recognise(&connection)?;
    Ok((connection, found))
}

fn not_a_folder(path: &Path) -> Result<(), OpenError> {
    if path.is_dir() { Found::Foreign("it is a folder".to_owned()).admit(path) } else { Ok(()) }
}

#[expect(clippy::disallowed_methods, reason = "this is the one door")]
fn connect(
    path: &Path,
    flags: OpenFlags,
    layer: Option<&CStr>,
    patience: Duration,
) -> Result<Connection, Broken> {
    let flags = flags | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = match layer {
        Some(layer) => Connection::open_with_flags_and_vfs(path, flags, layer)?,
        None => Connection::open_with_flags(path, flags)?,
    };
    connection.busy_timeout(patience)?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS_KEPT);
    // A file made by somebody else must not run their code in ours.
    connection.pragma_update(None, "trusted_schema", false)?;
    connection.pragma_update(None, "cell_size_check", true)?;
    Ok(connection)
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
            Self::Foreign(found) => Err(OpenError::Foreign { path: path.to_owned(), found }),
            Self::Newer(found) => {
                Err(OpenError::Newer { path: path.to_owned(), found, known: migrate::newest() })
            }
        }
    }
}

/// Looks what the file is before anything is written to it.
fn recognise(connection: &Connection) -> Result<Found, Broken> {
    let number = |sql: &str| connection.query_row(sql, [], |row| row.get::<_, i64>(0));
    let (id, version) = (number("PRAGMA application_id")?, number("PRAGMA user_version")?);
    let things = number("SELECT count(*) FROM sqlite_schema")?;
    Ok(match (id, version, things) {
        (0, 0, 0) => Found::Nothing,
        (APPLICATION_ID, version, _) if version > migrate::newest() => Found::Newer(version),
        (APPLICATION_ID, _, _) => Found::Ours,
        _ => Found::Foreign(format!(
            "it is the SQLite file of another program, with {things} tables and indexes"
        )),
    })
}

/// Sets what the file and this connection need. The size of a page is set before anything is written.
fn prepare(connection: &Connection, options: &Options) -> Result<(), Broken> {
    connection.pragma_update(None, "page_size", PAGE_BYTES)?;
    connection.pragma_update_and_check(None, "journal_mode", "wal", |_| Ok(()))?;
    // Durable means: on the disk before anybody hears of it.
    connection.pragma_update(None, "synchronous", "full")?;
    // Only commits write the log: see `file_layer`.
    connection.pragma_update(None, "cache_spill", false)?;
    // A file that is there keeps the pages it was made with.
    let page_bytes: i64 = connection.query_row("PRAGMA page_size", [], |row| row.get(0))?;
    let limit = |name: &str, most: i64| connection.pragma_update_and_check(None, name, most, |_| Ok(()));
    limit("wal_autocheckpoint", LOG_BYTES_MAX / page_bytes)?;
    limit("journal_size_limit", LOG_BYTES_MAX * 4)?;
    if let Some(bytes_max) = options.bytes_max {
        limit("max_page_count", (stored(bytes_max) / page_bytes).max(1))?;
    }
    Ok(())
}

fn bring_up(connection: &Connection) -> Result<(), Broken> {
    work::transaction(connection, || {
        connection.pragma_update(None, "application_id", APPLICATION_ID)?;
        migrate::migrate(connection)
    })
}

/// Looks through the file for damage.
fn check(connection: &Connection, options: &Options) -> Result<(), Broken> {
    let bytes: i64 = connection.query_row(
        "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size",
        [],
        |row| row.get(0),
    )?;
    match options.check {
        Check::WhenSmall if u64::try_from(bytes).is_ok_and(|bytes| bytes > Check::BYTES_MAX) => return Ok(()),
        Check::WhenSmall | Check::Always => {}
    }
    let told: String = connection.query_row("PRAGMA quick_check(1)", [], |row| row.get(0))?;
    if told == "ok" { Ok(()) } else { Err(Broken::Damaged(told)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The file layer relies on both: only commits write the log, and each ends with a sync.
    #[test]
    fn whoever_writes_keeps_pages_until_the_commit_and_syncs_it() {
        let folder = tempfile::tempdir().unwrap();
        let connection = writing(&folder.path().join("file"), &Options::default()).unwrap();
        let number = |sql: &str| connection.query_row(sql, [], |row| row.get::<_, i64>(0)).unwrap();
        assert_eq!(number("PRAGMA cache_spill"), 0);
        assert_eq!(number("PRAGMA synchronous"), 2, "full");
    }
}
