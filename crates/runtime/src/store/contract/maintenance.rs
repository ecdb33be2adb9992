//! Erasing and pruning.

use provost_engine::{
    Commit, Digest, Erasure, NewRun, Seq, StandingApproval, StandingChange, Time, WhenBusy,
};
use serde_json::json;

use super::commits::approval;
use super::sample::{ada, answer, child, ended, must, new_run, new_session, refused, run, some, start, wait};
use super::{Subject, promises};
use crate::store::{Erase, EraseError, PruneFilter};

promises![
    erased_words_are_gone_and_the_chain_verifies,
    an_artifact_that_another_run_uses_is_not_erased,
    only_whole_trees_that_are_over_are_pruned,
    what_a_session_names_is_pruned_with_it,
    rows_and_journals_agree,
];

async fn erased_words_are_gone_and_the_chain_verifies(subject: Subject) {
    let mut held = subject.begin(new_run("a")).await;
    let info = must(subject.store.put_artifact("text/plain".to_owned(), b"secret".to_vec()).await);
    let question = wait(&run("a"), 1);
    let approval = StandingApproval { reason: Some("secret".to_owned()), ..approval() };
    let commit = Commit {
        waits_opened: vec![question.clone()],
        artifacts: vec![info.digest],
        standing: vec![StandingChange::Grant { workspace: "site:1".to_owned(), approval }],
        ..held.commit(&["note", "note"])
    };
    held.write(&subject, commit).await;
    must(subject.store.answer(answer(&question)).await);
    let erasure = Erasure { by: ada(), at: Time(9), reason: "consent".to_owned() };
    let erase = Erase {
        run: run("a"),
        seq: Seq(2),
        erasure: erasure.clone(),
        artifacts: vec![info.digest],
        waits: vec![question.wait.clone()],
        summary: Some(json!({"title": "[erased]"})),
    };
    must(subject.store.erase(erase.clone()).await);
    let again = Erasure { reason: "again".to_owned(), ..erasure.clone() };
    must(subject.store.erase(Erase { erasure: again, ..erase.clone() }).await);
    let stored = must(subject.store.journal(run("a"), Seq(0), 10).await);
    assert_eq!((stored[1].words.as_ref(), stored[1].erased.as_ref()), (None, Some(&erasure)));
    assert!(stored[0].words.is_some() && stored[2].words.is_some());
    must(provost_engine::verify(&run("a"), (Seq(0), Digest::ZERO), &stored));
    assert_eq!(must(subject.store.artifact(info.digest).await), None);
    let stored = some(must(subject.store.wait(question.wait).await));
    assert!(stored.row.ask.is_null() && some(stored.answered).answer.is_none());
    assert_eq!(some(must(subject.store.run(run("a")).await)).summary, json!({"title": "[erased]"}));
    let standing = must(subject.store.standing("site:1".to_owned()).await);
    assert_eq!(standing[0].reason, None, "the approval holds, its reason is gone");
    assert!(must(subject.store.verify_rows().await).is_empty());
    let error = refused(subject.store.erase(Erase { seq: Seq(9), ..erase }).await);
    assert!(matches!(error, EraseError::UnknownRecord { .. }), "{error}");
}

async fn an_artifact_that_another_run_uses_is_not_erased(subject: Subject) {
    let info = must(subject.store.put_artifact("text/plain".to_owned(), b"shared".to_vec()).await);
    for name in ["a", "b"] {
        must(subject.store.accept(NewRun { artifacts: vec![info.digest], ..new_run(name) }).await);
    }
    let erasure = Erasure { by: ada(), at: Time(9), reason: "consent".to_owned() };
    let artifacts = vec![info.digest];
    let (seq, waits, summary) = (Seq(1), Vec::new(), None);
    let erase = |name: &str| Erase {
        run: run(name),
        seq,
        erasure: erasure.clone(),
        artifacts: artifacts.clone(),
        waits: waits.clone(),
        summary: summary.clone(),
    };
    must(subject.store.erase(erase("a")).await);
    assert!(must(subject.store.artifact(info.digest).await).is_some());
    must(subject.store.erase(erase("b")).await);
    assert!(must(subject.store.artifact(info.digest).await).is_none());
}

async fn end(subject: &Subject, new: NewRun) {
    let mut held = subject.begin(new).await;
    held.write(subject, Commit { row: Some(ended("completed")), ..held.commit(&["run_ended"]) }).await;
}

fn before(time: i64, sessions: bool) -> PruneFilter {
    PruneFilter {
        before: Time(time),
        workspace: Some("site:1".to_owned()),
        sessions,
        most: 100,
        preview: false,
    }
}

async fn only_whole_trees_that_are_over_are_pruned(subject: Subject) {
    let info = must(subject.store.put_artifact("text/plain".to_owned(), b"output".to_vec()).await);
    end(&subject, NewRun { artifacts: vec![info.digest], ..new_run("old") }).await;
    end(&subject, child("old-child", &run("old"))).await;
    must(subject.store.accept(new_run("open")).await);
    end(&subject, child("open-child", &run("open"))).await;
    subject.clock.set(5_000);
    end(&subject, new_run("young")).await;
    let head = subject.row(&run("old")).await;
    assert!(must(subject.store.prune(before(1_000, true)).await).runs.is_empty());
    let done = must(subject.store.prune(before(4_000, false)).await);
    let mut runs: Vec<_> = done.runs.iter().map(|pruned| pruned.run.to_string()).collect();
    runs.sort();
    assert_eq!((runs, done.artifacts), (vec!["old".to_owned(), "old-child".to_owned()], 1));
    assert!(must(subject.store.pruned().await).iter().any(|pruned| {
        (&pruned.run, pruned.head, pruned.hash, pruned.at)
            == (&run("old"), head.head, head.head_hash, Time(5_000))
    }));
    for (name, there) in
        [("old", false), ("old-child", false), ("open", true), ("open-child", true), ("young", true)]
    {
        assert_eq!(must(subject.store.run(run(name)).await).is_some(), there, "{name}");
        assert_eq!(must(subject.store.journal(run(name), Seq(0), 9).await).is_empty(), !there, "{name}");
    }
    assert_eq!(must(subject.store.artifact(info.digest).await), None);
    assert!(must(subject.store.verify_rows().await).is_empty());
}

async fn what_a_session_names_is_pruned_with_it(subject: Subject) {
    must(subject.store.create_session(new_session("s")).await);
    end(&subject, start("a", "s", 0, WhenBusy::Refuse)).await;
    subject.clock.set(5_000);
    assert!(must(subject.store.prune(before(4_000, false)).await).runs.is_empty(), "the session names it");
    let preview = must(subject.store.prune(PruneFilter { preview: true, ..before(4_000, true) }).await);
    assert!(must(subject.store.run(run("a")).await).is_some(), "a preview removes nothing");
    let done = must(subject.store.prune(before(4_000, true)).await);
    assert_eq!((done.runs.len(), done.sessions), (1, 1));
    assert_eq!((preview.runs, preview.sessions), (done.runs, 1));
    assert_eq!(must(subject.store.session(super::sample::id("s")).await), None);
}

async fn rows_and_journals_agree(subject: Subject) {
    let mut held = subject.begin(new_run("a")).await;
    held.write(&subject, held.commit(&["one", "two"])).await;
    must(subject.store.accept(new_run("b")).await);
    assert!(must(subject.store.verify_rows().await).is_empty());
}
