//! SQLite keeps every promise of the ports, also across a restart.

use provost_runtime::port::{Append, Seq, contract};

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
