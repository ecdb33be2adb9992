//! The tools as a run uses them.

use std::sync::Arc;

use provost_runtime::RunId;
use provost_runtime::driver::{Executors, Finished, Host, Run, Start};
use provost_runtime::engine::RunStatus;
use provost_runtime::memory::{ManualClock, Storage};
use provost_runtime::port::{
    Boxed, ClientToolRequests, Epoch, Model, ModelError, PendingRequests, TurnAnswer, TurnRequest,
};
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

async fn run(bench: &Bench, storage: &Arc<Storage>, calls: Value, policy: Value) -> Finished {
    let tools = bench.tools.clone().with_human().unwrap();
    let declarations = tools.offered();
    let mut host = Host::new(Arc::new(ManualClock::at(1_000)), Arc::new(Caller(calls)));
    host.executors = Some(Executors::new(Arc::new(tools)));
    host.client_requests = Some(storage.clone());
    host.approvals = Some(storage.clone());
    let options = json!({ "max_turns": 3, "tool_declarations": declarations, "policy": policy });
    let start = Start::read(&[], options.as_object().unwrap(), &host).unwrap();
    let id: RunId = "run_tools".parse().unwrap();
    Run::drive(&host, &**storage, id, Epoch::NONE, start).await.unwrap()
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
    let finished = run(&bench, &Storage::new(), calls, attended()).await;
    assert_eq!(finished.status, RunStatus::Completed);
    assert_eq!(bench.text("a.txt"), "");
    let told = finished.result().unwrap().to_string();
    assert!(told.contains("a.txt created: 1 lines, 3 bytes"), "{told}");
    assert!(told.contains("outside_workspace"), "{told}");
}

#[tokio::test]
async fn a_question_waits_for_a_person() {
    let bench = Bench::new();
    let storage = Storage::new();
    let calls = json!([{ "id": "1", "name": "human/ask", "parameters": { "question": "Which one?", "options": ["a", "b"] } }]);
    let finished = run(&bench, &storage, calls, attended()).await;
    assert_eq!(finished.status, RunStatus::RuntimeToolPending);
    let pending = storage.pending(&PendingRequests::default()).await.unwrap();
    let asked: Vec<&Value> = pending.iter().map(|request| &request.0["parameters"]["question"]).collect();
    assert_eq!(asked, [&json!("Which one?")]);
}

#[tokio::test]
async fn a_question_that_asks_nothing_waits_for_nobody() {
    let bench = Bench::new();
    let calls =
        json!([{ "id": "1", "name": "human/ask", "parameters": { "question": "Which?", "choices": [] } }]);
    assert_eq!(run(&bench, &Storage::new(), calls, attended()).await.status, RunStatus::Completed);
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
    let asked = run(&bench, &Storage::new(), calls.clone(), policy).await;
    assert_eq!(asked.status, RunStatus::ApprovalRequired);
    let diff = r"--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-one\n+two\n";
    assert!(asked.result().unwrap().to_string().contains(diff), "{:?}", asked.result());
    assert_eq!(bench.text("a.txt"), "one\n");
    assert_eq!(run(&bench, &Storage::new(), calls, attended()).await.status, RunStatus::Completed);
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
    let told =
        run(&bench, &Storage::new(), calls.clone(), json!({})).await.into_result().unwrap().to_string();
    assert!(told.contains("1 of 1 lines of a.txt"), "{told}");
    assert_eq!(bench.text("a.txt"), "one");
    run(&bench, &Storage::new(), calls, attended()).await;
    assert_eq!(bench.text("a.txt"), "two");
}
