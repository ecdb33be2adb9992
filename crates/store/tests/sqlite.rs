//! The store of runs on SQLite: the promises of the port, several processes on one file, and files that are
//! not ours.

use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use provost_engine::{
    Commit, Digest, Epoch, NewRun, Record, Release, RowChange, RunId, Seq, SignalPost, Time, Unchained,
    WorkerId,
};
use provost_runtime::port::Fault;
use provost_runtime::store::contract::{Subject, hold};
use provost_runtime::store::{About, ClaimFilter, Claimed, CommitError, PostError, RunProblem, Store};
use provost_runtime::system::ManualClock;
use provost_store::sqlite::{OpenError, SqliteOptions, SqliteStore};
use rusqlite::Connection;
use serde_json::json;
use tempfile::TempDir;

pub(crate) fn open(path: &Path) -> SqliteStore {
    SqliteStore::open(path, &SqliteOptions::default()).unwrap()
}

pub(crate) fn place() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("data/provost.db");
    (folder, path)
}

/// Opens a file behind the store's back.
#[expect(clippy::disallowed_methods, reason = "it plays another program")]
pub(crate) fn tamper(path: &Path, sql: &str) -> Connection {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    let connection = Connection::open(path).unwrap();
    connection.execute_batch(sql).unwrap();
    connection
}

pub(crate) fn run(name: &str) -> RunId {
    name.parse().unwrap()
}

fn record(run: &RunId, epoch: Epoch, seq: Seq, previous: Digest, words: &str) -> Record {
    let unchained = Unchained {
        seq,
        at: Time(7),
        epoch,
        actor: r#"{"kind":"runtime"}"#.into(),
        kind: "model_responded".into(),
        version: 1,
        facts: "{}".into(),
        words: json!({ "text": words }).to_string().into(),
    };
    unchained.chain(run, previous)
}

pub(crate) fn new_run(name: &str) -> NewRun {
    let run = run(name);
    NewRun {
        root: run.clone(),
        parent: None,
        workspace: "site:1".to_owned(),
        agent: "coach".to_owned(),
        agent_digest: Digest::of(b"agent"),
        queue: String::new(),
        priority: 0,
        not_before: None,
        records: vec![record(&run, Epoch(0), Seq(1), Digest::ZERO, "hello")],
        summary: json!({}),
        session: None,
        dedupe: None,
        artifacts: Vec::new(),
        run,
    }
}

pub(crate) fn step(claimed: &Claimed, head: Seq, hash: Digest, words: &str) -> Commit {
    Commit {
        run: claimed.run.clone(),
        epoch: claimed.epoch,
        expected: head,
        records: vec![record(&claimed.run, claimed.epoch, head.plus(1), hash, words)],
        row: None,
        waits_opened: Vec::new(),
        waits_settled: Vec::new(),
        signals_taken: None,
        signals_posted: Vec::new(),
        answers: Vec::new(),
        runs_accepted: Vec::new(),
        session: None,
        artifacts: Vec::new(),
        standing: Vec::new(),
        sealed_put: Vec::new(),
        sealed_delete: Vec::new(),
    }
}

pub(crate) async fn claim(store: &SqliteStore, worker: &str, most: usize) -> Vec<Claimed> {
    let worker: WorkerId = worker.parse().unwrap();
    let about = About { machine: "m".to_owned(), pid: 1, start: 1 };
    store.register(worker.clone(), about, 60_000).await.unwrap();
    store.claim_due(worker, ClaimFilter::default(), most).await.unwrap()
}

async fn head(store: &SqliteStore, run: &RunId) -> (Seq, Digest) {
    let row = store.run(run.clone()).await.unwrap().unwrap().row;
    (row.head, row.head_hash)
}

pub(crate) fn signal(name: &str) -> SignalPost {
    let from = provost_engine::Actor::runtime();
    SignalPost { run: run(name), key: None, from, body: json!({"type": "message"}) }
}

