//! The tools as a run uses them.

use std::sync::Arc;

use provost_runtime::host::{Executors, Host};
use provost_runtime::port::{Boxed, Model, ModelError, TurnAnswer, TurnRequest};
use provost_runtime::store::WaitFilter;
use provost_runtime::system::ManualClock;
use provost_runtime::testing::HostRun;
use serde_json::{Value, json};

use crate::bench::Bench;

/// Makes its calls in the first turn, and has nothing to add.
struct Caller(Value);

impl Model for Caller {
    fn turn<'a>(&'a self, request: TurnRequest<'a>) -> Boxed<'a, Result<TurnAnswer, ModelError>> {
        let calls = if request.turn == 1 { self.0.clone() } else { json!([]) };
        Box::pin(async move { Ok(TurnAnswer::Host(json!({ "content": "", "tool_calls": calls }))) })
    }
}

async fn run(bench: &Bench, calls: Value, policy: Value) -> HostRun {
    let tools = bench.tools.clone().with_human().unwrap();
    let declarations = tools.offered();
    let mut host = Host::new(Arc::new(ManualClock::at(1_000)), Arc::new(Caller(calls)));
    host.executors = Some(Executors::new(Arc::new(tools)));
    let options = json!({ "max_turns": 3, "tool_declarations": declarations, "policy": policy });
    HostRun::new(host, &[], &options).await
}

async fn result(bench: &Bench, calls: Value, policy: Value) -> Value {
    run(bench, calls, policy).await.result
}

/// A run that a person drives.
fn attended() -> Value {
    json!({ "auth_source": "user", "acting_user_id": 7 })
}

#[tokio::test]
async fn calls_of_a_run_are_carried_out() {
    let bench = Bench::new();
    let calls = json!([
        { "id": "1", "name": "fs/write", "parameters": { "path": "a.txt", "content": "one" } },
        { "id": "2", "name": "fs/edit", "parameters": { "path": "a.txt", "old_text": "one", "new_text": "" } },
        { "id": "3", "name": "fs/read", "parameters": { "path": "../outside/secret.txt" } },
    ]);
    let result = result(&bench, calls, attended()).await;
    assert_eq!(result["completed"], json!(true));
    assert_eq!(bench.text("a.txt"), "");
    let told = result.to_string();
    assert!(told.contains("created, 1 line"), "{told}");
    assert!(told.contains("outside_workspace"), "{told}");
}

#[tokio::test]
async fn a_question_waits_for_a_person() {
    let bench = Bench::new();
    let calls = json!([{ "id": "1", "name": "human/ask", "parameters": { "question": "Which one?", "options": ["a", "b"] } }]);
    let asks = run(&bench, calls, attended()).await;
    assert_eq!(asks.result["status"], json!("runtime_tool_pending"));
    let asked = asks.result.pointer("/runtime_tool_pending/parameters/question");
    assert_eq!(asked, Some(&json!("Which one?")), "{}", asks.result);
    let waits = asks.runs.store.waits(WaitFilter { run: Some(asks.run), ..WaitFilter::default() }, None, 10);
    assert_eq!(waits.await.unwrap().items.len(), 1);
}

#[tokio::test]
async fn a_question_that_asks_nothing_waits_for_nobody() {
    let bench = Bench::new();
    let calls =
        json!([{ "id": "1", "name": "human/ask", "parameters": { "question": "Which?", "choices": [] } }]);
    assert_eq!(result(&bench, calls, attended()).await["completed"], json!(true));
}

#[tokio::test]
async fn a_person_is_shown_the_change_before_it_is_made() {
    let bench = Bench::new();
    bench.put("a.txt", "one\n");
    let calls = json!([
        { "id": "1", "name": "fs/read", "parameters": { "path": "a.txt" } },
        { "id": "2", "name": "fs/edit", "parameters": { "path": "a.txt", "old_text": "one", "new_text": "two" } },
    ]);
    let mut policy = attended();
    policy["action_policy"] = json!({ "categories": { "write": "preview" } });
    let asked = result(&bench, calls.clone(), policy).await;
    assert_eq!(asked["status"], json!("approval_required"));
    let diff = r"--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-one\n+two\n";
    assert!(asked.to_string().contains(diff), "{asked}");
    assert_eq!(bench.text("a.txt"), "one\n");
    assert_eq!(result(&bench, calls, attended()).await["completed"], json!(true));
    assert_eq!(bench.text("a.txt"), "two\n");
}

#[tokio::test]
async fn a_run_nobody_attends_reads_and_does_not_write() {
    let bench = Bench::new();
    bench.put("a.txt", "one");
    let calls = json!([
        { "id": "1", "name": "fs/read", "parameters": { "path": "a.txt" } },
        { "id": "2", "name": "fs/write", "parameters": { "path": "a.txt", "content": "two" } },
    ]);
    let told = result(&bench, calls.clone(), json!({})).await.to_string();
    assert!(told.contains("\"summary\":\"1 line\""), "{told}");
    assert_eq!(bench.text("a.txt"), "one");
    result(&bench, calls, attended()).await;
    assert_eq!(bench.text("a.txt"), "two");
}
