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

async fn run(bench: &Bench, storage: &Arc<Storage>, calls: Value) -> Finished {
    let tools = bench.tools.clone().with_human().unwrap();
    let declarations: Vec<Value> = tools.declarations().map(|tool| tool.to_value()).collect();
    let mut host = Host::new(Arc::new(ManualClock::at(1_000)), Arc::new(Caller(calls)));
    host.executors = Some(Executors::new(Arc::new(tools)));
    host.client_requests = Some(storage.clone());
    let options = json!({ "max_turns": 3, "tool_declarations": declarations });
    let start = Start::read(&[], options.as_object().unwrap(), &host).unwrap();
    let id: RunId = "run_tools".parse().unwrap();
    Run::drive(&host, &**storage, id, Epoch::NONE, start).await.unwrap()
}

#[tokio::test]
async fn calls_of_a_run_are_carried_out() {
    let bench = Bench::new();
    let calls = json!([
        { "id": "1", "name": "fs/write", "parameters": { "path": "a.txt", "content": "one" } },
        { "id": "2", "name": "fs/edit", "parameters": { "path": "a.txt", "old_text": "one", "new_text": "" } },
        { "id": "3", "name": "fs/read", "parameters": { "path": "../outside/secret.txt" } },
    ]);
    let finished = run(&bench, &Storage::new(), calls).await;
    assert_eq!(finished.status, RunStatus::Completed);
    assert_eq!(bench.text("a.txt"), "");
    let told = finished.result.to_string();
    assert!(told.contains("a.txt created: 1 lines, 3 bytes"), "{told}");
    assert!(told.contains("outside_workspace"), "{told}");
}

#[tokio::test]
async fn a_question_waits_for_a_person() {
    let bench = Bench::new();
    let storage = Storage::new();
    let calls = json!([{ "id": "1", "name": "human/ask", "parameters": { "question": "Which one?", "options": ["a", "b"] } }]);
    let finished = run(&bench, &storage, calls).await;
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
    assert_eq!(run(&bench, &Storage::new(), calls).await.status, RunStatus::Completed);
}
