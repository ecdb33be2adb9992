//! Opening the store of runs: files that cannot be used, media that cannot be written, busy writers, damage.

use std::fs;
use std::io::Write as _;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use provost_engine::{Digest, Seq};
use provost_runtime::port::Fault;
use provost_runtime::store::{AcceptError, ClaimFilter, PostError, RunFilter, Store as _};
use provost_store::sqlite::{Check, OpenError, SqliteOptions, SqliteStore};
use tempfile::TempDir;

use crate::sqlite::{new_run, open, place, run, signal, tamper};

/// Names the file to a child process that looks at it; without it the child's test has nothing to do.
const FILE: &str = "PROVOST_TEST_LOOK_FILE";

fn impatient() -> SqliteOptions {
    SqliteOptions { patience_ms: 30, ..SqliteOptions::default() }
}

fn look(path: &Path) -> Result<SqliteStore, OpenError> {
    SqliteStore::look(path, &SqliteOptions::default())
}

/// Opens a file both ways, which must fail the same way and change nothing.
#[track_caller]
fn refused(path: &Path) -> OpenError {
    let before = fs::read(path).ok();
    let looked = look(path).err().expect("the file must be refused");
    let opened = SqliteStore::open(path, &SqliteOptions::default()).err().expect("the file must be refused");
    assert_eq!(looked.to_string(), opened.to_string());
    assert!(fs::read(path).ok() == before, "a refused file is left as it is");
    assert!(!opened.advice().is_empty());
    opened
}

