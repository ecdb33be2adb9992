//! Runs from their acceptance to their end.

use std::sync::Arc;
use std::time::Duration;

use provost_engine::event::{EndStatus, EventKind, Hook, HookSet};
use provost_runtime::dispatch::Followed;
use serde_json::json;
use tokio::sync::Notify;

use provost_runtime::testing::{Does, Process, Reply, ada, end, until};

#[tokio::test(start_paused = true)]
async fn calls_are_executed_and_the_model_answers() {
    let process = Process::start(json!({})).await;
    process.replies([
        Reply::Calls(vec![("kb/read", json!({ "a": 1 })), ("kb/write", json!({ "b": 2 }))]),
        Reply::Text("all done"),
    ]);
    let mut events = process.begin("run-1").await;
    assert_eq!(end(&mut events).await, EndStatus::Completed);
    assert_eq!(process.script.executed(), ["kb/read", "kb/write"]);
    assert_eq!(process.status("run-1").await, "completed");
    // The model is shown its input, then the two calls with their results.
    assert_eq!(*process.script.shown.lock().unwrap(), [1, 5]);
}

#[tokio::test(start_paused = true)]
async fn reads_run_together_and_a_write_waits_for_them() {
    let process = Process::start(json!({})).await;
    let gate = Arc::new(Notify::new());
    process.tool("kb/read", Does::Waits(gate.clone()));
    process.replies([Reply::Calls(vec![
        ("kb/read", json!({})),
        ("kb/look", json!({})),
        ("kb/write", json!({})),
    ])]);
    let mut events = process.begin("run-1").await;
    until(&mut events, "action_ended").await;
    assert_eq!(process.script.executed(), ["kb/read", "kb/look"], "the write has not begun");
    gate.notify_one();
    assert_eq!(end(&mut events).await, EndStatus::Completed);
    assert_eq!(process.script.executed(), ["kb/read", "kb/look", "kb/write"]);
}

#[tokio::test(start_paused = true)]
async fn a_cancel_is_heard_and_tools_go_on_while_a_hook_takes_its_time() {
    let process = Process::start(json!({})).await;
    let gate = Arc::new(Notify::new());
    process.script.slow_hooks.lock().unwrap().insert(Hook::AfterTool, gate);
    process.replies([Reply::Calls(vec![("kb/read", json!({})), ("kb/write", json!({}))])]);
    let mut spec = process.spec("run-1");
    spec.hooks = HookSet { after_tool: true, ..HookSet::default() };
    let mut events = process.begin_with(spec).await;
    // The hook about the first result is slow: the second call is made all the same.
    until(&mut events, "action_ended").await;
    until(&mut events, "action_ended").await;
    assert_eq!(process.script.executed(), ["kb/read", "kb/write"]);
    let asked = tokio::time::Instant::now();
    process.doors.cancel(&"run-1".parse().unwrap(), None, "enough", ada()).await.unwrap();
    assert_eq!(until(&mut events, "signal_taken").await.name(), "signal_taken");
    assert!(asked.elapsed() < Duration::from_secs(1), "{:?}", asked.elapsed());
    assert_eq!(end(&mut events).await, EndStatus::Cancelled);
}

#[tokio::test(start_paused = true)]
async fn a_cancel_stops_a_running_tool_and_says_that_it_may_have_had_effects() {
    let process = Process::start(json!({})).await;
    process.tool("kb/send", Does::Never);
    process.replies([Reply::Calls(vec![("kb/send", json!({})), ("kb/write", json!({}))])]);
    let mut events = process.begin("run-1").await;
    process.script.began.notified().await;
    process.doors.cancel(&"run-1".parse().unwrap(), None, "enough", ada()).await.unwrap();
    let mut ends = Vec::new();
    for _ in 0..2 {
        let EventKind::ActionEnded(ended) = until(&mut events, "action_ended").await else { panic!() };
        ends.push((ended.action.index, ended.reason.clone(), ended.effect));
    }
    ends.sort_by_key(|(index, ..)| *index);
    let (maybe, none) = (provost_engine::WorldEffect::Maybe, provost_engine::WorldEffect::None);
    assert_eq!(ends, [(0, "stopped_midway".to_owned(), maybe), (1, "cancelled".to_owned(), none)]);
    assert_eq!(end(&mut events).await, EndStatus::Cancelled);
    assert_eq!(process.script.executed(), ["kb/send"], "the write never began");
}

