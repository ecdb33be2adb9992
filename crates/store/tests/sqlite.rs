//! SQLite keeps every promise of the ports, also across a restart.

use std::task::{Context, Poll, Waker};

use provost_runtime::port::{Address, Append, Seq, contract};

use crate::sample::{Place, append, run};

#[tokio::test]
async fn every_promise_holds() {
    contract::hold(|| {
        let place = Place::new();
        (place.open().stores(), place)
    })
    .await;
}

#[tokio::test]
async fn everything_is_there_after_a_restart() {
    let place = Place::new();
    let run = run("run-1");
    let (claim, address) = {
        let stores = place.open().stores();
        let claim = stores.claims.claim(&run, "worker", 1_000, 0).await.unwrap();
        let mut batch = append(&run, 0, 100).batch;
        batch.iter_mut().for_each(|record| record.epoch = claim.epoch);
        stores.journal.append(Append::new(run.clone(), claim.epoch, Seq::NONE, batch)).await.unwrap();
        (claim, stores.artifacts.put(b"kept".to_vec()).await.unwrap())
    };
    let stores = place.open().stores();
    assert_eq!(stores.journal.head(&run).await.unwrap(), Seq(1));
    assert_eq!(stores.claims.holder(&run).await.unwrap(), Some(claim));
    assert_eq!(stores.artifacts.get(&address).await.unwrap(), Some(b"kept".to_vec()));
}

#[tokio::test]
async fn what_was_asked_before_the_end_is_written() {
    let place = Place::new();
    let run = run("run-1");
    {
        let stores = place.open().stores();
        stores.journal.append(append(&run, 0, 10)).await.unwrap();
        // An append nobody waits for any more is written as well.
        let mut dropped = stores.journal.append(append(&run, 1, 10));
        let waker = std::task::Waker::noop();
        let _ = dropped.as_mut().poll(&mut std::task::Context::from_waker(waker));
    }
    assert_eq!(place.open().stores().journal.head(&run).await.unwrap(), Seq(2));
}

#[tokio::test]
async fn whoever_is_alone_is_served_at_once() {
    let place = Place::new();
    let stores = place.open().stores();
    let run = run("run-1");
    let mut context = Context::from_waker(Waker::noop());
    let mut lone = stores.journal.append(append(&run, 0, 10));
    assert!(matches!(lone.as_mut().poll(&mut context), Poll::Ready(Ok(Seq(1)))));
    let mut large = append(&run, 1, 10);
    large.artifacts = vec![(Address::of(b"kept"), b"kept".to_vec())];
    let mut large = stores.journal.append(large);
    assert!(large.as_mut().poll(&mut context).is_pending(), "this may take a while");
    // What comes behind it stays behind it.
    let behind = stores.journal.append(append(&run, 2, 10));
    let (large, behind) = tokio::join!(large, behind);
    assert_eq!((large.unwrap(), behind.unwrap()), (Seq(2), Seq(3)));
}

#[tokio::test]
async fn the_log_is_written_over_and_nothing_is_lost() {
    const APPENDS: u64 = 1_000;
    let place = Place::new();
    let stores = place.open().stores();
    let run = run("run-1");
    for expected in 0..APPENDS {
        stores.journal.append(append(&run, expected, 1_000)).await.unwrap();
    }
    let log = std::fs::metadata(place.path().with_extension("db-wal")).unwrap();
    assert!(log.len() < APPENDS * 600, "the log has {} bytes", log.len());
    drop(stores);
    let records = place.open().stores().journal.read(&run, Seq::FIRST, usize::MAX).await.unwrap();
    assert!(records.iter().map(|record| record.seq.0).eq(1..=APPENDS));
}
