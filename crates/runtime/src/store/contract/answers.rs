//! A wait receives one answer.

use provost_engine::{Actor, ActorKind, AnswerPost, Commit, Digest, Release, RunId, SignalId, Time, WaitRow};
use serde_json::json;

use super::sample::{Held, ada, answer, ended, id, must, new_run, refused, row, run, settle, some, wait};
use super::{Subject, promises};
use crate::store::{AnswerError, WaitFilter, WaitState};

promises![
    an_answer_reaches_the_run_with_its_wait,
    of_many_answers_one_wins,
    an_answer_is_bound_to_what_was_asked,
    only_the_named_may_answer,
    a_settled_wait_takes_no_answer,
    an_answered_wait_can_still_be_superseded,
    the_clock_answers_at_the_same_door,
    an_answer_after_its_time_is_refused_before_the_clock_is_heard,
    the_end_of_a_child_answers_its_parent,
    an_answer_that_comes_too_late_for_a_parent_is_dropped,
];

/// Opens a wait and rests.
async fn asked(subject: &Subject, name: &str, asked: &WaitRow) -> Held {
    let mut held = subject.begin(new_run(name)).await;
    let commit = Commit {
        waits_opened: vec![asked.clone()],
        row: Some(row("waiting", Release::Rest)),
        ..held.commit(&["wait_opened"])
    };
    held.write(subject, commit).await;
    held
}

async fn an_answer_reaches_the_run_with_its_wait(subject: Subject) {
    let question = wait(&run("a"), 1);
    asked(&subject, "a", &question).await;
    let signal = must(subject.store.answer(answer(&question)).await).signal;
    assert_eq!(signal, SignalId(1));
    let mut held = subject.claim(&run("a"), "w1").await;
    let signals = must(subject.store.signals(run("a"), SignalId(0), 10).await);
    let body = json!({"type": "answer", "wait": "a/1", "answer": {"verdict": "approve"}});
    assert_eq!((signals[0].kind.as_str(), signals[0].body.as_ref()), ("answer", Some(&body)));
    let stored = some(must(subject.store.wait(question.wait.clone()).await));
    assert_eq!(stored.row, question);
    assert_eq!(some(stored.answered).by, ada());
    let commit = Commit {
        waits_settled: vec![settle(&question, "answered")],
        signals_taken: Some(signal),
        ..held.commit(&["run_claimed", "wait_settled"])
    };
    held.write(&subject, commit).await;
    let error = refused(subject.store.answer(answer(&question)).await);
    assert!(matches!(&error, AnswerError::Settled { how, .. } if how == "answered"), "{error}");
}

async fn of_many_answers_one_wins(subject: Subject) {
    let question = wait(&run("a"), 1);
    asked(&subject, "a", &question).await;
    let mut answers = tokio::task::JoinSet::new();
    for number in 0..16 {
        let store = if number % 2 == 0 { subject.store.clone() } else { (subject.reopen)() };
        let post =
            AnswerPost { by: Actor::new(ActorKind::Person, format!("user:{number}")), ..answer(&question) };
        answers.spawn(async move { store.answer(post).await });
    }
    let answers = answers.join_all().await;
    assert_eq!(answers.iter().filter(|answer| answer.is_ok()).count(), 1);
    let winner = some(some(must(subject.store.wait(question.wait).await)).answered).by;
    for error in answers.into_iter().filter_map(Result::err) {
        assert!(matches!(&error, AnswerError::AlreadyAnswered { by, .. } if *by == winner), "{error}");
    }
    assert_eq!(subject.row(&run("a")).await.inbox, SignalId(1), "one signal");
}

async fn an_answer_is_bound_to_what_was_asked(subject: Subject) {
    let question = wait(&run("a"), 1);
    asked(&subject, "a", &question).await;
    let other = AnswerPost { binding: Some(Digest::of(b"other")), ..answer(&question) };
    let error = refused(subject.store.answer(other).await);
    assert!(matches!(error, AnswerError::OtherBinding { expected } if expected == question.binding));
    let unbound = AnswerPost { binding: None, ..answer(&question) };
    must(subject.store.answer(unbound).await);
    let error = refused(subject.store.answer(answer(&wait(&run("b"), 1))).await);
    assert!(matches!(error, AnswerError::UnknownWait(_)), "{error}");
}

async fn only_the_named_may_answer(subject: Subject) {
    let mut question = wait(&run("a"), 1);
    question.may_answer = vec!["user:bo".to_owned(), "client".to_owned()];
    asked(&subject, "a", &question).await;
    let by = |kind, id: &str| AnswerPost { by: Actor::new(kind, id), ..answer(&question) };
    let others = [
        by(ActorKind::Person, "user:ada"),
        by(ActorKind::Run, "user:bo"),
        by(ActorKind::Run, "a"),
        by(ActorKind::Model, "user:bo"),
    ];
    for post in others {
        let error = refused(subject.store.answer(post).await);
        assert!(matches!(error, AnswerError::NotAllowed { .. }), "{error}");
    }
    must(subject.store.answer(by(ActorKind::Person, "user:bo")).await);
    let open = wait(&run("b"), 1);
    asked(&subject, "b", &open).await;
    let model = AnswerPost { by: Actor::new(ActorKind::Model, "m"), ..answer(&open) };
    refused(subject.store.answer(model).await);
    must(subject.store.answer(AnswerPost { by: Actor::new(ActorKind::Client, "c"), ..answer(&open) }).await);
}

