//! Reading many rows at once: tails, filters, cursors.

use provost_engine::{Commit, Release, Seq, WhenBusy};

use super::sample::{child, ended, id, must, new_run, new_session, row, run, start, wait};
use super::{Subject, promises};
use crate::store::{ListedRun, Page, RunFilter, SessionFilter, WaitFilter};

promises![
    tails_of_many_runs_come_in_one_answer,
    runs_are_listed_newest_first_by_cursor,
    runs_are_listed_by_filter,
    waits_are_listed_by_filter_and_cursor,
    sessions_are_listed_newest_first,
    a_store_counts_what_it_holds,
];

async fn tails_of_many_runs_come_in_one_answer(subject: Subject) {
    for name in ["a", "b", "c"] {
        let mut held = subject.begin(new_run(name)).await;
        held.write(&subject, held.commit(&["one", "two", "three"])).await;
    }
    let after = vec![(run("c"), Seq(1)), (run("a"), Seq(4)), (run("b"), Seq(2)), (run("none"), Seq(0))];
    let tails = must(subject.store.tails(after, 2).await);
    let mut found: Vec<_> = tails.iter().map(|(run, record)| (run.to_string(), record.seq.0)).collect();
    let order: Vec<_> = found.iter().filter(|(run, _)| run == "c").cloned().collect();
    assert_eq!(order, [("c".to_owned(), 2), ("c".to_owned(), 3)]);
    found.sort();
    let all = [("b", 3), ("b", 4), ("c", 2), ("c", 3)].map(|(run, seq)| (run.to_owned(), seq));
    assert_eq!(found, all);
    assert!(must(subject.store.tails(Vec::new(), 5).await).is_empty());
}

fn names(page: &Page<ListedRun, provost_engine::RunId>) -> Vec<String> {
    page.items.iter().map(|listed| listed.row.run.to_string()).collect()
}

async fn runs_are_listed_newest_first_by_cursor(subject: Subject) {
    // Two of one millisecond: the id decides.
    for (name, step) in [("a", 1), ("b", 1), ("c", 0), ("d", 1), ("e", 1)] {
        subject.clock.advance(step);
        must(subject.store.accept(new_run(name)).await);
    }
    let list = |after, limit| subject.store.runs(RunFilter::default(), after, limit);
    let first = must(list(None, 2).await);
    assert_eq!(names(&first), ["e", "d"]);
    // What begins meanwhile does not move the next page.
    subject.clock.advance(1);
    must(subject.store.accept(new_run("f")).await);
    let second = must(list(first.next, 2).await);
    assert_eq!(names(&second), ["c", "b"]);
    let last = must(list(second.next, 2).await);
    assert_eq!((names(&last), last.next.is_none()), (vec!["a".to_owned()], true));
    let exact = must(list(None, 6).await);
    assert!(exact.items.len() == 6 && exact.next.is_none());
}

async fn runs_are_listed_by_filter(subject: Subject) {
    must(subject.store.create_session(new_session("s")).await);
    let mut held = subject.begin(start("a", "s", 0, WhenBusy::Refuse)).await;
    must(subject.store.accept(child("b", &run("a"))).await);
    let mut other = new_run("c");
    (other.workspace, other.agent) = ("site:2".to_owned(), "cook".to_owned());
    must(subject.store.accept(other).await);
    held.write(&subject, Commit { row: Some(ended("failed")), ..held.commit(&["run_ended"]) }).await;
    let filters = [
        (RunFilter { workspace: Some("site:2".to_owned()), ..RunFilter::default() }, vec!["c"]),
        (RunFilter { agent: Some("cook".to_owned()), ..RunFilter::default() }, vec!["c"]),
        (RunFilter { status: Some("failed".to_owned()), ..RunFilter::default() }, vec!["a"]),
        (RunFilter { session: Some(id("s")), ..RunFilter::default() }, vec!["a"]),
        (RunFilter { parent: Some(run("a")), ..RunFilter::default() }, vec!["b"]),
        (RunFilter { root: Some(run("a")), ..RunFilter::default() }, vec!["b", "a"]),
        (RunFilter { ended: Some(true), ..RunFilter::default() }, vec!["a"]),
        (
            RunFilter { ended: Some(false), workspace: Some("site:1".to_owned()), ..RunFilter::default() },
            vec!["b"],
        ),
        (RunFilter { workspace: Some("site:3".to_owned()), ..RunFilter::default() }, vec![]),
    ];
    for (filter, expected) in filters {
        let page = must(subject.store.runs(filter.clone(), None, 10).await);
        assert_eq!(names(&page), expected, "{filter:?}");
    }
    let listed = must(subject.store.run(run("a")).await);
    assert_eq!(listed.map(|listed| listed.summary), Some(serde_json::json!({"status": "failed"})));
}

