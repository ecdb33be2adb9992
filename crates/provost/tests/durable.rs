//! What is stored: every byte of it proven, rows that are what the journal says, and waiting that costs nothing.

use std::path::Path;

use provost::{Decision, Outcome, RunStatus, Runtime, Script, Tool};
use provost_engine::{Now, Time, Usage, view};
use provost_runtime::actor::LoadedRun;
use provost_runtime::host::AgentRegistry;
use provost_runtime::store::WaitFilter;
use provost_runtime::verify::verify_run;
use rusqlite::types::Value as Column;
use serde_json::json;

use crate::scene::Text;

/// Asks for a write it may do only when a person says so.
fn asking(folder: &Path) -> Runtime {
    let model = Script::new().call("note/write", json!({ "text": "a" })).say("Done.");
    let write = Tool::new("note/write", "Writes.", |text: Text| async move { Ok(text.text) });
    Runtime::builder().model(model).tool(write.asks()).sqlite(folder.join("provost.db")).build().unwrap()
}

async fn approve(runtime: &Runtime) -> Outcome {
    let wait = runtime.pending().await.unwrap().remove(0).wait.to_string();
    runtime.decide(&wait, Decision::approve("grace")).await.unwrap().outcome().await.unwrap()
}

/// A run that is over, and the file that has it, for a hand that changes it.
async fn ended(folder: &Path) -> (Runtime, Outcome, rusqlite::Connection) {
    let runtime = asking(folder);
    runtime.start("Go.").await.unwrap().outcome().await.unwrap();
    let done = approve(&runtime).await;
    assert_eq!(done.status, RunStatus::Completed);
    #[expect(clippy::disallowed_methods, reason = "the test tampers with the file")]
    let file = rusqlite::Connection::open(folder.join("provost.db")).unwrap();
    (runtime, done, file)
}

/// Whether journal, row and waits of a run are as they were written.
async fn is_proven(runtime: &Runtime, outcome: &Outcome) -> bool {
    match verify_run(&**runtime.store(), &outcome.run).await {
        Ok(report) => report.problems.is_empty(),
        Err(_) => false,
    }
}

/// A value with one bit of one byte changed; a number is one more.
fn changed(value: &Column, byte: usize) -> Column {
    match value {
        Column::Integer(number) => Column::Integer(number + 1),
        Column::Text(text) => {
            let mut bytes = text.clone().into_bytes();
            bytes[byte] ^= 0x10;
            Column::Text(String::from_utf8(bytes).expect("the text of a record of this test is ASCII"))
        }
        Column::Blob(bytes) => {
            let mut bytes = bytes.clone();
            bytes[byte] ^= 0x10;
            Column::Blob(bytes)
        }
        other => panic!("{other:?}"),
    }
}

fn bytes(value: &Column) -> usize {
    match value {
        Column::Null | Column::Real(_) => 0,
        Column::Integer(_) => 1,
        Column::Text(text) => text.len(),
        Column::Blob(bytes) => bytes.len(),
    }
}

#[tokio::test]
async fn any_changed_byte_of_a_stored_event_is_found() {
    const COLUMNS: [&str; 11] = [
        "seq",
        "at",
        "epoch",
        "actor",
        "kind",
        "version",
        "facts",
        "words",
        "facts_hash",
        "words_hash",
        "hash",
    ];
    let folder = tempfile::tempdir().unwrap();
    let (runtime, done, file) = ended(folder.path()).await;
    assert!(is_proven(&runtime, &done).await);
    let mut found = 0;
    for column in COLUMNS {
        let rows: Vec<(i64, Column)> = {
            let mut rows =
                file.prepare(&format!("SELECT rowid, {column} FROM journal ORDER BY seq")).unwrap();
            rows.query_map((), |row| Ok((row.get(0)?, row.get(1)?))).unwrap().map(Result::unwrap).collect()
        };
        // A position that another record has cannot be written; the last one can.
        let rows = if column == "seq" { rows[rows.len() - 1..].to_vec() } else { rows };
        let mut update = file.prepare(&format!("UPDATE journal SET {column} = ?2 WHERE rowid = ?1")).unwrap();
        for (row, value) in &rows {
            for byte in 0..bytes(value) {
                update.execute((row, changed(value, byte))).unwrap();
                assert!(
                    !is_proven(&runtime, &done).await,
                    "byte {byte} of {column} in row {row} changed unnoticed"
                );
                found += 1;
            }
            update.execute((row, value)).unwrap();
        }
    }
    assert!(found > 5_000, "{found} changes were found");
    assert!(is_proven(&runtime, &done).await, "everything is as it was");
    assert_eq!(runtime.outcome(&done.run).await.unwrap().result, done.result);
}

/// Beside the journal: its row, its waits, and records that are missing. Each forgery has a file of its own.
#[tokio::test]
async fn a_forged_row_and_a_missing_record_are_found() {
    let forged = [
        "UPDATE runs SET head = head - 1",
        "UPDATE runs SET head_hash = zeroblob(32)",
        "UPDATE runs SET status = 'failed'",
        "UPDATE waits SET settled = NULL, settled_by = NULL, how = NULL",
        "DELETE FROM journal WHERE seq = (SELECT max(seq) FROM journal)",
        "DELETE FROM journal WHERE seq = 2",
        "UPDATE journal SET words = NULL WHERE seq = 1",
    ];
    for forged in forged {
        let folder = tempfile::tempdir().unwrap();
        let (runtime, done, file) = ended(folder.path()).await;
        assert!(is_proven(&runtime, &done).await, "before {forged}");
        assert!(file.execute(forged, ()).unwrap() > 0, "{forged}");
        assert!(!is_proven(&runtime, &done).await, "{forged}");
    }
}