#[tokio::test]
async fn every_promise_holds() {
    hold(|| {
        let (folder, path) = place();
        let clock = Arc::new(ManualClock::at(1_000));
        let options = SqliteOptions { clock: clock.clone(), ..SqliteOptions::default() };
        let reopen = move || Arc::new(SqliteStore::open(&path, &options).unwrap()) as Arc<dyn Store>;
        (Subject { store: reopen(), clock, reopen: Box::new(reopen) }, folder)
    })
    .await;
}

#[tokio::test]
async fn two_processes_share_a_file() {
    let (_folder, path) = place();
    let (one, other) = (open(&path), open(&path));
    one.accept(new_run("a")).await.unwrap();
    let zombie = claim(&one, "w1", 1).await.remove(0);
    assert!(claim(&other, "w2", 1).await.is_empty(), "one holds it");
    other.bury("w1".parse().unwrap()).await.unwrap();
    let held = other.claim_due("w2".parse().unwrap(), ClaimFilter::default(), 1).await.unwrap().remove(0);
    let (seq, hash) = head(&one, &zombie.run).await;
    let error = one.commit(Arc::new(step(&zombie, seq, hash, "late"))).await.unwrap_err();
    assert!(matches!(error, CommitError::Fenced { current: Epoch(3) }), "{error}");
    let summary = json!({"title": "parked"});
    let release = Release::Rest;
    let row = RowChange { status: "waiting".to_owned(), due: None, release, ended: false, summary };
    let park = Commit { row: Some(row), ..step(&held, seq, hash, "rest") };
    other.commit(Arc::new(park)).await.unwrap();
    let mut watch = other.watch();
    watch.mark_unchanged();
    one.post(signal("a")).await.unwrap();
    watch.changed().await.unwrap();
    assert_eq!(other.claim_due("w2".parse().unwrap(), ClaimFilter::default(), 1).await.unwrap().len(), 1);
}

#[tokio::test]
async fn many_runs_write_at_once_from_two_processes() {
    const RUNS: usize = 40;
    const STEPS: u64 = 10;
    let (_folder, path) = place();
    let stores = [open(&path), open(&path)];
    for number in 0..RUNS {
        stores[0].accept(new_run(&format!("run-{number}"))).await.unwrap();
    }
    let claimed = claim(&stores[1], "w1", RUNS).await;
    assert_eq!(claimed.len(), RUNS);
    let mut writers = tokio::task::JoinSet::new();
    for (number, claimed) in claimed.into_iter().enumerate() {
        let store = stores[number % 2].clone();
        writers.spawn(async move {
            let (mut seq, mut hash) = head(&store, &claimed.run).await;
            for _ in 0..STEPS {
                let commit = step(&claimed, seq, hash, "a step of many");
                hash = commit.records[0].hash;
                seq = store.commit(Arc::new(commit)).await.unwrap().head;
            }
        });
    }
    writers.join_all().await;
    for number in 0..RUNS {
        let run = run(&format!("run-{number}"));
        let records = stores[0].journal(run.clone(), Seq(0), 100).await.unwrap();
        let verified = provost_engine::verify(&run, (Seq(0), Digest::ZERO), &records).unwrap();
        assert_eq!(verified, head(&stores[1], &run).await);
        assert_eq!(verified.0, Seq(STEPS + 1));
    }
}

#[tokio::test]
async fn a_refusal_in_a_group_leaves_its_neighbours_alone() {
    let (_folder, path) = place();
    let store = open(&path);
    for name in ["a", "b", "c"] {
        store.accept(new_run(name)).await.unwrap();
    }
    let claimed = claim(&store, "w1", 3).await;
    let mut commits = Vec::new();
    for claimed in &claimed {
        let (seq, hash) = head(&store, &claimed.run).await;
        commits.push(step(claimed, seq, hash, "step"));
    }
    commits[1].artifacts = vec![Digest::of(b"absent")];
    let [a, b, c] = commits.try_into().unwrap();
    let (a, b, c) =
        tokio::join!(store.commit(Arc::new(a)), store.commit(Arc::new(b)), store.commit(Arc::new(c)));
    assert!(matches!(b, Err(CommitError::MissingArtifact(_))));
    assert_eq!((a.unwrap().head, c.unwrap().head), (Seq(2), Seq(2)));
    assert_eq!(head(&store, &claimed[1].run).await.0, Seq(1));
}

