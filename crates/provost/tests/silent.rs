//! Nothing fails silently: what is wrong is refused where it comes in, beside what is right.

use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt;
use provost::{
    Agent, ClientResult, Decision, Delta, EventKind, FnModel, Followed, ManualClock, Request, RunStatus,
    Runtime, Script, Seq, SessionOptions, StartError, Tool, WorkError,
};
use serde_json::{Value, json};

use crate::scene::{Ledger, Scene, Slow, Text, results};

#[tokio::test]
async fn a_time_limit_below_a_second_is_what_it_says() {
    let ledger = Ledger::default();
    let (slow, tool) = Slow::tool("slow/first", &ledger);
    let script = Script::new().call("slow/first", json!({ "text": "1" })).say("Too slow.");
    let clock = Arc::new(ManualClock::at(1_000_000));
    let tool = tool.timeout(Duration::from_millis(300));
    let runtime = Runtime::builder().model(script).tool(tool).clock(clock.clone()).build().unwrap();
    let run = runtime.start("Go.").await.unwrap();
    slow.began.notified().await;
    clock.advance(300);
    let done = run.outcome().await.unwrap();
    assert!(results(&done)[0].contains("no answer within 300 ms"), "{:?}", results(&done));
}

#[tokio::test]
async fn a_principal_that_is_none_is_refused_at_the_door() {
    let scene = Scene::new(Script::new().say("Done."));
    let start = async |principal: Value| scene.runtime.start(Request::new("Go.").principal(principal)).await;
    for garbage in [
        json!("garbage"),
        Value::Null,
        json!([]),
        json!({ "foo": 1 }),
        json!({ "acting_user_id": -5 }),
        json!({ "acting_user_id": "ada" }),
        json!({ "acting_user_id": 7, "auth_source": "guesswork" }),
        json!({ "acting_user_id": 7, "owner_type": "user" }),
    ] {
        let refused = start(garbage.clone()).await.err();
        assert!(matches!(refused, Some(StartError::Invalid(_))), "{garbage}: {refused:?}");
        let policy = Request::new("Go.").principal(garbage.clone()).policy(&Agent::new("a"), &json!({}));
        assert!(policy.is_err(), "{garbage} has no policy: {policy:?}");
    }
    let policy = Request::new("Go.").policy(&Agent::new("a"), &json!({})).unwrap();
    assert_eq!(policy["principal"]["auth_source"], "embedded");
    let whole =
        json!({ "acting_user_id": 7, "auth_source": "user", "owner_type": "user", "owner_key": "ada" });
    for good in [whole, json!({ "acting_user_id": 7 })] {
        let outcome = start(good).await.unwrap().outcome().await.unwrap();
        assert_eq!(outcome.status, RunStatus::Completed);
    }
}

/// JSON has objects, so an error says object, with the code and the field of the contract.
#[tokio::test]
async fn a_message_that_is_no_object_is_refused_in_the_words_of_json() {
    let scene = Scene::new(Script::new().say("Done."));
    let refused = scene.runtime.start(Request::from_messages(vec![json!("Go.")])).await.err();
    let Some(StartError::Invalid(error)) = refused else { panic!("{refused:?}") };
    assert_eq!(
        (error.code(), error.message()),
        ("invalid_ai_message_envelope", "invalid_ai_message_envelope: message must be an object")
    );
    let good = json!({ "role": "user", "content": "Go." });
    assert!(scene.runtime.start(Request::from_messages(vec![good])).await.is_ok());
}

#[tokio::test]
async fn a_run_that_exists_is_a_typed_error() {
    let scene = Scene::new(Script::new().say("Done."));
    let request = |text: &str, run: &str| Request::new(text).run(run.parse().unwrap());
    let first = scene.runtime.start(request("Go.", "run-1")).await.unwrap();
    assert_eq!(first.outcome().await.unwrap().text(), "Done.");
    let again = scene.runtime.start(request("Something else.", "run-1")).await.err();
    assert!(matches!(again, Some(StartError::RunExists { run }) if run.as_str() == "run-1"));
    assert!(scene.runtime.start(request("Go.", "run-2")).await.is_ok());
}

#[tokio::test]
async fn a_session_that_does_not_exist_is_named() {
    let scene = Scene::new(Script::new().say("Done."));
    let refused = scene.runtime.start(Request::new("Go.").session("s-1")).await.err();
    assert!(matches!(refused, Some(StartError::NoSession(id)) if id.as_str() == "s-1"));
    let options = SessionOptions { id: Some("s-1".to_owned()), ..SessionOptions::default() };
    scene.runtime.create_session(options).await.unwrap();
    let run = scene.runtime.start(Request::new("Go.").session("s-1")).await.unwrap();
    assert_eq!(run.outcome().await.unwrap().status, RunStatus::Completed);
}

