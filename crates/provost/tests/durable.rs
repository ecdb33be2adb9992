//! What is kept: every byte of it proven, rows that are what the journal says, and waiting that costs nothing.

use std::path::Path;

use provost::{Decision, RunStatus, Runtime, Script, Tool};
use provost_runtime::driver::{recover, run_row};
use provost_runtime::engine::project::conversation_result;
use serde_json::json;

use crate::scene::Text;

/// Asks for a write it may do only when somebody says so.
fn asking(folder: &Path) -> Runtime {
    let model = Script::new().call("note/write", json!({ "text": "a" })).say("Done.");
    let write = Tool::new("note/write", "Writes.", |text: Text| async move { Ok(text.text) });
    Runtime::builder().model(model).tool(write.asks()).sqlite(folder.join("provost.db")).build().unwrap()
}

#[tokio::test]
async fn any_changed_byte_of_a_stored_event_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let runtime = asking(folder.path());
    let run = runtime.start("Go.").unwrap().outcome().await.unwrap().run;
    let action = runtime.pending().await.unwrap().remove(0);
    let decided = runtime.decide(action.action_id(), Decision::accept("grace")).await.unwrap();
    let done = decided.unwrap().outcome().await.unwrap();
    let journal = runtime.stores().journal.clone();

    #[expect(clippy::disallowed_methods, reason = "somebody tampers with the file")]
    let file = rusqlite::Connection::open(folder.path().join("provost.db")).unwrap();
    let rows: Vec<(i64, Vec<u8>)> = {
        let mut rows = file.prepare("SELECT id, records FROM journal ORDER BY id").unwrap();
        rows.query_map((), |row| Ok((row.get(0)?, row.get(1)?))).unwrap().map(Result::unwrap).collect()
    };
    let write = |id: i64, records: &[u8]| {
        file.execute("UPDATE journal SET records = ?2 WHERE id = ?1", (id, records)).unwrap();
    };
    let mut found = 0;
    for (id, records) in &rows {
        for place in 0..records.len() {
            let mut changed = records.clone();
            changed[place] ^= 0x10;
            write(*id, &changed);
            match recover(&*journal, &run).await {
                Err(_) => found += 1,
                // A compressed form has bits that mean nothing: then nothing of the event has changed.
                Ok(read) => assert_eq!(
                    conversation_result(&read.state).unwrap(),
                    done.result,
                    "byte {place} of append {id} changed unnoticed"
                ),
            }
        }
        write(*id, records);
    }
    assert!(found > 500, "{found} changes were found");
    let read = recover(&*journal, &run).await.unwrap();
    assert_eq!(conversation_result(&read.state).unwrap(), done.result);
}

#[tokio::test]
async fn the_stored_row_is_the_one_the_journal_says() {
    let folder = tempfile::tempdir().unwrap();
    let runtime = asking(folder.path());
    let waiting = runtime.start("Go.").unwrap().outcome().await.unwrap();
    let stores = runtime.stores();
    let is_folded = async || {
        let stored = stores.runs.get(&waiting.run).await.unwrap().unwrap();
        let read = recover(&*stores.journal, &waiting.run).await.unwrap();
        let folded = run_row(&waiting.run, &read.state, read.last.seq, stored.updated_at_ms);
        assert_eq!(stored, folded);
        stored
    };
    assert_eq!(is_folded().await.status, "approval_required");
    let action = runtime.pending().await.unwrap().remove(0);
    let decided = runtime.decide(action.action_id(), Decision::accept("grace")).await.unwrap();
    decided.unwrap().outcome().await.unwrap();
    let row = is_folded().await;
    assert_eq!((row.status.as_str(), row.summary.as_str()), ("completed", "Done."));
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
    let alone = alone.args([name, "--exact"]).env(ALONE, "1").output().unwrap();
    assert!(alone.status.success(), "{}", String::from_utf8_lossy(&alone.stdout));
}

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
            let some: Vec<_> = (0..left.min(AT_ONCE)).map(|_| runtime.start("Go.").unwrap()).collect();
            left -= some.len();
            for run in some {
                assert_eq!(run.outcome().await.unwrap().status, RunStatus::ApprovalRequired);
            }
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
