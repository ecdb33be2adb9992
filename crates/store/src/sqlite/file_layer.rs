//! The file layer of the connection that writes: what SQLite writes page by page reaches the system in
//! long pieces.
//!
//! It is SQLite's own layer with some of its functions replaced. SQLite writes a page of the log in two
//! calls and copies the log into the file with one call a page; when many runs write, these calls take as
//! long as the disk does. Pieces are gathered
//!
//! - in the log, where nothing counts before SQLite has asked for a sync, which it does at every commit; and
//! - in the file while all of the log is copied into it, until SQLite says that it is.
//!
//! What is gathered is written before anybody may look for it: before this connection reads, asks for the
//! size, cuts or syncs, and before SQLite tells others that a commit or a copy is there.
#![expect(unsafe_code, reason = "the file layer of SQLite is a table of C functions")]

use std::ffi::{CStr, c_int, c_void};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};
use std::{ptr, slice};

use rusqlite::ffi;

use super::gathered::{BYTES_MAX, Gathered};

const NAME: &CStr = c"provost";
/// Where the index of the log, in memory that all processes share, says how many pages the log has, and up to
/// which one a copy goes: <https://www.sqlite.org/walformat.html>.
const PAGES_AT: usize = 16;
const COPIED_TO_AT: usize = 128;
const INDEX_BYTES: c_int = 32 << 10;

type File = ffi::sqlite3_file;
type Methods = ffi::sqlite3_io_methods;

/// SQLite's own layer.
struct Own {
    layer: *mut ffi::sqlite3_vfs,
    /// Behind so many bytes of an open file lies our [`State`].
    file_bytes: usize,
}

// SAFETY: SQLite's layers are made to be used by every thread, and stay as they are while the process lives.
unsafe impl Send for Own {}
// SAFETY: as above.
unsafe impl Sync for Own {}

static OWN: OnceLock<Option<Own>> = OnceLock::new();

/// What we keep about an open file, behind what SQLite's own layer keeps.
struct State {
    /// The functions of SQLite's own layer.
    own: *const Methods,
    /// The same with ours in their places.
    methods: Methods,
    gathered: Gathered,
    kind: Kind,
}

enum Kind {
    Log,
    Database {
        copying: bool,
        /// How the last pages of a copy failed, until SQLite asks.
        failed: c_int,
    },
}

impl Kind {
    /// The system keeps together what is written at once, and when a part of it is written again it counts
    /// the whole. The log is written over all the time, with commits of any length.
    fn piece_bytes(&self) -> i64 {
        match self {
            Self::Log => 4 << 10,
            Self::Database { .. } => BYTES_MAX as i64,
        }
    }
}

impl State {
    fn gathers(&self) -> bool {
        matches!(self.kind, Kind::Log | Kind::Database { copying: true, .. })
    }
}

/// The name under which a connection asks for it. None when SQLite has no layer that ours could stand on.
pub(super) fn name() -> Option<&'static CStr> {
    OWN.get_or_init(make_known).as_ref().map(|_| NAME)
}

fn make_known() -> Option<Own> {
    // SAFETY: no name asks for the layer that is used by default; layers are never freed.
    let layer = unsafe { ffi::sqlite3_vfs_find(ptr::null()) };
    // SAFETY: SQLite answers null or a layer.
    let mut ours = *unsafe { layer.as_ref() }?;
    let file_bytes = usize::try_from(ours.szOsFile).ok()?.next_multiple_of(align_of::<State>());
    ours.szOsFile = c_int::try_from(file_bytes + size_of::<State>()).ok()?;
    ours.pNext = ptr::null_mut();
    ours.zName = NAME.as_ptr();
    ours.xOpen = Some(open);
    // SAFETY: SQLite keeps the address, so the layer is never freed.
    let known = unsafe { ffi::sqlite3_vfs_register(Box::into_raw(Box::new(ours)), 0) };
    (known == ffi::SQLITE_OK).then_some(Own { layer, file_bytes })
}

