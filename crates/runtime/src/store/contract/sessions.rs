//! One run at a time holds a session, and only that run writes into it.

use provost_engine::{Commit, Dedupe, Digest, NewRun, Release, Seq, SignalId, Time, WhenBusy};
use serde_json::json;

use super::sample::{
    Held, ada, child, ended, id, must, new_run, new_session, records, refused, row, run, signal, some, start,
};
use super::{Subject, promises};
use crate::store::{
    AcceptError, EntrySource, Imported, RecentSession, ResumeError, Said, SayError, SayPost, SessionError,
    SessionRow,
};

promises![
    a_request_is_accepted_once,
    a_run_id_names_one_run,
    a_run_takes_its_session_with_its_input,
    a_busy_session_refuses_a_start,
    a_start_for_an_old_version_is_refused,
    a_missing_session_is_its_own_error,
    an_enqueued_run_begins_when_the_session_is_free,
    a_run_that_ends_leaves_its_session,
    a_zombie_cannot_write_into_the_session,
    a_message_reaches_the_active_run_or_none,
    a_keyed_message_is_said_once,
    a_failed_run_is_resumed_in_its_session,
    only_some_runs_are_resumed,
    a_fork_points_to_the_same_events,
    imported_entries_have_bodies,
    titles_change,
    a_repeated_start_finds_its_session,
];

async fn session(subject: &Subject) -> SessionRow {
    some(must(subject.store.session(id("s")).await))
}

async fn create(subject: &Subject) {
    must(subject.store.create_session(new_session("s")).await);
}

async fn begin(subject: &Subject, name: &str) -> Held {
    let version = session(subject).await.version;
    subject.begin(start(name, "s", version, WhenBusy::Refuse)).await
}

/// Returns the events that the entries of the session name.
async fn entries(subject: &Subject, name: &str) -> Vec<(String, u64)> {
    let entries = must(subject.store.session_entries(id(name), 0, 100).await);
    assert!(entries.iter().map(|entry| entry.no).eq(1..=entries.len() as u64));
    let event = |source| match source {
        EntrySource::Event { run, seq } => (run.to_string(), seq.0),
        EntrySource::Body(body) => (body.to_string(), 0),
    };
    entries.into_iter().map(|entry| event(entry.source)).collect()
}

async fn a_request_is_accepted_once(subject: Subject) {
    let keyed = |name: &str, request: &[u8]| {
        let mut new = new_run(name);
        new.dedupe = Some(Dedupe { key: "k".to_owned(), request: Digest::of(request) });
        new
    };
    let first = must(subject.store.accept(keyed("a", b"x")).await);
    assert!(!first.existing && first.run == run("a"));
    let again = must(subject.store.accept(keyed("b", b"x")).await);
    assert!(again.existing && again.run == run("a"));
    assert_eq!(must(subject.store.run(run("b")).await), None);
    let error = refused(subject.store.accept(keyed("c", b"y")).await);
    assert!(matches!(&error, AcceptError::DedupeConflict { run: first } if *first == run("a")), "{error}");
    let mut elsewhere = keyed("d", b"y");
    elsewhere.workspace = "site:2".to_owned();
    assert!(!must(subject.store.accept(elsewhere).await).existing, "keys are unique in a workspace");
}

async fn a_run_id_names_one_run(subject: Subject) {
    assert!(!must(subject.store.accept(new_run("a")).await).existing);
    assert!(must(subject.store.accept(new_run("a")).await).existing);
    let mut other = new_run("a");
    other.records =
        records(&other.run, provost_engine::Epoch(0), (Seq(0), Digest::of(b"x")), &["run_accepted"]);
    let error = refused(subject.store.accept(other).await);
    assert!(matches!(error, AcceptError::RunExists(_)), "{error}");
    let mut missing = new_run("b");
    missing.artifacts = vec![Digest::of(b"absent")];
    let error = refused(subject.store.accept(missing).await);
    assert!(matches!(error, AcceptError::MissingArtifact(_)), "{error}");
    assert_eq!(must(subject.store.run(run("b")).await), None);
}

async fn a_run_takes_its_session_with_its_input(subject: Subject) {
    create(&subject).await;
    let before = session(&subject).await;
    begin(&subject, "a").await;
    let after = session(&subject).await;
    assert_eq!((after.active_run, after.head), (Some(run("a")), 1));
    assert!(after.version > before.version);
    assert_eq!(entries(&subject, "s").await, [("a".to_owned(), 1)]);
    assert_eq!(subject.row(&run("a")).await.session_from, Some(0));
}