#[tokio::test]
async fn any_changed_byte_of_a_stored_artifact_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let (runtime, done, file) = ended(folder.path()).await;
    let store = runtime.store();
    let digest = store.run(done.run.clone()).await.unwrap().unwrap().row.agent_digest;
    let whole = store.artifact(digest).await.unwrap().unwrap();
    let stored: Vec<u8> = file.query_row("SELECT bytes FROM artifacts", (), |row| row.get(0)).unwrap();
    let mut found = 0;
    for byte in 0..stored.len() {
        let mut bytes = stored.clone();
        bytes[byte] ^= 0x10;
        file.execute("UPDATE artifacts SET bytes = ?1", [bytes]).unwrap();
        match store.artifact(digest).await {
            Err(_) => found += 1,
            // A compressed form has bits that mean nothing: then nothing of the artifact has changed.
            Ok(read) => assert_eq!(read.as_ref(), Some(&whole), "byte {byte} changed unnoticed"),
        }
    }
    assert!(found > 100, "{found} changes were found");
}

#[tokio::test]
async fn the_stored_row_is_the_one_the_journal_says() {
    let folder = tempfile::tempdir().unwrap();
    let runtime = asking(folder.path());
    let waiting = runtime.start("Go.").await.unwrap().outcome().await.unwrap();
    let store = runtime.store();
    let folded = async || {
        let stored = store.run(waiting.run.clone()).await.unwrap().unwrap();
        // The store alone: nothing of it comes from the agents of this process.
        let loaded = LoadedRun::load(&**store, &AgentRegistry::default(), &waiting.run).await.unwrap();
        let now = Now {
            wall: Time(0),
            active_ms: loaded.active_ms,
            draining: false,
            can_seal: false,
            reserve: Usage::default(),
        };
        let row = &stored.row;
        assert_eq!((row.head, row.head_hash), (loaded.state.seq, loaded.head));
        assert_eq!(row.status, view::status(&loaded.state, &now).as_str());
        assert_eq!(stored.summary, view::summary(&loaded.state));
        assert_eq!(row.ended.is_some(), loaded.state.ended.is_some());
        let open: Vec<_> = store.waits(WaitFilter::default(), None, 10).await.unwrap().items;
        let numbers: Vec<u32> = open.iter().map(|wait| wait.row.wait.number).collect();
        assert_eq!(numbers, loaded.state.waits.keys().copied().collect::<Vec<_>>());
        stored
    };
    assert_eq!(folded().await.row.status, "waiting");
    approve(&runtime).await;
    let stored = folded().await;
    assert_eq!(stored.row.status, "completed");
    // What was said is in the journal alone, where it can be erased.
    let counted = ["turns", "calls", "effect"].map(|key| stored.summary[key].clone());
    assert_eq!(counted, [json!(2), json!(1), json!("done")]);
    assert!(!stored.summary.to_string().contains("Done."));
}

/// Other tests need memory too, so this one measures a process of its own: itself.
#[test]
fn waiting_runs_cost_no_memory_to_speak_of() {
    const ALONE: &str = "PROVOST_TEST_ALONE";
    if std::env::var_os(ALONE).is_some() {
        let threads = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
        return threads.unwrap().block_on(park_many());
    }
    let name = "durable::waiting_runs_cost_no_memory_to_speak_of";
    let mut alone = std::process::Command::new(std::env::current_exe().unwrap());
    let alone = alone.args([name, "--exact", "--nocapture"]).env(ALONE, "1").output().unwrap();
    assert!(alone.status.success(), "{}", String::from_utf8_lossy(&alone.stderr));
}

/// The resident memory of the whole process, per run, that a round of runs adds which start, ask and rest. A worker
/// holds at most 256 of them so that it need not read them again; the round is larger, so what it adds is what the
/// others cost.
async fn park_many() {
    const WAITING: usize = 1_000;
    const AT_ONCE: usize = 250;
    const BYTES_MAX: usize = 2_048;
    const ROUNDS_MAX: usize = 6;
    let folder = tempfile::tempdir().unwrap();
    let runtime = asking(folder.path());
    let park = async |count: usize| {
        let mut left = count;
        while left > 0 {
            let mut some = tokio::task::JoinSet::new();
            for _ in 0..left.min(AT_ONCE) {
                let runtime = runtime.clone();
                some.spawn(
                    async move { runtime.start("Go.").await.unwrap().outcome().await.unwrap().status },
                );
            }
            left -= some.len();
            assert!(some.join_all().await.iter().all(|status| *status == RunStatus::Waiting));
        }
    };
    // Caches and pools grow until they have their size; what waiting itself costs is there in every round.
    let mut rounds = Vec::new();
    while rounds.iter().all(|each| *each > BYTES_MAX) {
        assert!(rounds.len() < ROUNDS_MAX, "{rounds:?} bytes each");
        let before = resident_bytes();
        park(WAITING).await;
        rounds.push(resident_bytes().saturating_sub(before) / WAITING);
    }
}

fn resident_bytes() -> usize {
    const PAGE_BYTES: usize = 4_096;
    let sizes = std::fs::read_to_string("/proc/self/statm").unwrap();
    sizes.split_whitespace().nth(1).unwrap().parse::<usize>().unwrap() * PAGE_BYTES
}
