//! Appends of many runs share rows of the journal, and each run reads as if it were alone.

use std::collections::HashMap;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};
use std::task::{Context, Waker};
use std::thread;

use futures_util::future::join_all;
use provost_runtime::RunId;
use provost_runtime::port::{AppendError, Fault, Journal, Seq};
use provost_store::sqlite::{Database, Options};
use rusqlite::Connection;

use crate::sample::{Place, append, run};

const RUNS: u32 = 40;

fn runs() -> Vec<RunId> {
    (0..RUNS).map(|number| run(&format!("run-{number}"))).collect()
}

#[expect(clippy::disallowed_methods, reason = "it plays a process that is not ours")]
fn outside(place: &Place) -> Connection {
    Connection::open(place.path()).unwrap()
}

/// Has every run append once. Somebody writes meanwhile, so that all but the first wait and are written together.
async fn append_together(place: &Place, journal: &dyn Journal, expected: u64) {
    let outside = outside(place);
    outside.execute_batch("BEGIN IMMEDIATE").unwrap();
    let runs = runs();
    let mut appends = Box::pin(join_all(runs.iter().map(|run| journal.append(append(run, expected, 900)))));
    assert!(appends.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
    outside.execute_batch("ROLLBACK").unwrap();
    for written in appends.await {
        assert_eq!(written.unwrap(), Seq(expected + 1));
    }
}

async fn check(journal: &dyn Journal, appends: u64) {
    for run in runs() {
        assert_eq!(journal.head(&run).await.unwrap(), Seq(appends));
        let records = journal.read(&run, Seq::FIRST, usize::MAX).await.unwrap();
        let expected = (0..appends).map(|expected| append(&run, expected, 900).batch.remove(0));
        assert!(records.into_iter().eq(expected), "{run}");
    }
}

#[tokio::test]
async fn many_runs_share_rows_and_each_is_read_alone() {
    let place = Place::new();
    let journal = place.open().stores().journal;
    for round in 0..3 {
        append_together(&place, &*journal, round).await;
        check(&*journal, round + 1).await;
    }
    let rows: u32 = outside(&place).query_row("SELECT count(*) FROM journal", [], |row| row.get(0)).unwrap();
    assert!(rows < RUNS, "{rows} rows for {} appends", 3 * RUNS);

    // Another process finds them, goes on where they end, and refuses whoever would write over them.
    let other = place.open().stores().journal;
    for run in runs() {
        let late = other.append(append(&run, 2, 900)).await.unwrap_err();
        assert!(matches!(late, AppendError::Conflict { actual: Seq(3), .. }), "{late}");
        assert_eq!(other.append(append(&run, 3, 900)).await.unwrap(), Seq(4));
        assert_eq!(other.append(append(&run, 4, 900)).await.unwrap(), Seq(5));
    }
    assert!(appends_without_a_place(&place) < RUNS, "after so many commits most have their places");
    check(&*journal, 5).await;
    drop((journal, other));
    check(&*place.open().stores().journal, 5).await;
}

fn appends_without_a_place(place: &Place) -> u32 {
    let later = "SELECT count(*) FROM journal WHERE id > (SELECT id FROM placed)";
    outside(place).query_row(later, [], |row| row.get(0)).unwrap()
}

/// A place leads to many appends of its run; whoever begins in their middle gets the rest.
#[tokio::test]
async fn a_run_is_read_from_the_middle_of_a_place() {
    let place = Place::new();
    let journal = place.open().stores().journal;
    let run = run("alone");
    for expected in 0..200 {
        journal.append(append(&run, expected, 10)).await.unwrap();
    }
    let places: u32 = outside(&place).query_row("SELECT count(*) FROM places", [], |row| row.get(0)).unwrap();
    assert!((1..10).contains(&places), "{places} places");
    for (from, limit) in [(1, 1), (1, 500), (64, 2), (65, 500), (100, 30), (199, 500), (200, 1), (201, 1)] {
        let read = journal.read(&run, Seq(from), limit).await.unwrap();
        let seqs: Vec<u64> = read.iter().map(|record| record.seq.0).collect();
        let expected: Vec<u64> = (from..=200).take(limit).collect();
        assert_eq!(seqs, expected, "{limit} from {from}");
    }

    // A row that is gone is missed, though the last one is there.
    outside(&place).execute("DELETE FROM journal WHERE id = 30", []).unwrap();
    for from in [1, 30] {
        let error = journal.read(&run, Seq(from), 500).await.unwrap_err();
        assert!(matches!(error, Fault::Corrupt { .. }), "{error}");
    }
    assert_eq!(journal.read(&run, Seq(100), 500).await.unwrap().len(), 101);
}

#[tokio::test]
async fn an_append_that_is_not_where_it_should_be_is_damage() {
    let place = Place::new();
    let journal = place.open().stores().journal;
    append_together(&place, &*journal, 0).await;
    // The first run was written alone; after 64 commits of it every append has its place.
    for expected in 1..70 {
        journal.append(append(&run("run-0"), expected, 10)).await.unwrap();
    }
    assert!(appends_without_a_place(&place) < 70);
    let outside = outside(&place);
    let ends = "SELECT min(id), max(id) FROM journal WHERE run_no = 0";
    let (first, last): (i64, i64) =
        outside.query_row(ends, [], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
    assert!(first < last, "there are several rows of several appends");
    // One row is written over with another.
    let swap = "UPDATE journal SET records = (SELECT records FROM journal WHERE id = ?2) WHERE id = ?1";
    outside.execute(swap, (first, last)).unwrap();
    let error = journal.read(&run("run-1"), Seq::FIRST, 1).await.unwrap_err();
    assert!(matches!(error, Fault::Corrupt { .. }), "{error}");
    let whole = run(&format!("run-{}", RUNS - 1));
    assert_eq!(journal.read(&whole, Seq::FIRST, 1).await.unwrap().len(), 1, "the others are there");
}

/// Nobody can tell whose appends they were, so nobody's head is known any more.
#[tokio::test]
async fn while_a_shared_row_without_places_is_damaged_nobody_writes() {
    let place = Place::new();
    append_together(&place, &*place.open().stores().journal, 0).await;
    let outside = outside(&place);
    let damage = "UPDATE journal SET records = substr(records, 2) WHERE run_no = 0";
    assert!(outside.execute(damage, []).unwrap() > 0);
    let before: u32 = outside.query_row("SELECT count(*) FROM journal", [], |row| row.get(0)).unwrap();
    let journal = place.open().stores().journal;
    let stranger = run("stranger");
    let error = journal.append(append(&stranger, 0, 10)).await.unwrap_err();
    assert!(matches!(error, AppendError::Storage(Fault::Corrupt { .. })), "{error}");
    for read in [journal.head(&run("run-0")).await.err(), journal.head(&run("run-9")).await.err()] {
        assert!(matches!(read, Some(Fault::Corrupt { .. })), "{read:?}");
    }
    let after: u32 = outside.query_row("SELECT count(*) FROM journal", [], |row| row.get(0)).unwrap();
    assert_eq!(before, after);
}

/// Appends for ever, and says what it was told is written.
fn write_until_killed(path: &Path) {
    let database = Database::open(path, &Options::default()).unwrap();
    thread::scope(|threads| {
        for run in runs() {
            let journal = database.clone().stores().journal;
            threads.spawn(move || {
                let alone = tokio::runtime::Builder::new_current_thread().build().unwrap();
                for expected in 0.. {
                    alone.block_on(journal.append(append(&run, expected, 900))).unwrap();
                    let mut told = std::io::stdout();
                    writeln!(told, "{run} {}", expected + 1).unwrap();
                }
            });
        }
    });
}

#[tokio::test]
async fn what_many_runs_were_told_is_written_outlives_the_process() {
    const PLACE: &str = "PROVOST_TEST_PLACE";
    const TOLD: usize = 4_000;
    if let Some(path) = std::env::var_os(PLACE) {
        return write_until_killed(Path::new(&path));
    }
    let place = Place::new();
    let name = "bundles::what_many_runs_were_told_is_written_outlives_the_process";
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args([name, "--exact", "--nocapture"])
        .env(PLACE, place.path())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
    let mut told: Vec<String> = lines.by_ref().take(TOLD).collect();
    child.kill().unwrap();
    child.wait().unwrap();
    told.extend(lines);
    let told = told.iter().filter_map(|line| line.split_once(' ')).filter_map(|(run, seq)| {
        Some((run.strip_prefix("run-")?.parse::<u32>().ok()?, seq.parse::<u64>().ok()?))
    });
    let told: HashMap<u32, u64> = told.collect();
    assert_eq!(told.len() as u32, RUNS);

    let shared = "SELECT count(*) FROM journal WHERE run_no = 0";
    let shared: u32 = outside(&place).query_row(shared, [], |row| row.get(0)).unwrap();
    assert!(shared > 0);
    let journal = place.open().stores().journal;
    for (number, seq) in told {
        let run = run(&format!("run-{number}"));
        let records = journal.read(&run, Seq::FIRST, usize::MAX).await.unwrap();
        let written = records.len() as u64;
        assert!(written >= seq, "{run} has {written} of {seq}");
        let expected = (0..written).map(|expected| append(&run, expected, 900).batch.remove(0));
        assert!(records.into_iter().eq(expected), "{run}");
    }
}
