//! Calls of one turn: together where they only read, alone where they do not; bad ones get a typed result.

use std::sync::Arc;
use std::time::Duration;

use provost::{ActionPolicy, Agent, RunStatus, Runtime, Script, Tool};
use provost_runtime::system::ManualClock;
use serde_json::json;

use crate::scene::{Ledger, Scene, Slow, Text, results};

#[tokio::test]
async fn readers_run_together_and_a_writer_waits_for_them() {
    let ledger = Ledger::default();
    let (first, slow) = Slow::tool("slow/first", &ledger);
    let (second, other) = Slow::tool("slow/second", &ledger);
    let script = Script::new()
        .calls([
            ("slow/first", json!({ "text": "1" })),
            ("slow/second", json!({ "text": "2" })),
            ("note/put", json!({ "text": "3" })),
        ])
        .say("Done.");
    let scene = Scene::with(script, Agent::new("scribe"), vec![slow.reads(), other.reads()]);
    let run = scene.runtime.start("Go.").await.unwrap();
    first.began.notified().await;
    second.began.notified().await;
    assert!(scene.ledger.entries().is_empty(), "the writer waits for the readers");
    second.end.notify_one();
    first.end.notify_one();
    let done = run.outcome().await.unwrap();
    assert_eq!(scene.ledger.entries(), ["put 3"]);
    assert_eq!(results(&done), ["call-1-1 ok", "call-1-2 ok", "call-1-3 ok"]);
}

#[tokio::test]
async fn what_is_forbidden_is_not_run_and_says_why_and_runs_without_the_rule() {
    let script = || Script::new().call("note/put", json!({ "text": "a" })).say("Done.");
    let forbidding = Agent::new("scribe").policy("note/put", ActionPolicy::Forbidden);
    let scene = Scene::with(script(), forbidding, Vec::new());
    let done = scene.run().await;
    assert!(scene.ledger.entries().is_empty());
    assert_eq!(results(&done), ["call-1-1 Not allowed: the policy for this tool says deny."]);
    let control = Scene::new(script());
    control.run().await;
    assert_eq!(control.ledger.entries(), ["put a"]);
}

#[tokio::test]
async fn unknown_tools_and_arguments_that_do_not_fit_get_a_typed_result() {
    let script = Script::new()
        .calls([("note/burn", json!({})), ("note/put", json!({ "text": 7 })), ("note/put", json!({}))])
        .say("Done.");
    let scene = Scene::new(script);
    let done = scene.run().await;
    assert_eq!(done.status, RunStatus::Completed);
    assert!(scene.ledger.entries().is_empty());
    let types: Vec<_> = (0..3)
        .map(|place| done.result["tool_execution_results"][place]["result"]["metadata"]["error_type"].clone())
        .collect();
    assert_eq!(types, ["tool_not_found", "invalid_parameters", "missing_required_parameters"]);
}

#[tokio::test]
async fn a_tool_that_panics_fails_and_the_run_goes_on() {
    let broken = Tool::new("note/break", "Breaks.", |text: Text| async move {
        assert!(text.text.is_empty(), "no text is wanted");
        Ok(())
    });
    let script = Script::new().call("note/break", json!({ "text": "a" })).say("It broke.");
    let scene = Scene::with(script, Agent::new("scribe"), vec![broken]);
    let done = scene.run().await;
    assert_eq!(done.text(), "It broke.");
    assert!(results(&done)[0].contains("no text is wanted"), "{:?}", results(&done));
}

#[tokio::test]
async fn a_tool_that_never_returns_is_stopped() {
    let ledger = Ledger::default();
    let (slow, tool) = Slow::tool("slow/first", &ledger);
    let script = Script::new().call("slow/first", json!({ "text": "1" })).say("Too slow.");
    let clock = Arc::new(ManualClock::at(1_000_000));
    let tool = tool.timeout(Duration::from_secs(5));
    let runtime = Runtime::builder().model(script).tool(tool).clock(clock.clone()).build().unwrap();
    let run = runtime.start("Go.").await.unwrap();
    slow.began.notified().await;
    clock.advance(5_000);
    let done = run.outcome().await.unwrap();
    assert_eq!(done.text(), "Too slow.");
    assert_eq!(ledger.entries(), ["stopped"]);
    let told = "call-1-1 Stopped: no answer within 5000 ms. It may have taken effect in part or in full.";
    assert_eq!(results(&done), [told]);
}