async fn waits_are_listed_by_filter_and_cursor(subject: Subject) {
    must(subject.store.create_session(new_session("s")).await);
    let mut held = subject.begin(start("a", "s", 0, WhenBusy::Refuse)).await;
    let mut nested = wait(&run("b"), 1);
    (nested.root, nested.kind) = (run("a"), "question".to_owned());
    let commit = Commit {
        waits_opened: vec![wait(&run("a"), 1), wait(&run("a"), 2)],
        runs_accepted: vec![child("b", &run("a"))],
        row: Some(row("waiting", Release::Rest)),
        ..held.commit(&["wait_opened"])
    };
    held.write(&subject, commit).await;
    subject.clock.advance(1);
    let mut held = subject.claim(&run("b"), "w1").await;
    held.write(&subject, Commit { waits_opened: vec![nested], ..held.commit(&["wait_opened"]) }).await;
    let list = |filter: WaitFilter| async {
        let page = must(subject.store.waits(filter, None, 10).await);
        page.items.iter().map(|wait| wait.row.wait.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(list(WaitFilter::default()).await, ["a/1", "a/2", "b/1"]);
    assert_eq!(list(WaitFilter { run: Some(run("a")), ..WaitFilter::default() }).await, ["a/1", "a/2"]);
    assert_eq!(list(WaitFilter { root: Some(run("a")), ..WaitFilter::default() }).await.len(), 3);
    assert_eq!(list(WaitFilter { session: Some(id("s")), ..WaitFilter::default() }).await.len(), 3);
    assert_eq!(list(WaitFilter { session: Some(id("t")), ..WaitFilter::default() }).await.len(), 0);
    let question = WaitFilter { kind: Some("question".to_owned()), ..WaitFilter::default() };
    assert_eq!(list(question).await, ["b/1"]);
    let elsewhere = WaitFilter { workspace: Some("site:2".to_owned()), ..WaitFilter::default() };
    assert!(list(elsewhere).await.is_empty());
    let first = must(subject.store.waits(WaitFilter::default(), None, 2).await);
    let rest = must(subject.store.waits(WaitFilter::default(), first.next, 2).await);
    assert_eq!(rest.items.iter().map(|wait| wait.row.wait.to_string()).collect::<Vec<_>>(), ["b/1"]);
    assert_eq!(rest.next, None);
}

async fn sessions_are_listed_newest_first(subject: Subject) {
    for (name, owner) in [("s", "user:ada"), ("t", "user:bo"), ("u", "user:ada")] {
        subject.clock.advance(1);
        let mut new = new_session(name);
        new.owner = owner.to_owned();
        must(subject.store.create_session(new).await);
    }
    let list = |owner: Option<&str>, after, limit| {
        let filter = SessionFilter { owner: owner.map(str::to_owned), ..SessionFilter::default() };
        subject.store.sessions(filter, after, limit)
    };
    let page = must(list(None, None, 2).await);
    assert_eq!(page.items.iter().map(|row| row.about.session.as_str()).collect::<Vec<_>>(), ["u", "t"]);
    let rest = must(list(None, page.next, 2).await);
    assert_eq!((rest.items.len(), rest.next), (1, None));
    assert_eq!(must(list(Some("user:ada"), None, 9).await).items.len(), 2);
}

async fn a_store_counts_what_it_holds(subject: Subject) {
    must(subject.store.create_session(new_session("s")).await);
    let mut held = subject.begin(new_run("a")).await;
    must(subject.store.accept(new_run("b")).await);
    held.write(&subject, Commit { waits_opened: vec![wait(&run("a"), 1)], ..held.commit(&["note"]) }).await;
    must(subject.store.put_artifact("text/plain".to_owned(), b"four".to_vec()).await);
    let stats = must(subject.store.stats().await);
    assert_eq!((stats.runs, stats.open, stats.ready, stats.owned), (2, 2, 1, 1));
    assert_eq!((stats.records, stats.waits, stats.sessions), (3, 1, 1));
    assert_eq!((stats.artifacts, stats.artifact_bytes), (1, 4));
    assert_eq!(stats.checkpoint_problem, None);
}