async fn a_settled_wait_takes_no_answer(subject: Subject) {
    let question = wait(&run("a"), 1);
    let mut held = subject.begin(new_run("a")).await;
    let commit = Commit { waits_opened: vec![question.clone()], ..held.commit(&["wait_opened"]) };
    held.write(&subject, commit).await;
    let commit = Commit { waits_settled: vec![settle(&question, "withdrawn")], ..held.commit(&["note"]) };
    held.write(&subject, commit).await;
    let error = refused(subject.store.answer(answer(&question)).await);
    assert!(matches!(&error, AnswerError::Settled { how, .. } if how == "withdrawn"), "{error}");
    assert_eq!(subject.row(&run("a")).await.inbox, SignalId(0));
}

async fn an_answered_wait_can_still_be_superseded(subject: Subject) {
    let question = wait(&run("a"), 1);
    asked(&subject, "a", &question).await;
    must(subject.store.answer(answer(&question)).await);
    let open = must(subject.store.waits(WaitFilter::default(), None, 10).await);
    assert!(open.items.is_empty(), "it needs no answer any more");
    let unsettled = WaitFilter { state: WaitState::Unsettled, ..WaitFilter::default() };
    assert_eq!(must(subject.store.waits(unsettled, None, 10).await).items.len(), 1);
    let mut held = subject.claim(&run("a"), "w1").await;
    let commit = Commit { waits_settled: vec![settle(&question, "superseded")], ..held.commit(&["note"]) };
    held.write(&subject, commit).await;
    let stored = some(must(subject.store.wait(question.wait).await));
    assert!(stored.answered.is_some(), "the answerer's record stays");
    assert_eq!(some(stored.settled).how, "superseded");
}

async fn the_clock_answers_at_the_same_door(subject: Subject) {
    let mut question = wait(&run("a"), 1);
    question.due = Some(Time(5_000));
    question.may_answer = vec!["user:bo".to_owned()];
    asked(&subject, "a", &question).await;
    assert_eq!(must(subject.store.next_due().await), Some(Time(5_000)));
    assert_eq!(must(subject.store.expire_due(10).await).waits, 0);
    subject.clock.set(5_001);
    assert_eq!(must(subject.store.expire_due(10).await).waits, 1);
    assert_eq!(must(subject.store.expire_due(10).await).waits, 0);
    assert_eq!(must(subject.store.next_due().await), None);
    let bo = AnswerPost { by: Actor::new(ActorKind::Person, "user:bo"), ..answer(&question) };
    let error = refused(subject.store.answer(bo).await);
    assert!(matches!(&error, AnswerError::AlreadyAnswered { by, .. } if *by == Actor::clock()), "{error}");
    let given = some(some(must(subject.store.wait(question.wait).await)).answered);
    assert_eq!((given.at, given.answer), (Time(5_001), Some(question.on_due)));
    subject.claim(&run("a"), "w1").await;
}

fn child_answer(wait: &WaitRow) -> AnswerPost {
    let by = Actor::new(ActorKind::Run, "child");
    AnswerPost {
        wait: wait.wait.clone(),
        by,
        binding: None,
        answer: json!({"status": "completed"}),
        sealed: Vec::new(),
    }
}

async fn an_answer_after_its_time_is_refused_before_the_clock_is_heard(subject: Subject) {
    for (name, now, in_time) in [("a", 4_999, true), ("b", 5_000, false)] {
        let due = WaitRow { due: Some(Time(5_000)), ..wait(&run(name), 1) };
        asked(&subject, name, &due).await;
        subject.clock.set(now);
        let given = subject.store.answer(answer(&due)).await;
        match in_time {
            true => drop(must(given)),
            false => {
                let error = refused(given);
                assert!(matches!(&error, AnswerError::Settled { how, .. } if how == "expired"), "{error}");
                assert_eq!(must(subject.store.expire_due(10).await).waits, 1, "the clock answers it");
            }
        }
    }
}

async fn the_end_of_a_child_answers_its_parent(subject: Subject) {
    let question = wait(&run("a"), 1);
    asked(&subject, "a", &question).await;
    let mut child = subject.begin(super::sample::child("child", &run("a"))).await;
    let commit = Commit {
        row: Some(ended("completed")),
        answers: vec![child_answer(&question)],
        ..child.commit(&["run_ended"])
    };
    child.write(&subject, commit).await;
    let parent = subject.row(&run("a")).await;
    assert!(parent.ready && parent.inbox == SignalId(1));
}

async fn an_answer_that_comes_too_late_for_a_parent_is_dropped(subject: Subject) {
    let question = wait(&run("a"), 1);
    asked(&subject, "a", &question).await;
    must(subject.store.answer(answer(&question)).await);
    let mut child = subject.begin(super::sample::child("child", &run("a"))).await;
    let gone = wait(&id::<RunId>("gone"), 1);
    let answers = vec![child_answer(&question), child_answer(&gone)];
    let commit = Commit { row: Some(ended("completed")), answers, ..child.commit(&["run_ended"]) };
    child.write(&subject, commit).await;
    assert_eq!(subject.row(&run("a")).await.inbox, SignalId(1));
    assert!(subject.row(&run("child")).await.ended.is_some());
}
