//! No wake-up is lost, and signals reach a run once and in order.

use provost_engine::{Commit, Release, RowChange, SignalId, Time};

use super::sample::{ended, must, new_run, refused, row, run, signal};
use super::{Subject, promises};
use crate::store::PostError;

promises![
    a_signal_wakes_a_resting_run,
    a_signal_before_the_rest_leaves_the_run_ready,
    a_signal_that_was_taken_does_not_wake_again,
    a_worker_that_stops_leaves_the_run_ready,
    of_parking_and_signalling_at_once_none_is_lost,
    a_keyed_signal_is_posted_once,
    a_run_that_is_over_takes_no_signal,
    signals_of_a_commit_are_delivered_or_dropped,
    a_time_that_comes_wakes_a_run,
    a_run_waits_for_its_first_time,
    writing_rings_the_watch,
];

async fn rest(subject: &Subject, taken: Option<u64>) {
    let mut held = subject.claim(&run("a"), "w1").await;
    let commit = Commit {
        signals_taken: taken.map(SignalId),
        row: Some(row("waiting", Release::Rest)),
        ..held.commit(&["note"])
    };
    held.write(subject, commit).await;
}

async fn a_signal_wakes_a_resting_run(subject: Subject) {
    must(subject.store.accept(new_run("a")).await);
    rest(&subject, None).await;
    assert!(!subject.row(&run("a")).await.ready);
    must(subject.store.post(signal(&run("a"), None)).await);
    assert!(subject.row(&run("a")).await.ready);
    let held = subject.claim(&run("a"), "w1").await;
    let signals = must(subject.store.signals(held.run, SignalId(0), 10).await);
    assert_eq!(signals.len(), 1);
    assert_eq!((signals[0].id, signals[0].kind.as_str()), (SignalId(1), "message"));
}

async fn a_signal_before_the_rest_leaves_the_run_ready(subject: Subject) {
    let mut held = subject.begin(new_run("a")).await;
    must(subject.store.post(signal(&run("a"), None)).await);
    let row_of = subject.row(&run("a")).await;
    assert!(!row_of.ready && row_of.owner.is_some(), "its worker reads it");
    let worker = subject.worker("w1").await;
    assert_eq!(must(subject.store.mail(worker.clone()).await), [run("a")]);
    held.write(&subject, Commit { row: Some(row("waiting", Release::Rest)), ..held.commit(&["note"]) }).await;
    assert!(subject.row(&run("a")).await.ready);
    assert!(must(subject.store.mail(worker).await).is_empty());
}

async fn a_signal_that_was_taken_does_not_wake_again(subject: Subject) {
    must(subject.store.accept(new_run("a")).await);
    must(subject.store.post(signal(&run("a"), Some("k"))).await);
    rest(&subject, Some(1)).await;
    assert!(!subject.row(&run("a")).await.ready);
    let signals = must(subject.store.signals(run("a"), SignalId(0), 10).await);
    assert_eq!(signals[0].body, None, "a record carries it now");
    assert_eq!(signals[0].key.as_deref(), Some("k"));
}

async fn a_worker_that_stops_leaves_the_run_ready(subject: Subject) {
    let mut held = subject.begin(new_run("a")).await;
    held.write(&subject, Commit { row: Some(row("running", Release::Ready)), ..held.commit(&["note"]) })
        .await;
    subject.claim(&run("a"), "w2").await;
}

async fn of_parking_and_signalling_at_once_none_is_lost(subject: Subject) {
    must(subject.store.accept(new_run("a")).await);
    for round in 0..40 {
        let held = subject.claim(&run("a"), "w1").await;
        let park = Commit {
            signals_taken: Some(SignalId(round)),
            row: Some(row("waiting", Release::Rest)),
            ..held.commit(&["note"])
        };
        let (parked, posted) =
            tokio::join!(held.send(&subject, park), subject.store.post(signal(&run("a"), None)));
        must(parked);
        must(posted);
        assert!(subject.row(&run("a")).await.ready, "round {round}");
    }
}