/// # Safety
/// `file` was opened by [`open`] as one that has a state, and is not closed; nobody else uses its state,
/// for SQLite uses a connection's files from one thread at a time.
unsafe fn state<'a>(file: *mut File) -> Option<&'a mut State> {
    let own = OWN.get()?.as_ref()?;
    // SAFETY: SQLite made room for `szOsFile` bytes, of which the state is the last part.
    unsafe { file.byte_add(own.file_bytes).cast::<State>().as_mut() }
}

unsafe extern "C" fn open(
    _layer: *mut ffi::sqlite3_vfs,
    name: ffi::sqlite3_filename,
    file: *mut File,
    flags: c_int,
    opened_as: *mut c_int,
) -> c_int {
    let Some(Some(own)) = OWN.get() else { return ffi::SQLITE_CANTOPEN };
    // SAFETY: the layer lives as long as the process.
    let Some(open) = (unsafe { (*own.layer).xOpen }) else { return ffi::SQLITE_CANTOPEN };
    // SAFETY: what SQLite gave us, with room for its own file and more.
    let code = unsafe { open(own.layer, name, file, flags, opened_as) };
    let kind = match flags {
        flags if flags & ffi::SQLITE_OPEN_WAL != 0 => Kind::Log,
        flags if flags & ffi::SQLITE_OPEN_MAIN_DB != 0 => {
            Kind::Database { copying: false, failed: ffi::SQLITE_OK }
        }
        _ => return code,
    };
    // SAFETY: its own layer says by functions or null whether the file is open, and functions live as long
    // as the process.
    unsafe {
        if let Some(methods) = (*file).pMethods.as_ref() {
            let state = State {
                own: methods,
                methods: replaced(*methods),
                gathered: Gathered::in_pieces_of(kind.piece_bytes()),
                kind,
            };
            let place = file.byte_add(own.file_bytes).cast::<State>();
            place.write(state);
            (*file).pMethods = &raw const (*place).methods;
        }
    }
    code
}

/// The functions that ours stand in for. Those that are left have nothing to do with what is written; SQLite
/// maps no file into memory unless it is told to.
fn replaced(mut methods: Methods) -> Methods {
    methods.xClose = Some(close);
    methods.xRead = Some(read);
    methods.xWrite = Some(write);
    methods.xTruncate = Some(truncate);
    methods.xSync = Some(sync);
    methods.xFileSize = Some(size);
    methods.xFileControl = Some(control);
    methods
}

/// Writes what is gathered.
///
/// # Safety
/// As of [`state`].
unsafe fn flush(file: *mut File, state: &mut State) -> c_int {
    let codes = state.gathered.pieces().map(|(at, bytes)| {
        // SAFETY: the file is open.
        unsafe { write_own(file, state, bytes, at) }
    });
    let code = codes.into_iter().find(|code| *code != ffi::SQLITE_OK).unwrap_or(ffi::SQLITE_OK);
    // What could not be written belongs to a commit or a copy that fails now.
    state.gathered.clear();
    code
}

/// # Safety
/// As of [`state`].
unsafe fn write_own(file: *mut File, state: &State, bytes: &[u8], at: i64) -> c_int {
    // SAFETY: the functions live as long as the process.
    let (Some(write), Ok(length)) = (unsafe { (*state.own).xWrite }, c_int::try_from(bytes.len())) else {
        return ffi::SQLITE_IOERR_WRITE;
    };
    // SAFETY: an open file and bytes that are there.
    unsafe { write(file, bytes.as_ptr().cast(), length, at) }
}

unsafe extern "C" fn write(file: *mut File, bytes: *const c_void, length: c_int, at: i64) -> c_int {
    // SAFETY: SQLite gives an open file and so many bytes.
    unsafe {
        let (Some(state), Ok(length)) = (state(file), usize::try_from(length)) else {
            return ffi::SQLITE_IOERR_WRITE;
        };
        let bytes = slice::from_raw_parts(bytes.cast(), length);
        if !state.gathers() || !state.gathered.goes_on(at, length) {
            let code = flush(file, state);
            if code != ffi::SQLITE_OK {
                return code;
            }
        }
        if !state.gathers() {
            return write_own(file, state, bytes, at);
        }
        state.gathered.put(at, bytes);
    }
    ffi::SQLITE_OK
}

