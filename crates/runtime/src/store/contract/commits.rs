//! What a commit promises: fencing, recognition of repeats, and all or nothing.

use provost_engine::{
    Commit, Covers, Digest, Epoch, Release, Seq, SignalId, StandingApproval, StandingChange, Time,
};
use serde_json::json;

use super::sample::{ada, child, ended, id, must, new_run, records, row, run, settle, signal, wait};
use super::{Subject, promises};
use crate::port::Advice;
use crate::store::{AcceptError, CommitError, RevokePost, SessionRefusal};

promises![
    records_come_back_as_they_were_written,
    a_repeated_commit_is_recognised,
    a_commit_at_another_head_is_a_conflict,
    a_commit_under_an_old_epoch_is_fenced,
    a_run_that_was_let_go_takes_no_commit,
    an_unknown_run_takes_no_commit,
    a_missing_artifact_refuses_everything,
    a_malformed_commit_is_refused,
    a_wait_is_opened_once_and_settled_once,
    a_session_that_is_not_held_refuses_everything,
    children_begin_with_the_commit,
    a_refused_child_refuses_everything,
    a_run_ends_only_with_an_empty_queue,
    progress_resets_the_count_of_claims,
    standing_approvals_are_written_with_the_commit,
    a_revoked_approval_holds_no_more_and_reaches_the_runs_at_work,
];

async fn records_come_back_as_they_were_written(subject: Subject) {
    let new = new_run("a");
    let first = new.records.clone();
    let mut held = subject.begin(new).await;
    let commit = held.commit(&["run_claimed", "model_requested"]);
    let expected = [first, commit.records.clone()].concat();
    held.write(&subject, commit).await;
    let stored = must(subject.store.journal(run("a"), Seq(0), 10).await);
    assert_eq!(stored, expected);
    let head = must(provost_engine::verify(&run("a"), (Seq(0), Digest::ZERO), &stored));
    let row = subject.row(&run("a")).await;
    assert_eq!((row.head, row.head_hash), head);
    assert_eq!(must(subject.store.journal(run("a"), Seq(1), 1).await), expected[1..2]);
}

async fn a_repeated_commit_is_recognised(subject: Subject) {
    let mut held = subject.begin(new_run("a")).await;
    let commit = held.commit(&["run_claimed"]);
    held.write(&subject, commit.clone()).await;
    let before = subject.everything().await;
    let again = must(held.send(&subject, commit.clone()).await);
    assert!(again.already && again.head == Seq(2));
    // Also when the journal went on, and when the commit let go of the run.
    held.write(&subject, Commit { row: Some(row("waiting", Release::Rest)), ..held.commit(&["note"]) }).await;
    assert!(must(held.send(&subject, commit).await).already);
    assert_ne!(subject.everything().await, before);
    assert_eq!(subject.row(&run("a")).await.head, Seq(3));
}

async fn a_commit_at_another_head_is_a_conflict(subject: Subject) {
    let mut held = subject.begin(new_run("a")).await;
    let old = held.clone();
    held.write(&subject, held.commit(&["run_claimed", "note"])).await;
    let error = old.refuse(&subject, old.commit(&["other"])).await;
    assert!(matches!(error, CommitError::Conflict { head: Seq(3) }), "{error}");
    assert_eq!(error.advice(), Advice::Reload);
}

async fn a_commit_under_an_old_epoch_is_fenced(subject: Subject) {
    let zombie = subject.begin(new_run("a")).await;
    must(subject.store.bury(id("w1")).await);
    let error = zombie.refuse(&subject, zombie.commit(&["late"])).await;
    assert!(matches!(error, CommitError::Fenced { current: Epoch(2) }), "freed: {error}");
    let mut held = subject.claim(&run("a"), "w2").await;
    let error = zombie.refuse(&subject, zombie.commit(&["late"])).await;
    assert!(matches!(error, CommitError::Fenced { current: Epoch(3) }), "claimed: {error}");
    assert_eq!(error.advice(), Advice::LetGo);
    held.write(&subject, held.commit(&["run_claimed"])).await;
}

async fn a_run_that_was_let_go_takes_no_commit(subject: Subject) {
    let mut held = subject.begin(new_run("a")).await;
    held.write(&subject, Commit { row: Some(row("waiting", Release::Rest)), ..held.commit(&["note"]) }).await;
    let error = held.refuse(&subject, held.commit(&["late"])).await;
    assert!(matches!(error, CommitError::Fenced { .. }), "{error}");
}

async fn an_unknown_run_takes_no_commit(subject: Subject) {
    let held = subject.begin(new_run("a")).await;
    let other = run("b");
    let commit = Commit { run: other.clone(), ..held.commit(&["note"]) };
    let error = held.refuse(&subject, commit).await;
    assert!(matches!(error, CommitError::UnknownRun(run) if run == other));
}