async fn a_keyed_signal_is_posted_once(subject: Subject) {
    let mut held = subject.begin(new_run("a")).await;
    let first = must(subject.store.post(signal(&run("a"), Some("k"))).await);
    let again = must(subject.store.post(signal(&run("a"), Some("k"))).await);
    assert!(!first.existing && again.existing && again.id == first.id);
    must(subject.store.post(signal(&run("a"), None)).await);
    must(subject.store.post(signal(&run("a"), None)).await);
    assert_eq!(subject.row(&run("a")).await.inbox, SignalId(3));
    let end = Commit {
        signals_taken: Some(SignalId(3)),
        row: Some(ended("completed")),
        ..held.commit(&["run_ended"])
    };
    held.write(&subject, end).await;
    assert!(must(subject.store.post(signal(&run("a"), Some("k"))).await).existing, "also after the end");
}

async fn a_run_that_is_over_takes_no_signal(subject: Subject) {
    let mut held = subject.begin(new_run("a")).await;
    held.write(&subject, Commit { row: Some(ended("completed")), ..held.commit(&["run_ended"]) }).await;
    let error = refused(subject.store.post(signal(&run("a"), None)).await);
    assert!(matches!(error, PostError::RunEnded { .. }), "{error}");
    let error = refused(subject.store.post(signal(&run("b"), None)).await);
    assert!(matches!(error, PostError::UnknownRun(_)), "{error}");
}

async fn signals_of_a_commit_are_delivered_or_dropped(subject: Subject) {
    let mut over = subject.begin(new_run("over")).await;
    over.write(&subject, Commit { row: Some(ended("completed")), ..over.commit(&["run_ended"]) }).await;
    must(subject.store.accept(new_run("b")).await);
    let mut held = subject.begin(new_run("a")).await;
    let posts = vec![signal(&run("b"), Some("k")), signal(&run("over"), None), signal(&run("b"), Some("k"))];
    held.write(&subject, Commit { signals_posted: posts, ..held.commit(&["note"]) }).await;
    assert_eq!(subject.row(&run("b")).await.inbox, SignalId(1));
    assert_eq!(subject.row(&run("over")).await.inbox, SignalId(0));
}

async fn a_time_that_comes_wakes_a_run(subject: Subject) {
    let mut held = subject.begin(new_run("a")).await;
    let change = RowChange { due: Some(Time(5_000)), ..row("waiting", Release::Rest) };
    held.write(&subject, Commit { row: Some(change), ..held.commit(&["note"]) }).await;
    assert_eq!(must(subject.store.next_due().await), Some(Time(5_000)));
    subject.clock.set(4_999);
    assert_eq!(must(subject.store.expire_due(10).await).runs, 0);
    subject.clock.set(5_000);
    assert_eq!(must(subject.store.expire_due(10).await).runs, 1);
    assert_eq!(must(subject.store.expire_due(10).await).runs, 0);
    assert_eq!(must(subject.store.next_due().await), None);
    subject.claim(&run("a"), "w1").await;
}

async fn a_run_waits_for_its_first_time(subject: Subject) {
    let mut new = new_run("a");
    new.not_before = Some(Time(5_000));
    must(subject.store.accept(new).await);
    assert!(subject.try_claim(&run("a"), "w1").await.is_none());
    assert_eq!(must(subject.store.next_due().await), Some(Time(5_000)));
    subject.clock.set(5_000);
    must(subject.store.expire_due(10).await);
    subject.claim(&run("a"), "w1").await;
}

async fn writing_rings_the_watch(subject: Subject) {
    let mut here = subject.store.watch();
    must(subject.store.accept(new_run("a")).await);
    must(here.changed().await);
    let elsewhere = (subject.reopen)();
    let mut there = elsewhere.watch();
    there.mark_unchanged();
    must(subject.store.post(signal(&run("a"), None)).await);
    must(there.changed().await);
}