/// Everyone who answers at once gets the run that goes on.
#[tokio::test(flavor = "multi_thread")]
async fn answers_that_come_at_once_join_the_same_work() {
    let calls = ["a", "b", "c"].map(|text| ("note/look", json!({ "text": text })));
    let look = Tool::new("note/look", "Looks.", |_: Text| async { Ok("seen") }).reads().asks();
    let runtime =
        Runtime::builder().model(Script::new().calls(calls).say("Done.")).tool(look).build().unwrap();
    runtime.start("Go.").await.unwrap().outcome().await.unwrap();
    let pending = runtime.pending().await.unwrap();
    assert_eq!(pending.len(), 3);
    let answers = pending.iter().map(|pending| {
        let (runtime, wait) = (runtime.clone(), pending.wait.to_string());
        async move { runtime.decide(&wait, Decision::approve("grace")).await.unwrap().outcome().await }
    });
    for outcome in futures_util::future::join_all(answers).await {
        let outcome = outcome.unwrap();
        assert!(matches!(outcome.status, RunStatus::Completed | RunStatus::Waiting), "{:?}", outcome.status);
    }
    let run = pending[0].wait.run.clone();
    assert_eq!(runtime.outcome(&run).await.unwrap().text(), "Done.");
}

#[tokio::test]
async fn arguments_that_do_not_fit_are_told_without_a_stray_colon() {
    let script = Script::new().call("note/put", json!({ "text": "a", "more": 1 })).say("Done.");
    #[derive(serde::Deserialize, provost::JsonSchema)]
    #[serde(deny_unknown_fields)]
    struct Closed {
        text: String,
    }
    let put = Tool::new("note/put", "Puts.", |closed: Closed| async move { Ok(closed.text) });
    let runtime = Runtime::builder().model(script).tool(put).build().unwrap();
    let outcome = runtime.start("Go.").await.unwrap().outcome().await.unwrap();
    let told = &results(&outcome)[0];
    assert!(told.contains("do not fit: Additional properties"), "{told}");
}

#[tokio::test]
async fn a_run_that_parks_is_not_over_and_its_events_are_a_stream() {
    let scene = Scene::new(Script::new().call("note/write", json!({ "text": "a" })).say("Done."));
    let run = scene.runtime.start("Go.").await.unwrap();
    let events = run.events().await.unwrap();
    let names = events.filter_map(|followed| async move {
        match followed {
            Followed::Event(event) => Some(event.event.kind.name()),
            _ => None,
        }
    });
    let mut names = std::pin::pin!(names);
    let mut before = Vec::new();
    while let Some(name) = names.next().await {
        before.push(name);
        if name == "wait_opened" {
            break;
        }
    }
    assert_eq!(run.outcome().await.unwrap().status, RunStatus::Waiting);
    assert!(!before.contains(&"run_ended"), "{before:?}");
    let wait = scene.runtime.pending().await.unwrap()[0].wait.to_string();
    scene.runtime.decide(&wait, Decision::approve("grace")).await.unwrap();
    let after: Vec<_> = names.collect().await;
    assert_eq!(after.last(), Some(&"run_ended"), "the stream ends with the run: {after:?}");
}

#[tokio::test]
async fn whoever_reads_too_slowly_is_told_how_much_is_missing() {
    let chatty = FnModel::new(|_| async { Ok(provost::Answer::stream((0..3_000).map(|n| format!("{n} ")))) });
    let runtime = Runtime::builder().model(chatty).build().unwrap();
    let run: provost::RunId = "run-chatty".parse().unwrap();
    let mut events = runtime.events(&run, Seq(0)).await.unwrap();
    let started = runtime.start(Request::new("Go.").run(run)).await.unwrap();
    started.outcome().await.unwrap();
    let (mut heard, mut lagged, mut ended) = (0, 0, false);
    while let Some(followed) = events.next().await {
        match followed {
            Followed::Delta(Delta::Text(_)) => heard += 1,
            Followed::Lagged(count) => lagged += count,
            Followed::Event(event) => ended |= matches!(event.event.kind, EventKind::RunEnded(_)),
            other => panic!("{other:?}"),
        }
    }
    assert!(ended, "no event is lost");
    assert_eq!((heard + lagged, lagged > 0), (3_000, true), "{heard} heard");
}

