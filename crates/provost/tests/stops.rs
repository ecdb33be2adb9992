//! Stopping: on demand, by a limit, and taking up again.

use provost::{Agent, RunStatus, Script};
use serde_json::json;

use crate::scene::{Ledger, Scene, Slow, results};

#[tokio::test]
async fn a_cancel_stops_a_running_tool_and_says_so() {
    let ledger = Ledger::default();
    let (slow, tool) = Slow::tool("slow/first", &ledger);
    let script = Script::new()
        .calls([("slow/first", json!({ "text": "1" })), ("note/put", json!({ "text": "2" }))])
        .say("Never said.");
    let scene = Scene::with(script, Agent::new("scribe"), vec![tool]);
    let run = scene.runtime.start("Go.").unwrap();
    let name = run.run().clone();
    slow.began.notified().await;
    scene.runtime.cancel(&name, "ada", "enough").await.unwrap();
    let done = run.outcome().await.unwrap();
    assert_eq!(done.status, RunStatus::Cancelled);
    assert_eq!(ledger.entries(), ["stopped"]);
    assert!(scene.ledger.entries().is_empty());
    assert_eq!(
        results(&done),
        [
            "call-1-1 Stopped while it ran: ada cancelled the run. It may have taken effect in part or in full."
        ]
    );
    assert_eq!(done.result["cancelled"], json!({ "by": "ada", "reason": "enough" }));
}

#[tokio::test]
async fn a_message_while_a_tool_runs_is_heard_in_the_next_turn() {
    let ledger = Ledger::default();
    let (slow, tool) = Slow::tool("slow/first", &ledger);
    let script = Script::new().call("slow/first", json!({ "text": "1" })).say("Heard.");
    let scene = Scene::with(script, Agent::new("scribe"), vec![tool]);
    let run = scene.runtime.start("Go.").unwrap();
    let name = run.run().clone();
    slow.began.notified().await;
    scene.runtime.say(&name, "ada", "And be quick.").await.unwrap();
    slow.end.notify_one();
    let done = run.outcome().await.unwrap();
    let contents: Vec<_> =
        done.result["messages"].as_array().unwrap().iter().map(|m| m["content"].clone()).collect();
    assert_eq!(contents[3..], ["And be quick.", "Heard."]);
}

#[tokio::test]
async fn a_budget_of_tokens_is_refused_before_the_next_turn() {
    let script = |tokens: u64| {
        Script::new()
            .call("note/put", json!({ "text": "a" }))
            .costing(json!({ "total_tokens": tokens }))
            .say("Done.")
    };
    let agent = || Agent::new("scribe").budget("tokens", 100);
    let spent = Scene::with(script(100), agent(), Vec::new()).run().await;
    assert_eq!(spent.status, RunStatus::BudgetExceeded);
    assert_eq!(spent.result["budget"], "tokens");
    assert_eq!(spent.result["turn_count"], 1);
    let within = Scene::with(script(99), agent(), Vec::new()).run().await;
    assert_eq!(within.status, RunStatus::Completed);
}

#[tokio::test]
async fn a_fan_out_past_its_limit_stops_the_turn_there() {
    let calls = |count: usize| {
        let calls: Vec<_> =
            (0..count).map(|number| ("note/put", json!({ "text": number.to_string() }))).collect();
        Script::new().calls(calls).say("Done.")
    };
    let agent = || Agent::new("scribe").budget("fan_out", 2);
    let scene = Scene::with(calls(3), agent(), Vec::new());
    assert_eq!(scene.run().await.status, RunStatus::BudgetExceeded);
    assert_eq!(scene.ledger.entries(), ["put 0", "put 1"]);
    let within = Scene::with(calls(2), agent(), Vec::new()).run().await;
    assert_eq!(within.status, RunStatus::Completed);
}

#[tokio::test]
async fn a_run_whose_model_failed_can_be_taken_up_again() {
    use provost_runtime::driver::{Reopen, Resume};
    let scene = Scene::new(Script::new().call("note/put", json!({ "text": "a" })));
    let failed = scene.run().await;
    assert_eq!(failed.status, RunStatus::Failed, "the script has no second turn");
    let told_again = scene.runtime.resume(failed.run.clone()).outcome().await.unwrap();
    assert_eq!(told_again.result, failed.result);
    let resume = Resume { reopen: Reopen::Yes, ..Resume::default() };
    let again = scene.runtime.resume_with(failed.run, resume).outcome().await.unwrap();
    assert_eq!(again.status, RunStatus::Failed);
    assert_eq!(scene.ledger.entries(), ["put a"], "what was done is not done again");
}
