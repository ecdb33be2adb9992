//! Tools a client executes: the run waits for the result, and the first one counts.

use std::sync::Arc;

use provost::{Agent, Request, RunStatus, Runtime, Script, Tool};
use provost_runtime::memory::ManualClock;
use serde_json::json;

use crate::scene::{Scene, Text, results};

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
    assert_eq!(waiting.status, RunStatus::RuntimeToolPending);
    assert!(scene.ledger.entries().is_empty(), "the rest of the turn waits too");
    let request = scene.runtime.client_requests().await.unwrap().remove(0);
    assert_eq!(request.run_id(), waiting.run.as_str());

    let answer = json!({ "request_id": request.request_id(), "result": { "colour": "red" } });
    let (submission, going_on) = scene.runtime.submit(&answer).await.unwrap();
    assert!(!submission.duplicate);
    let done = going_on.unwrap().outcome().await.unwrap();
    assert_eq!((done.status, done.text()), (RunStatus::Completed, "Red it is."));
    assert_eq!(scene.ledger.entries(), ["put after"]);
    assert_eq!(results(&done), ["call-1-1 ok", "call-1-2 ok"]);
    assert_eq!(done.result["tool_execution_results"][0]["result"]["result"], json!({ "colour": "red" }));

    let (late, going_on) = scene
        .runtime
        .submit(&json!({ "request_id": request.request_id(), "result": { "colour": "blue" } }))
        .await
        .unwrap();
    assert!(late.duplicate && going_on.is_none());
    assert_eq!(
        late.to_value()["result"]["result"],
        json!({ "colour": "red" }),
        "it is told the first result"
    );
}

#[tokio::test]
async fn a_result_of_another_tool_or_for_nobody_is_refused() {
    let scene = scene();
    scene.run().await;
    let request = scene.runtime.client_requests().await.unwrap().remove(0);
    let other = json!({ "request_id": request.request_id(), "tool_name": "client/other", "result": {} });
    assert!(scene.runtime.submit(&other).await.is_err());
    assert!(scene.runtime.submit(&json!({ "request_id": "nothing", "result": {} })).await.is_err());
    assert_eq!(scene.runtime.client_requests().await.unwrap().len(), 1, "it still waits");
}

#[tokio::test]
async fn a_result_that_comes_too_late_is_refused_and_the_run_goes_on_without_it() {
    for (late_ms, told) in [(9_000, "call-1-1 ok"), (10_000, "call-1-1 No client answered in time.")] {
        let clock = Arc::new(ManualClock::at(1_780_000_000_000));
        let pick = Tool::for_client::<Text>("client/pick", "Lets the user pick.");
        let script = Script::new().call("client/pick", json!({ "text": "colour" })).say("Done.");
        let runtime = Runtime::builder().model(script).tool(pick).clock(clock.clone()).build().unwrap();
        let request = Request::new("Go.").context("runtime_tool_timeout_at", json!("2026-05-28T20:26:50Z"));
        let waiting = runtime.start(request).unwrap().outcome().await.unwrap();
        assert_eq!(waiting.status, RunStatus::RuntimeToolPending);
        let request = runtime.client_requests().await.unwrap().remove(0);
        clock.advance(late_ms);
        let answer = json!({ "request_id": request.request_id(), "result": { "colour": "red" } });
        let done = match runtime.submit(&answer).await {
            Ok((_, going_on)) => going_on.unwrap(),
            Err(late) => {
                assert_eq!(late.to_value()["code"], "runtime_tool_result_late");
                runtime.resume(waiting.run)
            }
        };
        assert_eq!(results(&done.outcome().await.unwrap()), [told], "{late_ms} ms later");
    }
}