async fn a_busy_session_refuses_a_start(subject: Subject) {
    create(&subject).await;
    begin(&subject, "a").await;
    let version = session(&subject).await.version;
    let before = subject.everything().await;
    let error = refused(subject.store.accept(start("b", "s", version, WhenBusy::Refuse)).await);
    assert!(matches!(&error, AcceptError::SessionBusy { active } if *active == run("a")), "{error}");
    assert_eq!(subject.everything().await, before);
}

async fn a_start_for_an_old_version_is_refused(subject: Subject) {
    create(&subject).await;
    let old = session(&subject).await.version;
    let mut held = begin(&subject, "a").await;
    held.write(&subject, held.commit_to("s", true)).await;
    let before = subject.everything().await;
    let error = refused(subject.store.accept(start("b", "s", old, WhenBusy::Refuse)).await);
    let now = session(&subject).await.version;
    assert!(matches!(error, AcceptError::SessionChanged { version } if version == now), "{error}");
    assert_eq!(subject.everything().await, before);
}

async fn a_missing_session_is_its_own_error(subject: Subject) {
    let error = refused(subject.store.accept(start("a", "s", 0, WhenBusy::Refuse)).await);
    assert!(matches!(error, AcceptError::SessionMissing(_)), "{error}");
    create(&subject).await;
    let mut elsewhere = start("a", "s", 0, WhenBusy::Refuse);
    elsewhere.workspace = "site:2".to_owned();
    let error = refused(subject.store.accept(elsewhere).await);
    assert!(matches!(error, AcceptError::SessionMissing(_)), "of another workspace: {error}");
}

async fn an_enqueued_run_begins_when_the_session_is_free(subject: Subject) {
    create(&subject).await;
    let mut held = begin(&subject, "a").await;
    for name in ["b", "c"] {
        must(subject.store.accept(start(name, "s", 0, WhenBusy::Enqueue)).await);
    }
    must(subject.store.post(signal(&run("b"), None)).await);
    assert!(subject.try_claim(&run("b"), "w1").await.is_none(), "a signal does not give it the session");
    assert_eq!(entries(&subject, "s").await.len(), 1);
    held.write(&subject, held.commit_to("s", true)).await;
    assert_eq!(session(&subject).await.active_run, Some(run("b")));
    assert!(subject.try_claim(&run("c"), "w1").await.is_none());
    let mut held = subject.claim(&run("b"), "w1").await;
    assert_eq!(subject.row(&run("b")).await.session_from, Some(2));
    let end = Commit { signals_taken: Some(SignalId(1)), ..held.commit_to("s", true) };
    held.write(&subject, end).await;
    subject.claim(&run("c"), "w1").await;
    let named: Vec<_> = entries(&subject, "s").await.into_iter().map(|(run, _)| run).collect();
    assert_eq!(named, ["a", "a", "b", "b", "c"], "run after run");
}

async fn a_run_that_ends_leaves_its_session(subject: Subject) {
    create(&subject).await;
    let mut held = begin(&subject, "a").await;
    // A run at rest holds its session.
    held.write(&subject, Commit { row: Some(row("waiting", Release::Rest)), ..held.commit(&["note"]) }).await;
    assert_eq!(session(&subject).await.active_run, Some(run("a")));
    must(subject.store.post(signal(&run("a"), None)).await);
    let mut held = subject.claim(&run("a"), "w1").await;
    let end = Commit {
        signals_taken: Some(SignalId(1)),
        row: Some(ended("failed")),
        ..held.commit(&["run_ended"])
    };
    held.write(&subject, end).await;
    assert_eq!(session(&subject).await.active_run, None, "also when the commit does not say so");
}

async fn a_zombie_cannot_write_into_the_session(subject: Subject) {
    create(&subject).await;
    let zombie = begin(&subject, "a").await;
    must(subject.store.bury(id("w1")).await);
    let mut held = subject.claim(&run("a"), "w2").await;
    held.write(&subject, held.commit_to("s", true)).await;
    zombie.refuse(&subject, zombie.commit_to("s", true)).await;
    let version = session(&subject).await.version;
    must(subject.store.accept(start("b", "s", version, WhenBusy::Refuse)).await);
    zombie.refuse(&subject, zombie.commit_to("s", false)).await;
    let named: Vec<_> = entries(&subject, "s").await.into_iter().map(|(run, _)| run).collect();
    assert_eq!(named, ["a", "a", "b"]);
    assert_eq!(session(&subject).await.provider_response_id.as_deref(), Some("resp_1"));
}

