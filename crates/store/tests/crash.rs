//! Every acknowledged commit survives `kill -9`.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::Arc;

use provost_engine::{Digest, Seq};
use provost_runtime::store::Store as _;
use tokio::task::JoinSet;

use crate::sqlite::{claim, new_run, open, run, step};

/// Names the file to the child process; without it the child's test has nothing to do.
const FILE: &str = "PROVOST_TEST_CRASH_FILE";
const RUNS: usize = 8;
/// So many acknowledgements are read before the child is killed.
const ACKNOWLEDGED: [usize; 4] = [1, 37, 200, 1_000];

/// The child: writes steps of several runs without end, and prints each one after it was acknowledged.
#[tokio::test]
async fn child_that_writes_until_it_is_killed() {
    let Some(path) = std::env::var_os(FILE).map(PathBuf::from) else { return };
    let store = open(&path);
    for number in 0..RUNS {
        store.accept(new_run(&format!("run-{number}"))).await.unwrap();
    }
    let mut writers = JoinSet::new();
    for claimed in claim(&store, "w1", RUNS).await {
        let store = store.clone();
        writers.spawn(async move {
            let mut seq = claimed.head;
            let mut hash = store.run(claimed.run.clone()).await.unwrap().unwrap().row.head_hash;
            loop {
                let commit = step(&claimed, seq, hash, &"word ".repeat(100));
                hash = commit.records[0].hash;
                seq = store.commit(Arc::new(commit)).await.unwrap().head;
                let mut out = std::io::stdout().lock();
                writeln!(out, "\nacknowledged {} {seq}", claimed.run).unwrap();
            }
        });
    }
    writers.join_all().await;
}

#[tokio::test]
async fn every_acknowledged_commit_survives_a_kill() {
    for acknowledged in ACKNOWLEDGED {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("provost.db");
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "crash::child_that_writes_until_it_is_killed", "--nocapture"])
            .env(FILE, &path)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
        let mut seen = lines.filter(|line| line.starts_with("acknowledged "));
        let mut last: Vec<String> = seen.by_ref().take(acknowledged).collect();
        assert_eq!(last.len(), acknowledged);
        child.kill().unwrap();
        // What it printed before it died counts too.
        last.extend(seen);
        child.wait().unwrap();
        let store = open(&path);
        for line in last.iter().filter(|line| line.split(' ').count() == 3) {
            let mut words = line.split(' ').skip(1);
            let (run, seq) = (run(words.next().unwrap()), words.next().unwrap());
            let Ok(seq) = seq.parse::<u64>() else { continue };
            let head = store.run(run).await.unwrap().unwrap().row.head;
            assert!(head >= Seq(seq), "record {seq} was acknowledged, the journal ends at {head}");
        }
        for number in 0..RUNS {
            let run = run(&format!("run-{number}"));
            let records = store.journal(run.clone(), Seq(0), usize::MAX).await.unwrap();
            let head = provost_engine::verify(&run, (Seq(0), Digest::ZERO), &records).unwrap();
            let row = store.run(run).await.unwrap().unwrap().row;
            assert_eq!((row.head, row.head_hash), head);
        }
        assert!(store.verify_rows().await.unwrap().is_empty());
    }
}