async fn a_missing_artifact_refuses_everything(subject: Subject) {
    let mut held = subject.begin(new_run("a")).await;
    let digest = Digest::of(b"output");
    let commit = Commit { artifacts: vec![digest], ..full(&held, "b") };
    let error = held.refuse(&subject, commit.clone()).await;
    assert!(matches!(error, CommitError::MissingArtifact(missing) if missing == digest));
    must(subject.store.put_artifact("text/plain".to_owned(), b"output".to_vec()).await);
    held.write(&subject, commit).await;
}

/// Returns a commit with many parts, so that a refusal has much to leave undone.
fn full(held: &super::sample::Held, child_name: &str) -> Commit {
    Commit {
        row: Some(row("waiting", Release::Rest)),
        waits_opened: vec![wait(&held.run, 1)],
        runs_accepted: vec![child(child_name, &held.run)],
        sealed_put: vec![(id("1.0"), vec![1, 2, 3])],
        standing: vec![grant()],
        ..held.commit(&["note", "wait_opened"])
    }
}

fn grant() -> StandingChange {
    StandingChange::Grant { workspace: "site:1".to_owned(), approval: approval() }
}

pub(super) fn approval() -> StandingApproval {
    StandingApproval {
        scope: "delete".to_owned(),
        tool: "delete".to_owned(),
        covers: Covers::Place("src".to_owned()),
        until: Some(Time(9)),
        by: ada(),
        at: Time(7),
        run: run("a"),
        action: Some(id("1.0")),
        reason: None,
    }
}

async fn a_malformed_commit_is_refused(subject: Subject) {
    let held = subject.begin(new_run("a")).await;
    let commits = [
        held.commit(&[]),
        Commit {
            records: records(&held.run, held.epoch, (Seq(5), Digest::ZERO), &["gap"]),
            ..held.commit(&[])
        },
        Commit {
            records: records(&held.run, Epoch(0), (Seq(1), Digest::ZERO), &["old"]),
            ..held.commit(&[])
        },
        Commit { waits_opened: vec![wait(&run("b"), 1)], ..held.commit(&["note"]) },
        Commit { signals_taken: Some(SignalId(1)), ..held.commit(&["note"]) },
    ];
    for commit in commits {
        let error = held.refuse(&subject, commit).await;
        assert!(matches!(error, CommitError::Invalid(_)), "{error}");
    }
}

async fn a_wait_is_opened_once_and_settled_once(subject: Subject) {
    let mut held = subject.begin(new_run("a")).await;
    let asked = wait(&held.run, 1);
    let opens =
        |held: &super::sample::Held| Commit { waits_opened: vec![asked.clone()], ..held.commit(&["note"]) };
    let settles = |held: &super::sample::Held| Commit {
        waits_settled: vec![settle(&asked, "withdrawn")],
        ..full(held, "b")
    };
    let settles = |held: &super::sample::Held| Commit { waits_opened: Vec::new(), ..settles(held) };
    let error = held.refuse(&subject, settles(&held)).await;
    assert!(matches!(&error, CommitError::Wait(wait) if *wait == asked.wait), "not there: {error}");
    held.write(&subject, opens(&held)).await;
    let error = held.refuse(&subject, opens(&held)).await;
    assert!(matches!(error, CommitError::Wait(_)), "opened twice: {error}");
    let settling = Commit { row: None, runs_accepted: Vec::new(), ..settles(&held) };
    held.write(&subject, settling).await;
    let error = held.refuse(&subject, settles(&held)).await;
    assert!(matches!(error, CommitError::Wait(_)), "settled twice: {error}");
    let stored = super::sample::some(must(subject.store.wait(asked.wait).await));
    assert_eq!(stored.settled.map(|settled| settled.how).as_deref(), Some("withdrawn"));
}

async fn a_session_that_is_not_held_refuses_everything(subject: Subject) {
    let held = subject.begin(new_run("a")).await;
    let writes = |held: &super::sample::Held| Commit {
        session: held.commit_to("s", false).session,
        ..full(held, "b")
    };
    let error = held.refuse(&subject, writes(&held)).await;
    assert!(matches!(error, CommitError::Session(SessionRefusal::Missing(_))), "{error}");
    must(subject.store.create_session(super::sample::new_session("s")).await);
    let error = held.refuse(&subject, writes(&held)).await;
    assert!(matches!(error, CommitError::Session(SessionRefusal::NotHeld { active: None, .. })), "{error}");
}

async fn children_begin_with_the_commit(subject: Subject) {
    let mut held = subject.begin(new_run("a")).await;
    held.write(&subject, Commit { runs_accepted: vec![child("b", &held.run)], ..held.commit(&["note"]) })
        .await;
    let row = subject.row(&run("b")).await;
    assert!(row.ready && row.parent == Some(run("a")) && row.root == run("a"));
    // The same child again is the same child.
    held.write(&subject, Commit { runs_accepted: vec![child("b", &held.run)], ..held.commit(&["note"]) })
        .await;
    assert_eq!(subject.row(&run("b")).await.head, Seq(1));
}

