//! What inboxes promise.

use std::task::{Context, Poll, Waker};

use serde_json::json;

use super::promises;
use super::sample::{must, run};
use crate::RunId;
use crate::port::{Boxed, Fault, Inbox, Posted, Signal, Stores};

promises![
    signals_come_back_in_order_and_whole,
    places_count_from_one_without_a_gap,
    a_repeated_id_is_kept_once,
    inboxes_of_runs_are_apart,
    reading_goes_on_after_a_place,
    what_is_there_has_arrived,
    who_waits_is_woken,
    everybody_who_waits_is_woken,
    a_signal_of_another_run_wakes_nobody,
    of_many_posts_each_has_a_place,
];

fn message(text: &str) -> Signal {
    Signal::Message(json!({ "role": "user", "content": text }))
}

async fn post(inbox: &dyn Inbox, run: &RunId, id: &str) -> u64 {
    must(inbox.post(run, id, "ada", message(id), 5).await)
}

async fn places(inbox: &dyn Inbox, run: &RunId, after: u64, limit: usize) -> Vec<u64> {
    must(inbox.read(run, after, limit).await).into_iter().map(|posted| posted.place).collect()
}

/// Polls a waiter once, so that it waits from now on.
fn is_waiting(waiter: &mut Boxed<'_, Result<(), Fault>>) -> bool {
    matches!(waiter.as_mut().poll(&mut Context::from_waker(Waker::noop())), Poll::Pending)
}

async fn signals_come_back_in_order_and_whole(stores: Stores) {
    let run = run("run-1");
    let cancel = Signal::Cancel { reason: "č \" 🌱".to_owned() };
    must(stores.inbox.post(&run, "m", "ada", message("č"), 7).await);
    must(stores.inbox.post(&run, "c", "bob", cancel.clone(), 8).await);
    let posted = [
        Posted { place: 1, at_ms: 7, by: "ada".to_owned(), signal: message("č") },
        Posted { place: 2, at_ms: 8, by: "bob".to_owned(), signal: cancel },
    ];
    assert_eq!(must(stores.inbox.read(&run, 0, 10).await), posted);
    assert_eq!(must(stores.inbox.read(&run, 0, 10).await), posted, "reading takes nothing out");
}

async fn places_count_from_one_without_a_gap(stores: Stores) {
    let run = run("run-1");
    for (id, place) in [("a", 1), ("b", 2), ("a", 1), ("c", 3)] {
        assert_eq!(post(&*stores.inbox, &run, id).await, place);
    }
}

async fn a_repeated_id_is_kept_once(stores: Stores) {
    let run = run("run-1");
    assert_eq!(must(stores.inbox.post(&run, "a", "ada", message("first"), 1).await), 1);
    assert_eq!(must(stores.inbox.post(&run, "a", "bob", message("second"), 2).await), 1);
    let kept = must(stores.inbox.read(&run, 0, 10).await);
    assert_eq!(kept, [Posted { place: 1, at_ms: 1, by: "ada".to_owned(), signal: message("first") }]);
}

async fn inboxes_of_runs_are_apart(stores: Stores) {
    let (one, other) = (run("run-1"), run("run-2"));
    post(&*stores.inbox, &one, "a").await;
    assert_eq!(places(&*stores.inbox, &other, 0, 10).await, [0_u64; 0]);
    assert_eq!(post(&*stores.inbox, &other, "a").await, 1, "an id counts for its run only");
}

async fn reading_goes_on_after_a_place(stores: Stores) {
    let run = run("run-1");
    for id in ["a", "b", "c"] {
        post(&*stores.inbox, &run, id).await;
    }
    assert_eq!(places(&*stores.inbox, &run, 0, 2).await, [1, 2]);
    assert_eq!(places(&*stores.inbox, &run, 2, 2).await, [3]);
    assert_eq!(places(&*stores.inbox, &run, 3, 2).await, [0_u64; 0]);
}

async fn what_is_there_has_arrived(stores: Stores) {
    let run = run("run-1");
    post(&*stores.inbox, &run, "a").await;
    must(stores.inbox.arrived(&run, 0).await);
}

async fn who_waits_is_woken(stores: Stores) {
    let run = run("run-1");
    post(&*stores.inbox, &run, "a").await;
    let mut waiter = stores.inbox.arrived(&run, 1);
    assert!(is_waiting(&mut waiter), "nothing new is there");
    post(&*stores.inbox, &run, "b").await;
    must(waiter.await);
}

async fn everybody_who_waits_is_woken(stores: Stores) {
    let run = run("run-1");
    let mut waiters = [stores.inbox.arrived(&run, 0), stores.inbox.arrived(&run, 0)];
    for waiter in &mut waiters {
        assert!(is_waiting(waiter));
    }
    post(&*stores.inbox, &run, "a").await;
    for waiter in waiters {
        must(waiter.await);
    }
}

async fn a_signal_of_another_run_wakes_nobody(stores: Stores) {
    let run = run("run-1");
    let mut waiter = stores.inbox.arrived(&run, 0);
    assert!(is_waiting(&mut waiter));
    post(&*stores.inbox, &must("run-2".parse()), "a").await;
    assert!(is_waiting(&mut waiter));
}

async fn of_many_posts_each_has_a_place(stores: Stores) {
    let mut posts = tokio::task::JoinSet::new();
    for number in 0..16 {
        let inbox = stores.inbox.clone();
        posts.spawn(async move { post(&*inbox, &run("run-1"), &format!("id-{}", number % 8)).await });
    }
    let mut given = posts.join_all().await;
    given.sort_unstable();
    given.dedup();
    assert_eq!(given, (1..=8).collect::<Vec<u64>>());
}
