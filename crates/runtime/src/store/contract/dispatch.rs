//! Workers, leases and claims.

use std::sync::Arc;

use provost_engine::{Epoch, RunId, Time, WorkerId};

use super::sample::{TTL_MS, child, id, must, new_run, refused, run};
use super::{Subject, promises};
use crate::store::{About, Beat, ClaimError, ClaimFilter, RegisterError};

promises![
    a_claimed_run_is_given_to_no_other,
    of_many_claimants_one_wins,
    a_lease_is_renewed_or_buried_never_both,
    a_burial_frees_and_fences_the_runs,
    a_dead_worker_of_the_same_machine_loses_its_lease_at_once,
    a_dead_worker_claims_nothing,
    an_id_is_registered_once,
    claims_are_fair_between_workspaces,
    claims_go_by_priority_and_then_by_age,
    a_filter_limits_what_is_claimed,
    a_filter_by_run_takes_its_children_too,
    a_released_worker_leaves_its_runs_ready,
    a_worker_learns_what_it_holds,
];

async fn claimed(subject: &Subject, worker: &WorkerId, filter: ClaimFilter, most: usize) -> Vec<String> {
    let claimed = must(subject.store.claim_due(worker.clone(), filter, most).await);
    claimed.into_iter().map(|claimed| claimed.run.to_string()).collect()
}

async fn accept(subject: &Subject, name: &str, workspace: &str, priority: i32) {
    let mut new = new_run(name);
    (new.workspace, new.priority) = (workspace.to_owned(), priority);
    must(subject.store.accept(new).await);
}

async fn a_claimed_run_is_given_to_no_other(subject: Subject) {
    let held = subject.begin(new_run("a")).await;
    assert_eq!(held.epoch, Epoch(1));
    let other = subject.worker("w2").await;
    assert!(claimed(&subject, &other, ClaimFilter::default(), 10).await.is_empty());
    let row = subject.row(&run("a")).await;
    assert_eq!((row.owner, row.status.as_str()), (Some(id("w1")), "queued"), "a claim changes no status");
}

async fn of_many_claimants_one_wins(subject: Subject) {
    must(subject.store.accept(new_run("a")).await);
    let mut claims = tokio::task::JoinSet::new();
    for number in 0..8 {
        let worker = subject.worker(&format!("w{number}")).await;
        let store = if number % 2 == 0 { subject.store.clone() } else { (subject.reopen)() };
        claims.spawn(async move { must(store.claim_due(worker, ClaimFilter::default(), 4).await).len() });
    }
    assert_eq!(claims.join_all().await.into_iter().sum::<usize>(), 1);
}

async fn a_lease_is_renewed_or_buried_never_both(subject: Subject) {
    let worker = subject.worker("w1").await;
    subject.clock.advance(1_000);
    let until = Time(2_000).plus_ms(TTL_MS);
    assert_eq!(must(subject.store.beat(worker.clone(), TTL_MS).await), Beat::Renewed { until });
    // A lease that is over and not buried can be renewed.
    subject.clock.set(until.0 + 1_000);
    let renewed = must(subject.store.beat(worker.clone(), TTL_MS).await);
    assert!(matches!(renewed, Beat::Renewed { .. }));
    must(subject.store.bury_expired().await);
    assert_eq!(must(subject.store.workers().await).len(), 1, "its lease holds");
    subject.clock.advance(2 * i64::try_from(TTL_MS).unwrap_or_default());
    must(subject.store.bury_expired().await);
    assert_eq!(must(subject.store.beat(worker, TTL_MS).await), Beat::Dead);
    assert!(must(subject.store.workers().await).is_empty());
    assert_eq!(must(subject.store.beat(id("unknown"), TTL_MS).await), Beat::Dead);
}

async fn a_burial_frees_and_fences_the_runs(subject: Subject) {
    let zombie = subject.begin(new_run("a")).await;
    subject.clock.advance(2 * i64::try_from(TTL_MS).unwrap_or_default());
    assert_eq!(must(subject.store.bury_expired().await), [run("a")]);
    assert!(must(subject.store.bury_expired().await).is_empty());
    zombie.refuse(&subject, zombie.commit(&["late"])).await;
    let held = subject.claim(&run("a"), "w2").await;
    assert!(held.epoch > zombie.epoch);
}

async fn a_dead_worker_of_the_same_machine_loses_its_lease_at_once(subject: Subject) {
    let zombie = subject.begin(new_run("a")).await;
    let workers = must(subject.store.workers().await);
    let about = About { machine: "m".to_owned(), pid: 7, start: 9 };
    assert_eq!((workers.len(), &workers[0].about), (1, &about));
    assert_eq!(must(subject.store.bury(workers[0].worker.clone()).await), [run("a")]);
    zombie.refuse(&subject, zombie.commit(&["late"])).await;
    subject.claim(&run("a"), "w2").await;
}

async fn a_dead_worker_claims_nothing(subject: Subject) {
    must(subject.store.accept(new_run("a")).await);
    let claim = |worker: &str| subject.store.claim_due(id(worker), ClaimFilter::default(), 1);
    let error = refused(claim("unknown").await);
    assert!(matches!(error, ClaimError::Dead(_)), "{error}");
    subject.worker("w1").await;
    must(subject.store.bury(id("w1")).await);
    refused(claim("w1").await);
    subject.worker("w2").await;
    subject.clock.advance(2 * i64::try_from(TTL_MS).unwrap_or_default());
    refused(claim("w2").await);
    assert!(subject.row(&run("a")).await.ready);
}