async fn a_message_reaches_the_active_run_or_none(subject: Subject) {
    let body = json!({"type": "message", "text": "hi"});
    let say = SayPost { session: id("s"), dedupe: None, from: ada(), body };
    let error = refused(subject.store.say(say.clone()).await);
    assert!(matches!(error, SayError::Missing(_)), "{error}");
    create(&subject).await;
    let said = must(subject.store.say(say.clone()).await);
    assert_eq!(said, Said::Idle { version: session(&subject).await.version, head: 0 });
    let mut held = begin(&subject, "a").await;
    let said = must(subject.store.say(say.clone()).await);
    assert!(matches!(&said, Said::Posted { run: to, .. } if *to == run("a")), "{said:?}");
    held.write(&subject, Commit { signals_taken: Some(SignalId(1)), ..held.commit_to("s", true) }).await;
    assert!(matches!(must(subject.store.say(say).await), Said::Idle { head: 2, .. }));
}

async fn a_keyed_message_is_said_once(subject: Subject) {
    let dedupe = Dedupe { key: "k".to_owned(), request: Digest::of(b"hi") };
    let body = json!({"type": "message", "text": "hi"});
    let say = SayPost { session: id("s"), dedupe: Some(dedupe.clone()), from: ada(), body };
    create(&subject).await;
    let mut held = begin(&subject, "a").await;
    let said = must(subject.store.say(say.clone()).await);
    assert!(matches!(&said, Said::Posted { run: to, .. } if *to == run("a")), "{said:?}");
    let again = Said::Repeated { run: run("a") };
    assert_eq!(must(subject.store.say(say.clone()).await), again);
    assert_eq!(subject.row(&run("a")).await.inbox, SignalId(1));
    held.write(&subject, Commit { signals_taken: Some(SignalId(1)), ..held.commit_to("s", true) }).await;
    assert_eq!(must(subject.store.say(say.clone()).await), again, "also after the end");
    let other = Dedupe { request: Digest::of(b"something else"), ..dedupe };
    let error = refused(subject.store.say(SayPost { dedupe: Some(other), ..say.clone() }).await);
    assert!(matches!(&error, SayError::DedupeConflict { run: of } if *of == run("a")), "{error}");
    // The message that began a run is the same one as well.
    let begun =
        NewRun { dedupe: Some(Dedupe { key: "l".to_owned(), request: Digest::of(b"go") }), ..new_run("b") };
    must(subject.store.accept(begun.clone()).await);
    let repeated = must(subject.store.say(SayPost { dedupe: begun.dedupe, ..say }).await);
    assert_eq!(repeated, Said::Repeated { run: run("b") });
}

async fn a_failed_run_is_resumed_in_its_session(subject: Subject) {
    create(&subject).await;
    let mut held = begin(&subject, "a").await;
    held.write(&subject, held.commit_to("s", true)).await;
    let posted = must(subject.store.resume(signal(&run("a"), Some("k"))).await);
    assert!(!posted.existing);
    assert!(must(subject.store.resume(signal(&run("a"), Some("k"))).await).existing);
    let after = subject.row(&run("a")).await;
    assert!(after.ready && after.ended.is_none() && after.status == "failed", "the next commit changes it");
    assert_eq!(session(&subject).await.active_run, Some(run("a")));
    let error = refused(subject.store.resume(signal(&run("a"), None)).await);
    assert!(matches!(error, ResumeError::NotEnded), "{error}");
    let mut held = subject.claim(&run("a"), "w1").await;
    held.write(&subject, Commit { signals_taken: Some(SignalId(1)), ..held.commit_to("s", true) }).await;
    // The conversation goes on with another run: now the first one is history.
    let version = session(&subject).await.version;
    let mut other = subject.begin(start("b", "s", version, WhenBusy::Refuse)).await;
    let error = refused(subject.store.resume(signal(&run("a"), None)).await);
    assert!(matches!(&error, ResumeError::SessionBusy { active } if *active == run("b")), "{error}");
    other.write(&subject, other.commit_to("s", true)).await;
    let error = refused(subject.store.resume(signal(&run("a"), None)).await);
    assert!(matches!(error, ResumeError::SessionMoved(_)), "{error}");
}