#[tokio::test]
async fn a_statement_that_fails_in_a_group_leaves_its_neighbours_alone() {
    let (_folder, path) = place();
    let store = open(&path);
    for name in ["a", "b", "c", "d"] {
        store.accept(new_run(name)).await.unwrap();
    }
    let claimed = claim(&store, "w1", 4).await;
    let mut commits = Vec::new();
    for claimed in &claimed {
        let (seq, hash) = head(&store, &claimed.run).await;
        let mut commit = step(claimed, seq, hash, "one");
        let last = commit.records[0].hash;
        commit.records.push(record(&claimed.run, claimed.epoch, seq.plus(2), last, "two"));
        commits.push(Arc::new(commit));
    }
    // The second record of `c` cannot be written, which shows only in the middle of its commit.
    let hog = tamper(
        &path,
        "INSERT INTO journal SELECT run, 3, at, epoch, actor, kind, version, facts, words, facts_hash, words_hash,
             hash, erased FROM journal WHERE run = 'c'; BEGIN IMMEDIATE",
    );
    // The first one waits for the other process, so the rest becomes one group.
    let [a, b, c, d] = [0, 1, 2, 3].map(|at| store.commit(commits[at].clone()));
    let (a, b, c, d, ()) = tokio::join!(a, b, c, d, async { hog.execute_batch("ROLLBACK").unwrap() });
    for done in [a, b, d] {
        assert_eq!(done.unwrap().head, Seq(3));
    }
    assert!(matches!(c, Err(CommitError::Storage(Fault::Failed(_)))), "{c:?}");
    assert_eq!(head(&store, &run("c")).await.0, Seq(1));
    let journal = store.journal(run("c"), Seq(1), 9).await.unwrap();
    assert_eq!(journal.iter().map(|record| record.seq).collect::<Vec<_>>(), [Seq(3)], "only the planted one");
}

#[tokio::test]
async fn a_full_disk_leaves_nothing_half_written() {
    let (_folder, path) = place();
    let options = SqliteOptions { bytes_max: Some(300 << 10), ..SqliteOptions::default() };
    let store = SqliteStore::open(&path, &options).unwrap();
    store.accept(new_run("a")).await.unwrap();
    let claimed = claim(&store, "w1", 1).await.remove(0);
    let (mut seq, mut hash) = head(&store, &claimed.run).await;
    let error = loop {
        let commit = step(&claimed, seq, hash, &"x".repeat(10_000));
        let last = commit.records[0].hash;
        match store.commit(Arc::new(commit)).await {
            Ok(done) => (seq, hash) = (done.head, last),
            Err(error) => break error,
        }
    };
    assert!(matches!(error, CommitError::Storage(Fault::Full { .. })), "{error}");
    assert_eq!(head(&store, &claimed.run).await, (seq, hash));
    assert!(store.verify_rows().await.unwrap().is_empty());
}

#[tokio::test]
async fn another_writer_that_does_not_stop_is_busy() {
    let (_folder, path) = place();
    let options = SqliteOptions { patience_ms: 20, ..SqliteOptions::default() };
    let store = SqliteStore::open(&path, &options).unwrap();
    store.accept(new_run("a")).await.unwrap();
    let hog = tamper(&path, "BEGIN IMMEDIATE");
    let error = store.post(signal("a")).await.unwrap_err();
    assert!(matches!(error, PostError::Storage(Fault::Busy { waited_ms: 20, .. })), "{error}");
    assert!(store.run(run("a")).await.unwrap().is_some(), "reading goes on");
    hog.execute_batch("ROLLBACK").unwrap();
    store.post(signal("a")).await.unwrap();
}