#[tokio::test]
async fn a_run_that_was_taken_up_again_is_followed_on() {
    let fails = Script::new().fail(provost::ModelError::new("auth", "no")).say("Here.");
    let runtime = Runtime::builder().model(fails).build().unwrap();
    let run = runtime.start("Go.").await.unwrap();
    assert_eq!(run.outcome().await.unwrap().status, RunStatus::Failed);
    runtime.reopen(run.run(), provost::Resume::default()).await.unwrap();
    assert_eq!(run.outcome().await.unwrap().status, RunStatus::Completed);
    let names: Vec<_> = run.events().await.unwrap().collect().await;
    let ends = names.iter().filter(|followed| {
        matches!(followed, Followed::Event(event) if matches!(event.event.kind, EventKind::RunEnded(_)))
    });
    assert_eq!(ends.count(), 2, "an end that something follows is not the end of the stream");
}

/// Nobody resumes the run: its own worker looks at the clock.
#[tokio::test]
async fn a_client_tool_that_nobody_answers_goes_on_by_itself() {
    let clock = Arc::new(ManualClock::at(1_000_000));
    let pick = Tool::for_client::<Text>("client/pick", "Picks.");
    let script = Script::new().call("client/pick", json!({ "text": "a" })).say("Nobody picked.");
    let runtime = Runtime::builder().model(script).tool(pick).clock(clock.clone()).build().unwrap();
    let request = Request::new("Go.").option("limits", json!({ "approval_ms_max": 5_000 }));
    let run = runtime.start(request).await.unwrap();
    assert_eq!(run.outcome().await.unwrap().status, RunStatus::Waiting);
    let wait = runtime.client_requests().await.unwrap()[0].wait.to_string();
    let mut events = run.events().await.unwrap();
    clock.advance(5_001);
    while let Some(event) = events.next_event().await {
        if matches!(event.event.kind, EventKind::RunEnded(_)) {
            break;
        }
    }
    assert_eq!(run.outcome().await.unwrap().text(), "Nobody picked.");
    assert!(runtime.submit(&wait, ClientResult::ok("late")).await.is_err());
}

#[tokio::test]
async fn a_run_that_is_not_there_is_named() {
    let scene = Scene::new(Script::new().say("Done."));
    let unknown = scene.runtime.outcome(&"run-none".parse().unwrap()).await.err();
    assert!(matches!(unknown, Some(WorkError::UnknownRun(run)) if run.as_str() == "run-none"));
}

/// The position is the last event of the run, or one that the run never had.
#[tokio::test]
async fn the_events_of_an_ended_run_end_at_any_position() {
    let scene = Scene::new(Script::new().say("Done."));
    let run = scene.run().await.run;
    let from = async |after: Seq| {
        let events = scene.runtime.events(&run, after).await.unwrap();
        events.collect::<Vec<_>>().await.len()
    };
    let all = from(Seq(0)).await;
    let last = Seq(all.try_into().unwrap());
    assert_eq!(from(Seq(last.0 - 1)).await, 1, "the end of the run is still given");
    assert_eq!((from(last).await, from(Seq(9_999)).await), (0, 0));
}

/// What follows the end is given to a subscriber that stands there.
#[tokio::test]
async fn a_run_that_is_reopened_goes_on_behind_its_end() {
    let fails = Script::new().fail(provost::ModelError::new("auth", "no")).say("Here.");
    let runtime = Runtime::builder().model(fails).build().unwrap();
    let run = runtime.start("Go.").await.unwrap();
    assert_eq!(run.outcome().await.unwrap().status, RunStatus::Failed);
    let head = runtime.store().run(run.run().clone()).await.unwrap().unwrap().row.head;
    let events = runtime.events(run.run(), head).await.unwrap();
    runtime.reopen(run.run(), provost::Resume::default()).await.unwrap();
    let names: Vec<_> = events.collect().await;
    assert!(matches!(names.last(), Some(Followed::Event(event)) if event.event.kind.name() == "run_ended"));
}

#[tokio::test]
async fn the_events_of_a_run_that_is_not_there_are_an_error() {
    let scene = Scene::new(Script::new().say("Done."));
    let run: provost::RunId = "run-none".parse().unwrap();
    let unknown = scene.runtime.events(&run, Seq(3)).await.err();
    assert!(matches!(unknown, Some(WorkError::UnknownRun(_))), "{unknown:?}");
    let unknown = scene.runtime.resume(&run).await.unwrap().events().await.err();
    assert!(matches!(unknown, Some(WorkError::UnknownRun(_))), "{unknown:?}");
    // From its beginning a run can be followed before it starts.
    let events = scene.runtime.events(&run, Seq(0)).await.unwrap();
    scene.runtime.start(Request::new("Go.").run(run)).await.unwrap();
    assert!(events.count().await > 0);
}