/// A function that writes what is gathered and goes on with SQLite's own.
macro_rules! after_writing {
    ($name:ident is $own:ident($($argument:ident: $type:ty),*), fails as $failure:ident) => {
        unsafe extern "C" fn $name(file: *mut File $(, $argument: $type)*) -> c_int {
            // SAFETY: SQLite gives an open file, and what its own function takes.
            unsafe {
                let Some(state) = state(file) else { return ffi::$failure };
                let code = flush(file, state);
                match (*state.own).$own {
                    Some(own) if code == ffi::SQLITE_OK => own(file $(, $argument)*),
                    Some(_) => code,
                    None => ffi::$failure,
                }
            }
        }
    };
}

after_writing!(read is xRead(bytes: *mut c_void, length: c_int, at: i64), fails as SQLITE_IOERR_READ);
after_writing!(truncate_own is xTruncate(bytes: i64), fails as SQLITE_IOERR_TRUNCATE);
after_writing!(sync is xSync(flags: c_int), fails as SQLITE_IOERR_FSYNC);
after_writing!(size is xFileSize(bytes: *mut i64), fails as SQLITE_IOERR_FSTAT);
after_writing!(control_own is xFileControl(what: c_int, with: *mut c_void), fails as SQLITE_NOTFOUND);

/// What SQLite does first when all of the log is copied.
unsafe extern "C" fn truncate(file: *mut File, bytes: i64) -> c_int {
    // SAFETY: SQLite gives an open file.
    unsafe {
        if let Some(State { kind: Kind::Database { failed, .. }, .. }) = state(file)
            && *failed != ffi::SQLITE_OK
        {
            return std::mem::replace(failed, ffi::SQLITE_OK);
        }
        truncate_own(file, bytes)
    }
}

unsafe extern "C" fn control(file: *mut File, what: c_int, with: *mut c_void) -> c_int {
    // SAFETY: SQLite gives an open file, and what its own function takes.
    unsafe {
        match what {
            ffi::SQLITE_FCNTL_CKPT_START => begin_copy(file),
            ffi::SQLITE_FCNTL_CKPT_DONE => end_copy(file),
            _ => {}
        }
        control_own(file, what, with)
    }
}

/// When a part of the log is copied, SQLite no longer asks at its end whether that went well, so pages are
/// gathered only when all of it is.
///
/// # Safety
/// As of [`state`].
unsafe fn begin_copy(file: *mut File) {
    // SAFETY: as the caller promises.
    unsafe {
        let whole = copies_all(file);
        if let Some(State { kind: Kind::Database { copying, .. }, .. }) = state(file) {
            *copying = whole;
        }
    }
}

/// # Safety
/// As of [`state`].
unsafe fn end_copy(file: *mut File) {
    // SAFETY: as the caller promises.
    unsafe {
        let Some(state) = state(file) else { return };
        let code = flush(file, state);
        if code != ffi::SQLITE_OK && !copies_all(file) {
            // Another process has written in between: SQLite would take for copied what is not. It does not
            // when this process ends here, and the log has all of it.
            std::process::abort();
        }
        if let Kind::Database { copying, failed } = &mut state.kind {
            (*copying, *failed) = (false, code);
        }
    }
}

/// Whether the copy that goes on is one of the whole log.
///
/// # Safety
/// As of [`state`].
unsafe fn copies_all(file: *mut File) -> bool {
    // SAFETY: SQLite has mapped the index before it copies, and the numbers lie in its first region.
    unsafe {
        let map = state(file).and_then(|state| (*state.own).xShmMap);
        let mut region = ptr::null_mut();
        if map.is_none_or(|map| map(file, 0, INDEX_BYTES, 0, &raw mut region) != ffi::SQLITE_OK)
            || region.is_null()
        {
            return false;
        }
        let number = |at| AtomicU32::from_ptr(region.byte_add(at).cast()).load(Ordering::SeqCst);
        number(PAGES_AT) == number(COPIED_TO_AT)
    }
}