async fn only_some_runs_are_resumed(subject: Subject) {
    let error = refused(subject.store.resume(signal(&run("none"), None)).await);
    assert!(matches!(error, ResumeError::UnknownRun(_)), "{error}");
    for status in ["completed", "cancelled"] {
        let mut held = subject.begin(new_run(status)).await;
        held.write(&subject, Commit { row: Some(ended(status)), ..held.commit(&["run_ended"]) }).await;
        let error = refused(subject.store.resume(signal(&held.run, None)).await);
        assert!(matches!(error, ResumeError::NotResumable { .. }), "{error}");
    }
    let mut held = subject.begin(child("b", &run("a"))).await;
    held.write(&subject, Commit { row: Some(ended("failed")), ..held.commit(&["run_ended"]) }).await;
    let error = refused(subject.store.resume(signal(&run("b"), None)).await);
    assert!(matches!(error, ResumeError::HasParent { .. }), "{error}");
}

async fn a_fork_points_to_the_same_events(subject: Subject) {
    create(&subject).await;
    let mut held = begin(&subject, "a").await;
    held.write(&subject, held.commit_to("s", true)).await;
    let fork = must(subject.store.fork_session(id("s"), 1, new_session("f")).await);
    assert_eq!((fork.head, fork.active_run.is_none()), (1, true));
    assert_eq!(fork.forked_from.map(|fork| (fork.session.to_string(), fork.upto)), Some(("s".to_owned(), 1)));
    assert_eq!(entries(&subject, "f").await, [("a".to_owned(), 1)]);
    must(subject.store.accept(start("b", "f", fork.version, WhenBusy::Refuse)).await);
    assert_eq!(entries(&subject, "f").await, [("a".to_owned(), 1), ("b".to_owned(), 1)]);
    assert_eq!(entries(&subject, "s").await.len(), 2);
    let again = refused(subject.store.fork_session(id("s"), 1, new_session("f")).await);
    assert!(matches!(again, SessionError::Exists(_)), "{again}");
    let error = refused(subject.store.fork_session(id("s"), 3, new_session("g")).await);
    assert!(matches!(error, SessionError::NoEntry { head: 2 }), "{error}");
    let error = refused(subject.store.create_session(new_session("s")).await);
    assert!(matches!(error, SessionError::Exists(_)), "{error}");
}

async fn imported_entries_have_bodies(subject: Subject) {
    create(&subject).await;
    let entry = Imported { kind: "message".to_owned(), body: json!({"text": "from elsewhere"}) };
    let append = |version| subject.store.append_session(id("s"), version, vec![entry.clone()]);
    let version = must(append(0).await);
    let error = refused(append(0).await);
    assert!(matches!(error, SessionError::Changed { version: now } if now == version), "{error}");
    assert_eq!(entries(&subject, "s").await, [(entry.body.to_string(), 0)]);
    begin(&subject, "a").await;
    let now = session(&subject).await.version;
    let error = refused(append(now).await);
    assert!(matches!(error, SessionError::Busy { .. }), "{error}");
}

async fn titles_change(subject: Subject) {
    create(&subject).await;
    must(subject.store.rename_session(id("s"), Some("Roses".to_owned())).await);
    let renamed = session(&subject).await;
    assert_eq!((renamed.about.title.as_deref(), renamed.version), (Some("Roses"), 0));
    refused(subject.store.rename_session(id("t"), None).await);
}

async fn a_repeated_start_finds_its_session(subject: Subject) {
    let recent = RecentSession {
        workspace: "site:1".to_owned(),
        owner: "user:ada".to_owned(),
        context: "chat".to_owned(),
        token: Some("t1".to_owned()),
        since: Time(0),
    };
    let find = |recent: RecentSession| subject.store.recent_pending(recent);
    assert_eq!(must(find(recent.clone()).await), None);
    create(&subject).await;
    let found = must(find(recent.clone()).await);
    assert_eq!(found, Some(session(&subject).await));
    for other in [
        RecentSession { owner: "user:bo".to_owned(), ..recent.clone() },
        RecentSession { token: Some("t2".to_owned()), ..recent.clone() },
        RecentSession { since: Time(1_001), ..recent.clone() },
    ] {
        assert_eq!(must(find(other).await), None);
    }
    let mut held = begin(&subject, "a").await;
    assert!(must(find(recent.clone()).await).is_some(), "a run holds it");
    held.write(&subject, held.commit_to("s", true)).await;
    assert_eq!(must(find(recent).await), None, "its run is over");
}