fn beside(path: &Path, ending: &str) -> PathBuf {
    PathBuf::from(format!("{}{ending}", path.display()))
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

/// A file with so many runs, closed.
async fn filled(runs: usize) -> (TempDir, PathBuf) {
    let (folder, path) = place();
    let store = open(&path);
    for number in 0..runs {
        store.accept(new_run(&format!("run-{number}"))).await.unwrap();
    }
    (folder, path)
}

/// The files as a crash leaves them: with the log.
async fn crashed(runs: usize) -> (TempDir, PathBuf) {
    let (folder, path) = place();
    let store = open(&path);
    for number in 0..runs {
        store.accept(new_run(&format!("run-{number}"))).await.unwrap();
    }
    let copy = folder.path().join("crashed.db");
    for ending in ["", "-wal"] {
        fs::copy(beside(&path, ending), beside(&copy, ending)).unwrap();
    }
    (folder, copy)
}

async fn count(store: &SqliteStore) -> usize {
    store.runs(RunFilter::default(), None, 1_000).await.unwrap().items.len()
}

#[tokio::test]
async fn looking_makes_nothing() {
    let (folder, path) = place();
    let error = look(&path).err().unwrap();
    assert!(matches!(error, OpenError::Missing { .. }), "{error}");
    assert!(names(folder.path()).is_empty(), "no folder, no file");
    fs::create_dir(path.parent().unwrap()).unwrap();
    fs::write(&path, "").unwrap();
    set_mode(&path, 0o644);
    let error = look(&path).err().unwrap();
    assert!(matches!(&error, OpenError::Foreign { found, .. } if found == "it is empty"), "{error}");
    assert_eq!(fs::read(&path).unwrap(), b"");
    assert_eq!(mode(&path), 0o644, "permissions stay");
}

#[tokio::test]
async fn a_looked_at_store_reads_everything_and_writes_nothing() {
    let (_folder, path) = filled(3).await;
    set_mode(&path, 0o644);
    let before = fs::read(&path).unwrap();
    let store = look(&path).unwrap();
    assert_eq!(count(&store).await, 3);
    assert_eq!(store.journal(run("run-1"), Seq(0), 9).await.unwrap().len(), 1);
    assert!(store.verify_rows().await.unwrap().is_empty());
    let stats = store.stats().await.unwrap();
    assert_eq!((stats.runs, stats.records, stats.checkpoint_problem), (3, 3, None));
    let error = store.accept(new_run("late")).await.unwrap_err();
    assert!(matches!(error, AcceptError::Storage(Fault::ReadOnly { .. })), "{error}");
    let error = store.post(signal("run-1")).await.unwrap_err();
    assert!(matches!(error, PostError::Storage(Fault::ReadOnly { .. })), "{error}");
    assert!(matches!(store.expire_due(9).await, Err(Fault::ReadOnly { .. })));
    assert!(matches!(store.put_artifact("text/plain".into(), vec![1]).await, Err(Fault::ReadOnly { .. })));
    let mut upload = store.upload("text/plain".into());
    assert!(matches!(upload.append(vec![1]).await, Err(Fault::ReadOnly { .. })));
    assert!(store.claim_due("w".parse().unwrap(), ClaimFilter::default(), 1).await.is_err());
    drop(store);
    assert!(fs::read(beside(&path, "-wal")).unwrap().is_empty(), "SQLite's own, without content");
    assert!(fs::read(&path).unwrap() == before);
    assert_eq!(mode(&path), 0o644);
}

#[tokio::test]
async fn who_looks_sees_what_another_process_writes() {
    let (_folder, path) = filled(1).await;
    let (writes, looks) = (open(&path), look(&path).unwrap());
    let mut watch = looks.watch();
    watch.mark_unchanged();
    writes.accept(new_run("new")).await.unwrap();
    watch.changed().await.unwrap();
    assert_eq!(count(&looks).await, 2);
}

#[tokio::test]
async fn a_clean_end_leaves_no_log() {
    let (_folder, path) = filled(3).await;
    assert_eq!(names(path.parent().unwrap()), ["provost.db"]);
}

#[tokio::test]
async fn opening_again_writes_nothing() {
    let (_folder, path) = filled(1).await;
    let before = fs::read(&path).unwrap();
    drop(open(&path));
    assert!(fs::read(&path).unwrap() == before);
}

#[tokio::test]
async fn files_and_folders_are_their_owners_alone() {
    let (folder, _) = place();
    let path = folder.path().join("deep/er/provost.db");
    let store = open(&path);
    store.accept(new_run("a")).await.unwrap();
    for folder in [path.parent().unwrap(), path.parent().unwrap().parent().unwrap()] {
        assert_eq!(mode(folder), 0o700, "{}", folder.display());
    }
    for ending in ["", "-wal", "-shm"] {
        let file = beside(&path, ending);
        assert_eq!(mode(&file), 0o600, "{}", file.display());
        set_mode(&file, 0o644);
    }
    let again = open(&path);
    for ending in ["", "-wal", "-shm"] {
        assert_eq!(mode(&beside(&path, ending)), 0o600, "a file that was open to others is closed");
    }
    drop((store, again));
}

#[tokio::test]
async fn files_of_others_are_refused_with_what_they_are() {
    let (_folder, path) = place();
    drop(tamper(&path, "CREATE TABLE photos (id INTEGER)"));
    assert!(refused(&path).to_string().ends_with(
        "is not a Provost database (it is the SQLite file of another program, with 1 tables and indexes); \
         it was left as it is"
    ));
    drop(tamper(&path, "PRAGMA application_id = 1886547830"));
    assert!(refused(&path).to_string().contains("an early version of Provost wrote it"));
    fs::write(&path, "Dear diary, ".repeat(1_000)).unwrap();
    assert!(refused(&path).to_string().contains("(it is not an SQLite file)"));
    fs::remove_file(&path).unwrap();
    fs::create_dir(&path).unwrap();
    assert!(refused(&path).to_string().contains("(it is a folder)"));
}

#[tokio::test]
async fn a_newer_format_is_refused_with_both_versions() {
    let (_folder, path) = filled(1).await;
    drop(tamper(&path, "PRAGMA user_version = 999"));
    let error = refused(&path);
    assert!(matches!(error, OpenError::Newer { found: 999, known: 1, .. }), "{error}");
    let sentence = "was written by a newer Provost (format 999, this one knows up to 1)";
    assert!(error.to_string().ends_with(sentence), "{error}");
    drop(tamper(&path, "PRAGMA user_version = 1"));
    open(&path);
}

#[tokio::test]
async fn a_torn_file_is_damaged() {
    let (_folder, path) = filled(40).await;
    let whole = fs::read(&path).unwrap();
    fs::write(&path, &whole[..whole.len() / 2]).unwrap();
    let error = refused(&path);
    assert!(matches!(error, OpenError::Corrupt { .. }), "{error}");
    assert!(error.to_string().ends_with("is damaged: database disk image is malformed"), "{error}");
    fs::write(&path, &whole).unwrap();
    assert_eq!(count(&open(&path)).await, 40);
}

#[tokio::test]
async fn garbage_inside_the_file_is_damaged() {
    let (_folder, path) = filled(40).await;
    let mut bytes = fs::read(&path).unwrap();
    for page in bytes.chunks_mut(2_048).skip(3) {
        page[..8].fill(0xa5);
    }
    fs::write(&path, &bytes).unwrap();
    let error = refused(&path);
    assert!(matches!(error, OpenError::Corrupt { .. }), "{error}");
    let options = SqliteOptions { check: Check::Always, ..SqliteOptions::default() };
    assert!(matches!(SqliteStore::open(&path, &options), Err(OpenError::Corrupt { .. })));
}

#[tokio::test]
async fn a_damaged_row_is_reported_when_it_is_read() {
    let (_folder, path) = filled(2).await;
    drop(tamper(&path, "UPDATE journal SET hash = x'0099' WHERE run = 'run-1'"));
    let store = open(&path);
    assert_eq!(store.journal(run("run-0"), Seq(0), 9).await.unwrap().len(), 1, "what is whole is read");
    let error = store.journal(run("run-1"), Seq(0), 9).await.unwrap_err();
    assert!(matches!(error, Fault::Corrupt { .. }), "{error}");
    assert_eq!(look(&path).unwrap().verify_rows().await.unwrap().len(), 1);
}

#[tokio::test]
async fn the_log_of_a_crash_is_read() {
    let (_folder, path) = crashed(20).await;
    assert_eq!(count(&look(&path).unwrap()).await, 20);
    let store = open(&path);
    assert_eq!(count(&store).await, 20);
    store.accept(new_run("after")).await.unwrap();
}

#[tokio::test]
async fn a_log_that_lost_commits_is_damaged() {
    let (_folder, path) = crashed(20).await;
    let whole = fs::read(beside(&path, "-wal")).unwrap();
    for at in [whole.len() / 4, whole.len() / 2, 40] {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x10;
        fs::write(beside(&path, "-wal"), &bytes).unwrap();
        let error = refused(&path);
        assert!(error.to_string().contains("is damaged: the log beside it is damaged at byte"), "{error}");
        assert!(fs::read(beside(&path, "-wal")).unwrap() == bytes, "the log is left as it is too");
    }
    let mut bytes = whole.clone();
    bytes[20] ^= 1;
    fs::write(beside(&path, "-wal"), &bytes).unwrap();
    assert!(refused(&path).to_string().contains("does not begin as a log does"));
    fs::write(beside(&path, "-wal"), &whole).unwrap();
    assert_eq!(count(&open(&path)).await, 20);
}

/// A power failure leaves the last transaction unfinished. It was never acknowledged.
#[tokio::test]
async fn an_unfinished_transaction_at_the_end_of_the_log_is_no_damage() {
    let (_folder, path) = crashed(20).await;
    let whole = fs::read(beside(&path, "-wal")).unwrap();
    for cut in [1, 700, 2_072] {
        fs::write(beside(&path, "-wal"), &whole[..whole.len() - cut]).unwrap();
        assert_eq!(count(&look(&path).unwrap()).await, 19, "{cut} bytes are missing");
    }
    let mut bytes = whole.clone();
    let last = whole.len() - 100;
    bytes[last] ^= 1;
    fs::write(beside(&path, "-wal"), &bytes).unwrap();
    assert_eq!(count(&look(&path).unwrap()).await, 19);
    for empty in [vec![], vec![0; 4_096]] {
        fs::write(beside(&path, "-wal"), empty).unwrap();
        assert!(!matches!(look(&path), Err(OpenError::Corrupt { problem, .. }) if problem.contains("log")));
    }
}

#[tokio::test]
async fn a_writer_that_does_not_stop_is_named() {
    let (_folder, path) = filled(1).await;
    let store = SqliteStore::open(&path, &impatient()).unwrap();
    let hog = tamper(&path, "BEGIN IMMEDIATE");
    let this_process = format!("another handle of this process ({})", std::process::id());
    let error = store.post(signal("run-0")).await.unwrap_err();
    let PostError::Storage(Fault::Busy { waited_ms: 30, holder }) = &error else { panic!("{error}") };
    assert!(!cfg!(target_os = "linux") || *holder == this_process, "{holder}");
    let error = SqliteStore::open(&path, &impatient()).err().expect("the file is busy");
    assert!(matches!(error, OpenError::Busy { waited_ms: 30, .. }), "{error}");
    if cfg!(target_os = "linux") {
        let sentence = format!("is in use by {this_process} for more than 30 ms");
        assert!(error.to_string().ends_with(&sentence), "{error}");
    }
    assert_eq!(count(&look(&path).unwrap()).await, 1, "looking does not wait");
    hog.execute_batch("ROLLBACK").unwrap();
    open(&path).post(signal("run-0")).await.unwrap();
}

#[tokio::test]
async fn many_processes_open_a_new_file_at_once() {
    let (_folder, path) = place();
    let mut writers = tokio::task::JoinSet::new();
    for number in 0..6 {
        let path = path.clone();
        writers.spawn(async move {
            let opened =
                tokio::task::spawn_blocking(move || SqliteStore::open(&path, &SqliteOptions::default()));
            let store = opened.await.unwrap().unwrap();
            for step in 0..20 {
                store.accept(new_run(&format!("run-{number}-{step}"))).await.unwrap();
            }
        });
    }
    writers.join_all().await;
    assert_eq!(count(&open(&path)).await, 120);
}

#[tokio::test]
async fn a_file_without_room_is_full() {
    let (_folder, path) = place();
    let options = SqliteOptions { bytes_max: Some(8 << 10), ..SqliteOptions::default() };
    let error = SqliteStore::open(&path, &options).err().expect("the tables do not fit");
    assert!(matches!(error, OpenError::Full { .. }), "{error}");
    assert!(error.to_string().starts_with("there is no room for "), "{error}");
    assert_eq!(count(&open(&path)).await, 0, "with room it goes on");
}

/// The child: another user, who prints what looking and opening give.
#[tokio::test]
async fn child_that_looks() {
    let Some(path) = std::env::var_os(FILE).map(PathBuf::from) else { return };
    let looked = match look(&path) {
        Ok(store) => {
            assert!(store.verify_rows().await.unwrap().is_empty());
            format!("{} runs", count(&store).await)
        }
        Err(error) => format!("{error:?}"),
    };
    let opened = SqliteStore::open(&path, &SqliteOptions::default()).err();
    let opened = opened.map_or("opened".to_owned(), |error| format!("{error:?}"));
    writeln!(std::io::stdout().lock(), "\nlooked: {looked}\nopened: {opened}").unwrap();
}

/// Looks and opens as a user who is bound by permissions. Returns what both gave.
fn bound(folder: &TempDir, path: &Path) -> (String, String) {
    set_mode(folder.path(), 0o755);
    // That user may not reach the folder of the build.
    let program = folder.path().join("test");
    fs::copy(std::env::current_exe().unwrap(), &program).unwrap();
    set_mode(&program, 0o755);
    let mut command = Command::new(&program);
    if fs::metadata("/proc/self").is_ok_and(|process| process.uid() == 0) {
        command = Command::new("setpriv");
        command.args(["--reuid=65534", "--regid=65534", "--clear-groups"]).arg(&program);
    }
    command.args(["--exact", "open::child_that_looks", "--nocapture"]).env(FILE, path);
    // A test beside this one that starts a process may hold the copy open for a moment.
    let is_busy = |output: &Output| String::from_utf8_lossy(&output.stderr).contains("Text file busy");
    let mut output = command.output().unwrap();
    while is_busy(&output) {
        output = command.output().unwrap();
    }
    let text = String::from_utf8(output.stdout).unwrap();
    let line = |name: &str| {
        let found = text.lines().find_map(|line| line.strip_prefix(name));
        assert!(found.is_some(), "{text}{}", String::from_utf8_lossy(&output.stderr));
        found.unwrap_or_default().to_owned()
    };
    (line("looked: "), line("opened: "))
}

#[tokio::test]
async fn a_folder_that_cannot_be_written_can_be_looked_at() {
    let (folder, path) = filled(3).await;
    let inside = path.parent().unwrap();
    set_mode(&path, 0o444);
    set_mode(inside, 0o555);
    let (looked, opened) = bound(&folder, &path);
    assert_eq!(looked, "3 runs");
    assert!(opened.starts_with("ReadOnly"), "{opened}");
    assert_eq!(names(inside), ["provost.db"]);
    // What is only in the log is not in the file.
    fs::write(beside(&path, "-wal"), "something newer").unwrap();
    let (looked, opened) = bound(&folder, &path);
    assert!(looked.starts_with("Log"), "{looked}");
    assert!(opened.starts_with("ReadOnly"), "{opened}");
    fs::remove_file(beside(&path, "-wal")).unwrap();
    set_mode(inside, 0o755);
}

#[tokio::test]
async fn a_file_that_must_not_be_read_is_not_missing() {
    let (folder, path) = filled(1).await;
    let inside = path.parent().unwrap();
    set_mode(inside, 0o755);
    set_mode(&path, 0o000);
    assert!(bound(&folder, &path).0.starts_with("Unreadable"));
    set_mode(&path, 0o644);
    set_mode(inside, 0o000);
    assert!(bound(&folder, &path).0.starts_with("Unreadable"));
    set_mode(inside, 0o755);
}

#[test]
fn every_error_has_its_sentence_and_its_advice() {
    let path = PathBuf::from("/p.db");
    let source = || std::io::Error::from(std::io::ErrorKind::PermissionDenied);
    let found = String::from("it is a folder");
    let (problem, holder) = ("torn".to_owned(), "process 7 (provost)".to_owned());
    let errors = [
        OpenError::Missing { path: path.clone() },
        OpenError::Unreadable { path: path.clone(), source: source() },
        OpenError::Foreign { path: path.clone(), found },
        OpenError::Newer { path: path.clone(), found: 9, known: 1 },
        OpenError::Corrupt { path: path.clone(), problem },
        OpenError::ReadOnly { path: path.clone() },
        OpenError::Log { path: path.clone() },
        OpenError::Busy { path: path.clone(), waited_ms: 30, holder },
        OpenError::Full { path: path.clone() },
        OpenError::Failed { path, source: Box::new(source()) },
    ];
    let said = errors.map(|error| format!("{error}; {}", error.advice()));
    let expected = [
        "/p.db does not exist; look in another folder, or start a run, which makes it",
        "/p.db cannot be read; ask its owner to let you read it",
        "/p.db is not a Provost database (it is a folder); it was left as it is; choose another path",
        "/p.db was written by a newer Provost (format 9, this one knows up to 1); use that version",
        "/p.db is damaged: torn; restore it from a backup",
        "/p.db cannot be written; check the permissions of the file and its folder",
        "/p.db has a log beside it that cannot be read without the right to write there; copy the file and its \
         -wal to a folder of your own, and look there",
        "/p.db is in use by process 7 (provost) for more than 30 ms; try again when it is done",
        "there is no room for /p.db; free some space",
        "/p.db cannot be opened; check the path and its permissions",
    ];
    assert_eq!(said, expected);
}

#[tokio::test]
async fn everything_is_there_after_a_restart() {
    let (_folder, path) = place();
    let digest = {
        let store = open(&path);
        store.accept(new_run("a")).await.unwrap();
        store.put_artifact("text/plain".to_owned(), b"words".to_vec()).await.unwrap().digest
    };
    assert_eq!(digest, Digest::of(b"words"));
    let store = open(&path);
    assert_eq!(count(&store).await, 1);
    assert_eq!(store.artifact(digest).await.unwrap(), Some(b"words".to_vec()));
}