#[test]
fn files_that_are_not_ours_are_refused_and_left_alone() {
    let (_folder, path) = place();
    let refuse = |path: &Path| {
        let before = std::fs::read(path).unwrap();
        let error = SqliteStore::open(path, &SqliteOptions::default()).err().unwrap();
        assert_eq!(std::fs::read(path).unwrap(), before);
        error
    };
    drop(tamper(&path, "CREATE TABLE photos (id INTEGER)"));
    let error = refuse(&path);
    assert!(
        matches!(&error, OpenError::Foreign { found, .. } if found.contains("another program")),
        "{error}"
    );
    std::fs::write(&path, "Dear diary, ".repeat(1_000)).unwrap();
    let error = refuse(&path);
    assert!(matches!(&error, OpenError::Foreign { found, .. } if found.contains("not an SQLite")), "{error}");
    std::fs::remove_file(&path).unwrap();
    drop(open(&path));
    drop(tamper(&path, "PRAGMA user_version = 99"));
    let error = refuse(&path);
    assert!(matches!(error, OpenError::Newer { found: 99, known: 1, .. }), "{error}");
    assert!(!error.advice().is_empty());
}

#[tokio::test]
async fn files_belong_to_their_owner() {
    let (_folder, path) = place();
    let store = open(&path);
    store.accept(new_run("a")).await.unwrap();
    for ending in ["", "-wal", "-shm"] {
        let file = PathBuf::from(format!("{}{ending}", path.display()));
        let mode = std::fs::metadata(&file).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{}", file.display());
    }
}

#[tokio::test]
async fn the_log_is_copied_into_the_file() {
    let (_folder, path) = place();
    let store = open(&path);
    store.accept(new_run("a")).await.unwrap();
    let claimed = claim(&store, "w1", 1).await.remove(0);
    let (mut seq, mut hash) = head(&store, &claimed.run).await;
    for _ in 0..150 {
        let commit = step(&claimed, seq, hash, &"x".repeat(100_000));
        hash = commit.records[0].hash;
        seq = store.commit(Arc::new(commit)).await.unwrap().head;
    }
    let log = std::fs::metadata(format!("{}-wal", path.display())).unwrap().len();
    assert!(log < 12 << 20, "15 MB were written, and the log has {log}");
    assert_eq!(store.stats().await.unwrap().checkpoint_problem, None);
}

#[tokio::test]
async fn what_was_changed_behind_the_store_is_found() {
    let (_folder, path) = place();
    let store = open(&path);
    for name in ["a", "b", "c", "d"] {
        store.accept(new_run(name)).await.unwrap();
    }
    drop(tamper(
        &path,
        "DELETE FROM journal WHERE run = 'a'; DELETE FROM runs WHERE run = 'b';
         UPDATE runs SET head = 5 WHERE run = 'c'; UPDATE runs SET head_hash = zeroblob(32) WHERE run = 'd'",
    ));
    let mut found = store.verify_rows().await.unwrap();
    found.sort_by_key(|problem| problem.run.clone());
    let problems: Vec<_> = found.iter().map(|found| found.problem).collect();
    let head = RunProblem::Head { row: Seq(5), journal: Seq(1) };
    assert_eq!(problems, [RunProblem::NoJournal, RunProblem::NoRow, head, RunProblem::Hash]);
}

#[tokio::test]
async fn erased_words_are_gone_from_the_file() {
    let (_folder, path) = place();
    let store = open(&path);
    let mut new = new_run("a");
    new.records = vec![record(&new.run, Epoch(0), Seq(1), Digest::ZERO, "the secret word is xyzzy-plugh")];
    store.accept(new).await.unwrap();
    let erasure = provost_engine::Erasure {
        by: provost_engine::Actor::runtime(),
        at: Time(9),
        reason: "a secret was found".to_owned(),
    };
    let erase = provost_runtime::store::Erase {
        run: run("a"),
        seq: Seq(1),
        erasure,
        artifacts: Vec::new(),
        waits: Vec::new(),
        summary: None,
    };
    store.erase(erase).await.unwrap();
    for ending in ["", "-wal"] {
        let bytes = std::fs::read(format!("{}{ending}", path.display())).unwrap();
        assert!(!bytes.windows(11).any(|window| window == b"xyzzy-plugh"), "found in {ending:?}");
    }
}

