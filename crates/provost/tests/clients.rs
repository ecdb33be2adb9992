//! Tools a client executes: the run waits for the result, and the first one counts.

use std::sync::Arc;

use provost::{Agent, ClientResult, DecideError, Decision, Request, RunStatus, Runtime, Script, Tool};
use provost_runtime::system::ManualClock;
use serde_json::json;

use crate::scene::{Scene, Text, results, waits_for};

fn scene() -> Scene {
    let pick = Tool::for_client::<Text>("client/pick", "Lets the user pick.");
    let script = Script::new()
        .calls([("client/pick", json!({ "text": "colour" })), ("note/put", json!({ "text": "after" }))])
        .say("Red it is.");
    Scene::with(script, Agent::new("scribe"), vec![pick])
}

#[tokio::test]
async fn the_run_goes_on_with_the_clients_result() {
    let scene = scene();
    let waiting = scene.run().await;
    assert_eq!(waits_for(&waiting), ["client call-1-1"]);
    assert_eq!(waiting.result["status"], "runtime_tool_pending");
    assert!(scene.ledger.entries().is_empty(), "the rest of the turn waits too");
    let request = scene.runtime.client_requests().await.unwrap().remove(0);
    assert_eq!((&request.run, request.tool.as_str()), (&waiting.run, "client/pick"));
    assert_eq!(serde_json::Value::from(request.arguments), json!({ "text": "colour" }));

    let wait = request.wait.to_string();
    let going_on = scene.runtime.submit(&wait, ClientResult::ok(json!({ "colour": "red" }))).await.unwrap();
    let done = going_on.outcome().await.unwrap();
    assert_eq!((done.status, done.text()), (RunStatus::Completed, "Red it is."));
    assert_eq!(scene.ledger.entries(), ["put after"]);
    assert_eq!(results(&done), ["call-1-1 ok", "call-1-2 ok"]);
    assert_eq!(done.result["tool_execution_results"][0]["result"]["result"], json!({ "colour": "red" }));

    let late = scene.runtime.submit(&wait, ClientResult::ok(json!({ "colour": "blue" }))).await.err();
    assert!(
        matches!(&late, Some(DecideError::Late { how, by, .. }) if how == "answered" && by.name() == "client"),
        "it says who was first: {late:?}"
    );
    let told_again = scene.runtime.outcome(&waiting.run).await.unwrap();
    assert_eq!(told_again.result, done.result, "the first result counts");
}

/// Beside it, a failure is a result: the model reads it, and the run goes on.
#[tokio::test]
async fn a_decision_is_no_result_and_a_failure_is_one() {
    let scene = scene();
    let waiting = scene.run().await;
    let wait = waiting.waits[0].wait.to_string();
    let decided = scene.runtime.decide(&wait, Decision::approve("grace")).await;
    assert!(matches!(decided.err(), Some(DecideError::Unfit { .. })));
    for none in ["nothing", "run-none/1", &format!("{}/9", waiting.run)] {
        let nobody = scene.runtime.submit(none, ClientResult::ok(json!({}))).await;
        assert!(matches!(nobody.err(), Some(DecideError::Unknown(_))), "{none}");
    }
    assert_eq!(scene.runtime.client_requests().await.unwrap().len(), 1, "it still waits");
    let failed =
        scene.runtime.submit(&wait, ClientResult::failed("the user closed the window")).await.unwrap();
    let done = failed.outcome().await.unwrap();
    assert_eq!(done.status, RunStatus::Completed);
    assert_eq!(results(&done), ["call-1-1 the user closed the window", "call-1-2 ok"]);
}

/// A result for a question that asks for leave is refused, and the question stays.
#[tokio::test]
async fn a_result_is_no_decision() {
    let scene = Scene::new(Script::new().call("note/write", json!({ "text": "a" })).say("Done."));
    let waiting = scene.run().await;
    let wait = waiting.waits[0].wait.to_string();
    let submitted = scene.runtime.submit(&wait, ClientResult::ok("done")).await;
    assert!(matches!(submitted.err(), Some(DecideError::Unfit { .. })));
    assert!(scene.ledger.entries().is_empty());
    assert_eq!(scene.runtime.pending().await.unwrap().len(), 1);
}

#[tokio::test]
async fn a_result_that_comes_too_late_is_refused_and_the_run_goes_on_without_it() {
    for (late_ms, told) in [(9_000, "call-1-1 ok"), (10_000, "call-1-1 No client answered in time.")] {
        let clock = Arc::new(ManualClock::at(1_780_000_000_000));
        let pick = Tool::for_client::<Text>("client/pick", "Lets the user pick.");
        let script = Script::new().call("client/pick", json!({ "text": "colour" })).say("Done.");
        let runtime = Runtime::builder().model(script).tool(pick).clock(clock.clone()).build().unwrap();
        let request = Request::new("Go.").context("runtime_tool_timeout_at", json!("2026-05-28T20:26:50Z"));
        let waiting = runtime.start(request).await.unwrap().outcome().await.unwrap();
        assert_eq!(waits_for(&waiting), ["client call-1-1"]);
        let wait = runtime.client_requests().await.unwrap()[0].wait.to_string();
        clock.advance(late_ms);
        let submitted = runtime.submit(&wait, ClientResult::ok(json!({ "colour": "red" }))).await;
        if let Err(late) = &submitted {
            assert!(matches!(late, DecideError::Late { how, .. } if how == "expired"), "{late:?}");
        }
        let done = runtime.outcome(&waiting.run).await.unwrap();
        assert_eq!(
            (done.status, results(&done)),
            (RunStatus::Completed, vec![told.to_owned()]),
            "{late_ms} ms later"
        );
        assert_eq!(submitted.is_ok(), late_ms < 10_000);
    }
}