#[tokio::test(start_paused = true)]
async fn a_tool_that_is_too_slow_or_panics_fails_alone() {
    let process = Process::start(json!({})).await;
    process.tool("kb/look", Does::Never);
    process.tool("kb/read", Does::Panics);
    process.replies([Reply::Calls(vec![("kb/read", json!({})), ("kb/look", json!({}))])]);
    let mut events = process.begin("run-1").await;
    let mut reasons = Vec::new();
    for _ in 0..2 {
        let EventKind::ActionEnded(ended) = until(&mut events, "action_ended").await else { panic!() };
        reasons.push(ended.reason.clone());
    }
    assert_eq!(reasons, ["failed", "timed_out"]);
    assert_eq!(end(&mut events).await, EndStatus::Completed);
}

#[tokio::test(start_paused = true)]
async fn a_model_that_fails_is_asked_again_only_where_that_helps() {
    let process = Process::start(json!({})).await;
    process.replies([Reply::Fails { retry: true }, Reply::Text("here I am")]);
    let mut events = process.begin("run-1").await;
    assert_eq!(end(&mut events).await, EndStatus::Completed);
    process.replies([Reply::Fails { retry: false }]);
    let mut events = process.begin("run-2").await;
    assert_eq!(end(&mut events).await, EndStatus::Failed);
}

#[tokio::test(start_paused = true)]
async fn an_accepted_run_is_the_same_when_it_is_asked_for_again() {
    let process = Process::start(json!({})).await;
    let mut request = process.request(process.spec("run-1"));
    request.key = Some("order-7".into());
    let first = process.doors.accept(request.clone()).await.unwrap();
    let again = process.doors.accept(request.clone()).await.unwrap();
    assert_eq!((first.existing, again.existing, &again.run), (false, true, &first.run));
    request.spec.input.clear();
    request.spec.run = "run-2".parse().unwrap();
    assert!(process.doors.accept(request).await.is_err(), "the same key for another request is a conflict");
}

#[tokio::test(start_paused = true)]
async fn a_watcher_of_a_run_that_is_over_reads_all_of_it() {
    let process = Process::start(json!({})).await;
    let mut live = process.begin("run-1").await;
    end(&mut live).await;
    let run = "run-1".parse().unwrap();
    let mut late = process.hub.follow(&run, provost_engine::Seq(0));
    let mut kinds = Vec::new();
    while let Some(Followed::Event(event)) = late.next().await {
        kinds.push(event.event.kind.name());
        if kinds.last() == Some(&"run_ended") {
            break;
        }
    }
    assert_eq!(
        kinds,
        [
            "run_accepted",
            "run_claimed",
            "model_requested",
            "model_responded",
            "declaration_accepted",
            "run_ended"
        ]
    );
}

#[tokio::test(start_paused = true)]
async fn a_large_result_is_an_artifact_and_the_model_reads_all_of_it() {
    let process = Process::start(json!({})).await;
    let text = "x".repeat(100_000);
    process.replies([Reply::Calls(vec![("kb/read", json!({ "text": text }))]), Reply::Text("read")]);
    let mut events = process.begin("run-1").await;
    let EventKind::ActionEnded(ended) = until(&mut events, "action_ended").await else { panic!() };
    let artifact = ended.result.artifact().expect("it is large").clone();
    assert!(artifact.size > 100_000 && artifact.excerpt.to_string().len() < 3_000);
    assert_eq!(end(&mut events).await, EndStatus::Completed);
    let stored = process.store.artifact(artifact.digest).await.unwrap().unwrap();
    assert!(String::from_utf8(stored).unwrap().contains(&text));
    assert!(
        process.script.bytes_shown.lock().unwrap().last().unwrap() > &200_000,
        "call and result, in full"
    );
    let records = process.store.journal("run-1".parse().unwrap(), provost_engine::Seq(0), 100).await.unwrap();
    let ended = records.iter().find(|record| &*record.kind == "action_ended").unwrap();
    assert!(ended.words.as_deref().unwrap().len() < 4_000);
}
