//! Two handles on one file stand for two processes.

use std::sync::Arc;
use std::task::{Context, Waker};

use provost_runtime::port::{AppendError, ClaimError, Epoch, Fault, Seq, Signal};
use provost_store::sqlite::{Database, OpenError, Options};
use rusqlite::Connection;
use tokio::task::JoinSet;

use crate::sample::{Place, append, run};

fn impatient() -> Options {
    Options { patience_ms: 30, ..Options::default() }
}

/// Another process that writes and does not stop.
#[expect(clippy::disallowed_methods, reason = "it plays a process that is not ours")]
fn hog(place: &Place) -> Connection {
    let hog = Connection::open(place.path()).unwrap();
    hog.execute_batch("BEGIN IMMEDIATE").unwrap();
    hog
}

#[tokio::test]
async fn each_sees_what_the_other_wrote() {
    let place = Place::new();
    let (one, other) = (place.open().stores(), place.open().stores());
    let run = run("run-1");
    one.journal.append(append(&run, 0, 10)).await.unwrap();
    assert_eq!(other.journal.head(&run).await.unwrap(), Seq(1));
    other.journal.append(append(&run, 1, 10)).await.unwrap();
    let error = one.journal.append(append(&run, 1, 10)).await.unwrap_err();
    assert!(matches!(error, AppendError::Conflict { actual: Seq(2), .. }), "{error}");
}

#[tokio::test]
async fn a_claim_of_one_binds_the_other() {
    let place = Place::new();
    let (one, other) = (place.open().stores(), place.open().stores());
    let run = run("run-1");
    let claim = one.claims.claim(&run, "one", 1_000, 0).await.unwrap();
    let error = other.claims.claim(&run, "other", 1_000, 10).await.unwrap_err();
    assert!(matches!(&error, ClaimError::Held(held) if *held == claim), "{error}");
    assert_eq!(other.claims.claim(&run, "other", 1_000, 1_000).await.unwrap().epoch, Epoch(2));
    let mut late = append(&run, 0, 10);
    late.epoch = claim.epoch;
    late.batch[0].epoch = claim.epoch;
    let error = one.journal.append(late).await.unwrap_err();
    assert!(matches!(error, AppendError::Fenced { .. }), "{error}");
}

#[tokio::test]
async fn a_letter_of_one_wakes_the_other() {
    let place = Place::new();
    let (one, other) = (place.open().stores(), place.open().stores());
    let run = run("run-1");
    let cancel = Signal::Cancel { reason: "enough".to_owned() };
    let (arrived, posted) =
        tokio::join!(other.inbox.arrived(&run, 0), one.inbox.post(&run, "a", "ada", cancel.clone(), 5));
    arrived.unwrap();
    assert_eq!(posted.unwrap(), 1);
    assert_eq!(other.inbox.read(&run, 0, 1).await.unwrap()[0].signal, cancel);
}

#[tokio::test]
async fn many_handles_write_at_once_and_nobody_is_turned_away() {
    let place = Place::new();
    let mut writers = JoinSet::new();
    for number in 0..6 {
        let path = place.path();
        writers.spawn(async move {
            // They open at once, too: the first of them makes the file.
            let open = tokio::task::spawn_blocking(move || Database::open(&path, &Options::default()));
            let stores = open.await.unwrap().unwrap().stores();
            let run = run(&format!("run-{number}"));
            for expected in 0..40 {
                stores.journal.append(append(&run, expected, 500)).await.unwrap();
            }
        });
    }
    writers.join_all().await;
    let stores = place.open().stores();
    for number in 0..6 {
        assert_eq!(stores.journal.head(&run(&format!("run-{number}"))).await.unwrap(), Seq(40));
    }
}

#[tokio::test]
async fn every_append_of_many_runs_is_found_whoever_wrote_it() {
    const RUNS: usize = 100;
    const ROUNDS: u64 = 16;
    let place = Place::new();
    let handles = [place.open().stores(), place.open().stores()];
    let runs: Vec<_> = (0..RUNS).map(|number| run(&format!("run-{number}"))).collect();
    for round in 0..ROUNDS {
        let mut appends = JoinSet::new();
        for (number, run) in runs.iter().enumerate() {
            // They take turns: in each round either of them writes every other run.
            let journal = handles[(number + round as usize) % 2].journal.clone();
            let append = append(run, round, 300);
            appends.spawn(async move { journal.append(append).await.unwrap() });
        }
        assert!(appends.join_all().await.iter().all(|head| *head == Seq(round + 1)));
        for stores in &handles {
            let run = &runs[round as usize * 5];
            let records = stores.journal.read(run, Seq(2), 9).await.unwrap();
            assert!(records.iter().map(|record| record.seq.0).eq(2..=(round + 1).min(10)), "round {round}");
        }
    }
    for run in &runs {
        assert_eq!(handles[0].journal.head(run).await.unwrap(), Seq(ROUNDS));
        let records = handles[1].journal.read(run, Seq::FIRST, usize::MAX).await.unwrap();
        let expected = (0..ROUNDS).map(|expected| append(run, expected, 300).batch.remove(0));
        assert!(records.into_iter().eq(expected));
    }
}

#[tokio::test]
async fn a_writer_that_does_not_stop_is_named_and_nothing_is_lost() {
    let place = Place::new();
    let stores = place.open_with(&impatient()).stores();
    let run = run("run-1");
    stores.journal.append(append(&run, 0, 10)).await.unwrap();
    let hog = hog(&place);
    let error = stores.journal.append(append(&run, 1, 10)).await.unwrap_err();
    let AppendError::Storage(Fault::Busy { waited_ms: 30, holder }) = &error else { panic!("{error}") };
    if cfg!(target_os = "linux") {
        assert_eq!(*holder, format!("another handle of this process ({})", std::process::id()));
    }
    assert!(!error.to_string().contains("locked"), "{error}");
    assert_eq!(stores.journal.head(&run).await.unwrap(), Seq(1), "reading goes on");
    hog.execute_batch("ROLLBACK").unwrap();
    stores.journal.append(append(&run, 1, 10)).await.unwrap();
}

#[tokio::test]
async fn a_lone_append_waits_for_another_process_without_holding_its_thread() {
    let place = Place::new();
    let stores = place.open().stores();
    let run = run("run-1");
    stores.journal.append(append(&run, 0, 10)).await.unwrap();
    let hog = hog(&place);
    let mut lone = stores.journal.append(append(&run, 1, 10));
    let mut context = Context::from_waker(Waker::noop());
    assert!(lone.as_mut().poll(&mut context).is_pending());
    hog.execute_batch("ROLLBACK").unwrap();
    assert_eq!(lone.await.unwrap(), Seq(2));
}

#[tokio::test]
async fn opening_beside_a_writer_that_does_not_stop_is_told() {
    let place = Place::new();
    drop(place.open());
    let hog = hog(&place);
    let error = Database::open(&place.path(), &impatient()).err().expect("the file is busy");
    assert!(matches!(error, OpenError::Busy { waited_ms: 30, .. }), "{error}");
    drop(hog);
    let _: Arc<Database> = place.open();
}
