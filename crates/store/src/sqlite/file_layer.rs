//! The file layer of the connection that writes: what SQLite writes page by page reaches the system in
//! long pieces.
//!
//! It is SQLite's own layer with some of its functions replaced. SQLite writes a page of the log in two
//! calls and copies the log into the file with one call a page; when many runs write, these calls take as
//! long as the disk does. Pieces are gathered
//!
//! - in the log, which only commits write, since the connection keeps changed pages in memory until then
//!   (`cache_spill`): a commit ends with a sync, or failed and counts for nothing; and
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
/// The index of the log, in memory that all processes share, says here how many pages the log has, and up to
/// which one a copy goes: <https://www.sqlite.org/walformat.html>.
const PAGES_AT: usize = 16;
const COPIED_TO_AT: usize = 128;
const INDEX_BYTES: c_int = 32 << 10;
/// The index's lock of whoever writes the log, and the one that is held as long as a copy goes on.
const WRITING: c_int = 0;
const COPYING: c_int = 3;
const TAKE: c_int = ffi::SQLITE_SHM_LOCK | ffi::SQLITE_SHM_EXCLUSIVE;
const GIVE_BACK: c_int = ffi::SQLITE_SHM_UNLOCK | ffi::SQLITE_SHM_EXCLUSIVE;

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
    Database { copy: Option<WholeCopy> },
}

/// A copy of the whole log, during which we hold the lock of whoever writes it.
#[derive(Default)]
struct WholeCopy {
    /// SQLite has given its last page.
    is_over: bool,
    /// How the last pages failed, for when SQLite asks.
    failed: c_int,
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
        matches!(self.kind, Kind::Log | Kind::Database { copy: Some(WholeCopy { is_over: false, .. }) })
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
        flags if flags & ffi::SQLITE_OPEN_MAIN_DB != 0 => Kind::Database { copy: None },
        _ => return code,
    };
    // SAFETY: as above.
    if matches!(kind, Kind::Log) && !unsafe { ends_with_a_sync(file) } {
        return code;
    }
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

/// SQLite writes on after the sync of a commit where a torn write could harm bytes beside it.
///
/// # Safety
/// SQLite's own layer has opened the file, or tried to.
unsafe fn ends_with_a_sync(log: *mut File) -> bool {
    // SAFETY: functions live as long as the process.
    unsafe {
        let traits = (*log).pMethods.as_ref().and_then(|methods| methods.xDeviceCharacteristics);
        traits.is_some_and(|traits| traits(log) & ffi::SQLITE_IOCAP_POWERSAFE_OVERWRITE != 0)
    }
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
    methods.xShmLock = methods.xShmLock.and(Some(lock));
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
        match state(file) {
            Some(State { kind: Kind::Database { copy: Some(copy) }, .. })
                if copy.failed != ffi::SQLITE_OK =>
            {
                copy.failed
            }
            _ => truncate_own(file, bytes),
        }
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

/// At the end of a copy SQLite asks whether its last pages were written only if the log ends there. So pages
/// are gathered if it does and nobody can write on.
///
/// # Safety
/// As of [`state`].
unsafe fn begin_copy(file: *mut File) {
    // SAFETY: as the caller promises.
    unsafe {
        let Some(State { own, kind: Kind::Database { copy }, .. }) = state(file) else { return };
        let Some(lock) = (**own).xShmLock else { return };
        if lock(file, WRITING, 1, TAKE) != ffi::SQLITE_OK {
            return;
        }
        if copies_all(file, *own) {
            *copy = Some(WholeCopy::default());
        } else {
            lock(file, WRITING, 1, GIVE_BACK);
        }
    }
}

/// # Safety
/// As of [`state`].
unsafe fn end_copy(file: *mut File) {
    // SAFETY: as the caller promises.
    unsafe {
        let Some(state) = state(file) else { return };
        let failed = flush(file, state);
        if let Kind::Database { copy: Some(copy) } = &mut state.kind {
            *copy = WholeCopy { is_over: true, failed };
        }
    }
}

/// SQLite gives the lock of a copy back when it is done with it, however it went, and so do we.
unsafe extern "C" fn lock(file: *mut File, first: c_int, count: c_int, what: c_int) -> c_int {
    // SAFETY: SQLite gives an open file, and what its own function takes.
    unsafe {
        let Some(state) = state(file) else { return ffi::SQLITE_IOERR_SHMLOCK };
        let Some(own) = (*state.own).xShmLock else { return ffi::SQLITE_IOERR_SHMLOCK };
        if let Kind::Database { copy } = &mut state.kind
            && (first, what) == (COPYING, GIVE_BACK)
            && copy.take().is_some()
        {
            own(file, WRITING, 1, GIVE_BACK);
        }
        own(file, first, count, what)
    }
}

/// Whether the copy that begins is one of the whole log.
///
/// # Safety
/// The file is open, and these are the functions of SQLite's own layer.
unsafe fn copies_all(file: *mut File, own: *const Methods) -> bool {
    // SAFETY: SQLite has mapped the index before it copies, and the numbers lie in its first region.
    unsafe {
        let mut region = ptr::null_mut();
        let mapped = (*own).xShmMap.map(|map| map(file, 0, INDEX_BYTES, 0, &raw mut region));
        if mapped != Some(ffi::SQLITE_OK) || region.is_null() {
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
        let own = state.own;
        // Nothing is gathered that anybody was told of.
        ptr::drop_in_place(state);
        (*file).pMethods = own;
        (*own).xClose.map_or(ffi::SQLITE_IOERR_CLOSE, |close| close(file))
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
        let set_up = "PRAGMA journal_mode = wal; PRAGMA wal_autocheckpoint = 0; PRAGMA cache_spill = off";
        connection.execute_batch(set_up).unwrap();
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

    /// Another process may write as soon as a transaction is rolled back: nothing of it may come after that.
    #[test]
    fn what_was_rolled_back_is_never_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        let connection = open(&path);
        write(&connection, 100);
        copy(&connection);
        connection.execute_batch("PRAGMA cache_size = 10; BEGIN").unwrap();
        write(&connection, 400);
        check(&path, 100);
        connection.execute_batch("ROLLBACK").unwrap();
        let other = open(&path);
        write(&other, 100);
        let seen: u32 = connection.query_row("SELECT count(*) FROM texts", [], |row| row.get(0)).unwrap();
        assert_eq!(seen, 200);
        drop(connection);
        check(&path, 200);
        copy(&other);
        check(&path, 200);
    }

    /// While somebody else writes, SQLite hears of every page by itself, and afterwards everybody writes again.
    #[test]
    fn whoever_copies_keeps_nobody_from_writing_afterwards() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        let (connection, other) = (open(&path), open(&path));
        write(&connection, 200);
        other.execute_batch("BEGIN IMMEDIATE").unwrap();
        let before = writes();
        let (pages, copied) = copy(&connection);
        assert_eq!(copied, pages);
        assert!(writes() - before >= 200);
        write(&other, 100);
        other.execute_batch("COMMIT").unwrap();
        for _ in 0..2 {
            copy(&connection);
            write(&other, 100);
            copy(&other);
            write(&connection, 100);
        }
        check(&path, 700);
    }
}