/// Writes questions whose rows grow and shrink, and overwrites every second one. Returns those whose text is still in
/// the file: SQLite leaves copies of rows that it moves between pages.
fn left_after_moving(path: &Path, seed: u64) -> Vec<String> {
    let connection = tamper(path, "PRAGMA secure_delete = on; BEGIN");
    let mut state = seed.wrapping_mul(2_654_435_761) | 1;
    let mut random = |below: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    let secret = |number: u64| format!("secret-{seed}-{number:04}");
    let insert =
        "INSERT INTO waits (wait, run, root, path, workspace, kind, actions, opened, on_due, ask, binding,
        may_answer, supersedable) VALUES (?1, ?1, '', '', '', '', '', ?2, '', ?3, '', '', 0)";
    for number in 0..60 {
        let ask = secret(number) + &"a".repeat(10 + 300 * random(4) as usize);
        connection.execute(insert, (format!("{seed}-{number}"), number as i64, ask)).unwrap();
        let grow = "UPDATE waits SET answer = ?1 WHERE wait = ?2";
        let grown = ("b".repeat(random(800) as usize), format!("{seed}-{}", random(number + 1)));
        connection.execute(grow, grown).unwrap();
    }
    let erased: Vec<u64> = (0..30).map(|step| step * 2).collect();
    for number in &erased {
        let sql = "UPDATE waits SET ask = 'null' WHERE wait = ?1";
        connection.execute(sql, [format!("{seed}-{number}")]).unwrap();
    }
    connection.execute_batch("COMMIT").unwrap();
    connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).unwrap();
    let stored = stored(path);
    erased.into_iter().map(secret).filter(|secret| stored.contains(secret)).collect()
}

/// The bytes of the file and its log, as text.
fn stored(path: &Path) -> String {
    let files = ["", "-wal"].map(|ending| std::fs::read(format!("{}{ending}", path.display())));
    files.into_iter().flatten().map(|file| String::from_utf8_lossy(&file).into_owned()).collect()
}

#[tokio::test]
async fn no_copy_of_erased_words_is_left_in_a_file_that_was_rewritten() {
    let (_folder, path) = place();
    drop(open(&path));
    let left = (0..300).map(|seed| left_after_moving(&path, seed)).find(|left| !left.is_empty());
    let left = left.expect("this SQLite leaves no copies, and compact has nothing to do");
    let store = open(&path);
    store.compact().await.unwrap();
    let stored = stored(&path);
    for secret in left {
        assert!(!stored.contains(&secret), "{secret}");
    }
    assert!(stored.contains("secret-0-0001"), "what was not erased stays");
}

/// While another process reads, the log cannot be emptied, and the caller learns that.
#[tokio::test]
async fn a_reader_that_holds_the_log_is_reported() {
    let (_folder, path) = place();
    let options = SqliteOptions { patience_ms: 20, ..SqliteOptions::default() };
    let store = SqliteStore::open(&path, &options).unwrap();
    store.accept(new_run("a")).await.unwrap();
    let reader = tamper(&path, "BEGIN");
    reader.query_row("SELECT count(*) FROM runs", [], |_| Ok(())).unwrap();
    let error = store.compact().await.unwrap_err();
    assert!(matches!(error, Fault::Busy { .. }), "{error}");
    reader.execute_batch("COMMIT").unwrap();
    store.compact().await.unwrap();
}

#[tokio::test]
async fn people_can_read_the_tables() {
    let (_folder, path) = place();
    open(&path).accept(new_run("a")).await.unwrap();
    let connection = tamper(&path, "");
    let query = "SELECT time, kind, words ->> '$.text' FROM events WHERE run = 'a'";
    let row = connection.query_row(query, [], |row| {
        Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?, row.get::<_, String>(2)?))
    });
    let expected = ("1970-01-01 00:00:00.007", "model_responded", "hello");
    let (time, kind, text) = row.unwrap();
    assert_eq!((time.as_str(), kind.as_str(), text.as_str()), expected);
}