unsafe extern "C" fn close(file: *mut File) -> c_int {
    // SAFETY: SQLite closes a file once and does not use it afterwards.
    unsafe {
        let Some(state) = state(file) else { return ffi::SQLITE_IOERR_CLOSE };
        let written = flush(file, state);
        let own = state.own;
        ptr::drop_in_place(state);
        (*file).pMethods = own;
        let closed = (*own).xClose.map_or(ffi::SQLITE_IOERR_CLOSE, |close| close(file));
        if written == ffi::SQLITE_OK { closed } else { written }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use rusqlite::{Connection, OpenFlags};

    #[expect(clippy::disallowed_methods, reason = "the layer alone is looked at")]
    fn open(path: &Path) -> Connection {
        let flags = OpenFlags::default();
        let connection = Connection::open_with_flags_and_vfs(path, flags, super::name().unwrap()).unwrap();
        connection.execute_batch("PRAGMA journal_mode = wal; PRAGMA wal_autocheckpoint = 0").unwrap();
        connection.execute_batch("CREATE TABLE IF NOT EXISTS texts (no INTEGER PRIMARY KEY, text)").unwrap();
        connection
    }

    /// About as many pages as rows, with a commit for every hundred.
    fn write(connection: &Connection, rows: u32) {
        let sql = "WITH RECURSIVE hundred (no) AS (SELECT 1 UNION ALL SELECT no + 1 FROM hundred LIMIT 100)
             INSERT INTO texts (text) SELECT hex(zeroblob(2000)) FROM hundred";
        (0..rows / 100).for_each(|_| assert_eq!(connection.execute(sql, []).unwrap(), 100));
    }

    fn copy(connection: &Connection) -> (i64, i64) {
        let sql = "PRAGMA wal_checkpoint(PASSIVE)";
        connection.query_row(sql, [], |row| Ok((row.get(1)?, row.get(2)?))).unwrap()
    }

    #[expect(clippy::disallowed_methods, reason = "a stranger looks at the file")]
    fn check(path: &Path, rows: u32) {
        let stranger = Connection::open(path).unwrap();
        let told: String = stranger.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
        assert_eq!(told, "ok");
        let found: u32 = stranger.query_row("SELECT count(*) FROM texts", [], |row| row.get(0)).unwrap();
        assert_eq!(found, rows);
    }

    /// How often this thread has asked the system to write something.
    fn writes() -> u64 {
        let told = fs::read_to_string("/proc/thread-self/io").unwrap();
        told.lines().find_map(|line| line.strip_prefix("syscw: ")?.parse().ok()).unwrap()
    }

    #[test]
    fn pages_reach_the_system_in_long_pieces() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        let connection = open(&path);
        let before = writes();
        write(&connection, 400);
        check(&path, 400);
        let (pages, copied) = copy(&connection);
        assert!(pages >= 400 && copied == pages, "{copied} of {pages}");
        assert!(writes() - before < 600, "{} calls for {pages} pages in log and file", writes() - before);
        check(&path, 400);
    }

    #[test]
    fn a_part_of_the_log_is_copied_while_somebody_reads_the_rest() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        let connection = open(&path);
        write(&connection, 200);
        let reader = open(&path);
        reader.execute_batch("BEGIN; SELECT count(*) FROM texts").unwrap();
        write(&connection, 200);
        let before = writes();
        let (pages, copied) = copy(&connection);
        assert!(copied < pages, "the reader is in the way");
        assert!(writes() - before >= 200, "SQLite must hear of every page that fails");
        let seen: u32 = reader.query_row("SELECT count(*) FROM texts", [], |row| row.get(0)).unwrap();
        assert_eq!(seen, 200);
        check(&path, 400);
        reader.execute_batch("COMMIT").unwrap();
        let (pages, copied) = copy(&connection);
        assert_eq!(copied, pages);
        check(&path, 400);
    }

    #[test]
    fn what_was_not_committed_is_not_there() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        let connection = open(&path);
        // So few pages are kept in memory that the log takes many before the end.
        connection.execute_batch("PRAGMA cache_size = 10; BEGIN").unwrap();
        write(&connection, 400);
        let seen: u32 = connection.query_row("SELECT count(*) FROM texts", [], |row| row.get(0)).unwrap();
        assert_eq!(seen, 400);
        check(&path, 0);
        connection.execute_batch("ROLLBACK").unwrap();
        write(&connection, 100);
        check(&path, 100);
        drop(connection);
        check(&path, 100);
    }
}