async fn a_refused_child_refuses_everything(subject: Subject) {
    let held = subject.begin(new_run("a")).await;
    let mut other = child("b", &held.run);
    other.records = records(&other.run, Epoch(0), (Seq(0), Digest::of(b"other")), &["run_accepted"]);
    must(subject.store.accept(other).await);
    let error = held.refuse(&subject, full(&held, "b")).await;
    let CommitError::Child { source, .. } = error else { unreachable_error(&error) };
    assert!(matches!(*source, AcceptError::RunExists(_)), "{source}");
}

#[expect(clippy::panic, reason = "only tests call it")]
fn unreachable_error(error: &CommitError) -> ! {
    panic!("another refusal was expected: {error}")
}

async fn a_run_ends_only_with_an_empty_queue(subject: Subject) {
    let mut held = subject.begin(new_run("a")).await;
    must(subject.store.post(signal(&held.run, None)).await);
    let end = Commit { row: Some(ended("completed")), ..held.commit(&["run_ended"]) };
    let error = held.refuse(&subject, end.clone()).await;
    assert!(matches!(error, CommitError::SignalsPending { waiting: 1 }), "{error}");
    held.write(&subject, Commit { signals_taken: Some(SignalId(1)), ..end }).await;
    let row = subject.row(&run("a")).await;
    assert!(row.ended.is_some() && row.owner.is_none() && !row.ready);
}

async fn progress_resets_the_count_of_claims(subject: Subject) {
    must(subject.store.accept(new_run("a")).await);
    for claims in 1..=3 {
        let name = format!("w{claims}");
        let mut held = subject.claim(&run("a"), &name).await;
        assert_eq!(subject.row(&run("a")).await.claims, claims);
        held.write(&subject, held.commit(&["run_claimed", "model_requested"])).await;
        assert_eq!(subject.row(&run("a")).await.claims, claims, "asking a model again is no progress");
        must(subject.store.bury(id(&name)).await);
    }
    let mut held = subject.claim(&run("a"), "w4").await;
    held.write(&subject, held.commit(&["run_claimed", "model_responded"])).await;
    assert_eq!(subject.row(&run("a")).await.claims, 0);
}

async fn standing_approvals_are_written_with_the_commit(subject: Subject) {
    let mut held = subject.begin(new_run("a")).await;
    held.write(&subject, Commit { standing: vec![grant()], ..held.commit(&["note"]) }).await;
    let standing = must(subject.store.standing("site:1".to_owned()).await);
    assert_eq!(standing.len(), 1);
    assert!(must(subject.store.standing("site:2".to_owned()).await).is_empty());
    assert_eq!(must(subject.store.all_standing().await), standing);
    let revoke = StandingChange::Revoke { workspace: "site:1".to_owned(), scope: "delete".to_owned() };
    held.write(&subject, Commit { standing: vec![revoke], ..held.commit(&["note"]) }).await;
    assert!(must(subject.store.standing("site:1".to_owned()).await).is_empty());
    held.write(&subject, Commit { standing: vec![grant()], ..held.commit(&["note"]) }).await;
    assert_eq!(must(subject.store.standing("site:1".to_owned()).await), standing);
}

async fn a_revoked_approval_holds_no_more_and_reaches_the_runs_at_work(subject: Subject) {
    let mut resting = subject.begin(new_run("resting")).await;
    let rests = Commit { row: Some(row("waiting", Release::Rest)), ..resting.commit(&["note"]) };
    resting.write(&subject, rests).await;
    let mut elsewhere = new_run("elsewhere");
    elsewhere.workspace = "site:2".to_owned();
    subject.begin(elsewhere).await;
    let mut held = subject.begin(new_run("a")).await;
    held.write(&subject, Commit { standing: vec![grant()], ..held.commit(&["note"]) }).await;
    let revoke = RevokePost {
        workspace: "site:1".to_owned(),
        scope: "delete".to_owned(),
        from: ada(),
        body: json!({ "type": "standing", "scope": "delete" }),
    };
    let other = RevokePost { workspace: "site:2".to_owned(), ..revoke.clone() };
    assert!(!must(subject.store.revoke_standing(other).await), "another workspace has none");
    assert!(must(subject.store.revoke_standing(revoke.clone()).await));
    assert!(must(subject.store.standing("site:1".to_owned()).await).is_empty());
    let signals = must(subject.store.signals(run("a"), SignalId(0), 10).await);
    assert_eq!(signals.iter().map(|signal| signal.kind.as_str()).collect::<Vec<_>>(), ["standing"]);
    assert_eq!(signals[0].from, ada());
    for unconcerned in ["resting", "elsewhere"] {
        assert_eq!(subject.row(&run(unconcerned)).await.inbox, SignalId(0), "{unconcerned}");
    }
    assert!(!must(subject.store.revoke_standing(revoke).await), "it held no more");
    assert_eq!(subject.row(&run("a")).await.inbox, SignalId(1));
}