async fn an_id_is_registered_once(subject: Subject) {
    let worker = subject.worker("w1").await;
    must(subject.store.bury(worker.clone()).await);
    let about = About { machine: "m".to_owned(), pid: 8, start: 1 };
    let error = refused(subject.store.register(worker, about, TTL_MS).await);
    assert!(matches!(error, RegisterError::Exists(_)), "{error}");
}

async fn claims_are_fair_between_workspaces(subject: Subject) {
    for number in 0..6 {
        accept(&subject, &format!("a{number}"), "site:1", 0).await;
    }
    accept(&subject, "b0", "site:2", 0).await;
    accept(&subject, "c0", "site:3", 9).await;
    let worker = subject.worker("w1").await;
    assert_eq!(claimed(&subject, &worker, ClaimFilter::default(), 4).await, ["a0", "b0", "c0", "a1"]);
    accept(&subject, "b1", "site:2", 0).await;
    accept(&subject, "c1", "site:3", 0).await;
    // The next claim goes on after the workspace served last, and around.
    assert_eq!(claimed(&subject, &worker, ClaimFilter::default(), 1).await, ["b1"]);
    assert_eq!(claimed(&subject, &worker, ClaimFilter::default(), 2).await, ["c1", "a2"]);
    assert_eq!(claimed(&subject, &worker, ClaimFilter::default(), 10).await, ["a3", "a4", "a5"]);
}

async fn claims_go_by_priority_and_then_by_age(subject: Subject) {
    for (name, priority) in [("late", 5), ("second", 0), ("third", 0), ("first", -1)] {
        subject.clock.advance(1);
        accept(&subject, name, "site:1", priority).await;
    }
    let worker = subject.worker("w1").await;
    let order = claimed(&subject, &worker, ClaimFilter::default(), 10).await;
    assert_eq!(order, ["first", "second", "third", "late"]);
}

async fn a_filter_limits_what_is_claimed(subject: Subject) {
    for (name, workspace, agent, queue) in
        [("a", "site:1", "x", ""), ("b", "site:2", "x", "slow"), ("c", "site:3", "y", "slow")]
    {
        let mut new = new_run(name);
        (new.workspace, new.agent, new.queue) = (workspace.to_owned(), agent.to_owned(), queue.to_owned());
        must(subject.store.accept(new).await);
    }
    let worker = subject.worker("w1").await;
    let only = |text: &str| Some(vec![text.to_owned()]);
    let none = ClaimFilter { agents: only("y"), queues: only(""), ..ClaimFilter::default() };
    assert!(claimed(&subject, &worker, none, 10).await.is_empty());
    let slow = ClaimFilter { queues: only("slow"), agents: only("y"), ..ClaimFilter::default() };
    assert_eq!(claimed(&subject, &worker, slow, 10).await, ["c"]);
    let workspace = ClaimFilter { workspaces: only("site:2"), ..ClaimFilter::default() };
    assert_eq!(claimed(&subject, &worker, workspace, 10).await, ["b"]);
    assert_eq!(claimed(&subject, &worker, ClaimFilter::default(), 10).await, ["a"]);
}

async fn a_filter_by_run_takes_its_children_too(subject: Subject) {
    must(subject.store.accept(new_run("other")).await);
    must(subject.store.accept(new_run("a")).await);
    must(subject.store.accept(child("b", &run("a"))).await);
    let mut grandchild = child("c", &run("b"));
    grandchild.root = run("a");
    must(subject.store.accept(grandchild).await);
    let worker = subject.worker("w1").await;
    let tree = |name: &str| ClaimFilter {
        runs: Some(Arc::new([id::<RunId>(name)].into())),
        ..ClaimFilter::default()
    };
    assert_eq!(claimed(&subject, &worker, tree("b"), 10).await, ["b", "c"]);
    assert_eq!(claimed(&subject, &worker, tree("a"), 10).await, ["a"]);
    assert_eq!(claimed(&subject, &worker, ClaimFilter::default(), 10).await, ["other"]);
}

async fn a_released_worker_leaves_its_runs_ready(subject: Subject) {
    let held = subject.begin(new_run("a")).await;
    assert_eq!(must(subject.store.release(id("w1")).await), [run("a")]);
    held.refuse(&subject, held.commit(&["late"])).await;
    subject.claim(&run("a"), "w2").await;
}

async fn a_worker_learns_what_it_holds(subject: Subject) {
    let held = subject.begin(new_run("a")).await;
    must(subject.store.accept(new_run("b")).await);
    let holds = must(subject.store.held(id("w1")).await);
    let holds: Vec<_> = holds.into_iter().map(|claimed| (claimed.run, claimed.epoch)).collect();
    assert_eq!(holds, [(run("a"), held.epoch)], "a run that no worker claimed is not held");
    must(subject.store.bury(id("w1")).await);
    assert!(must(subject.store.held(id("w1")).await).is_empty(), "a dead worker holds nothing");
}
