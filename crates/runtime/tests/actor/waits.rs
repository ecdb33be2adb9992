//! Approvals, doubts and what else waits.

use std::collections::BTreeMap;
use std::sync::Arc;

use provost_contract::Message;
use provost_engine::event::{
    Answer, Decision, EndStatus, EventKind, Hook, HookAnswer, MessageMode, Settlement, Signal, WaitKind,
    WaitOpened,
};
use provost_engine::{Args, Payload, Ruling, Verdict};
use provost_runtime::store::AnswerError;
use serde_json::json;
use tokio::sync::Notify;

use provost_runtime::testing::{Does, Process, Reply, ada, end, gone, until, wait};

fn asks() -> serde_json::Value {
    json!({ "agent_config": { "action_policy": { "tools": { "kb/write": "preview", "kb/send": "preview" } } } })
}

fn verdict(wait: &WaitOpened, decision: Decision) -> Answer {
    let verdicts: BTreeMap<_, _> = wait.actions.iter().map(|id| (*id, decision.clone())).collect();
    Answer::Verdicts { verdicts, remember: None, binding: wait.binding, reason: String::new() }
}

#[tokio::test(start_paused = true)]
async fn an_approval_parks_the_run_and_a_yes_takes_it_up() {
    let process = Process::start(asks()).await;
    process.replies([Reply::Calls(vec![("kb/write", json!({ "a": 1 }))])]);
    let mut events = process.begin("run-1").await;
    let asked = wait(&mut events).await;
    assert_eq!(process.status("run-1").await, "waiting");
    assert!(process.script.executed().is_empty());
    let yes = verdict(&asked, Decision::Approve { edit: None });
    process.doors.answer(&asked.wait, &yes, ada()).await.unwrap();
    let again = process.doors.answer(&asked.wait, &yes, ada()).await;
    assert!(
        matches!(again, Err(AnswerError::AlreadyAnswered { .. } | AnswerError::Settled { .. })),
        "{again:?}"
    );
    assert_eq!(end(&mut events).await, EndStatus::Completed);
    assert_eq!(process.script.executed(), ["kb/write"]);
}

#[tokio::test(start_paused = true)]
async fn a_no_blocks_the_call_and_the_model_reads_why() {
    let process = Process::start(asks()).await;
    process.replies([Reply::Calls(vec![("kb/write", json!({}))])]);
    let mut events = process.begin("run-1").await;
    let asked = wait(&mut events).await;
    let no = verdict(&asked, Decision::Reject { reason: "not on a Friday".into() });
    process.doors.answer(&asked.wait, &no, ada()).await.unwrap();
    let EventKind::ActionEnded(ended) = until(&mut events, "action_ended").await else { panic!() };
    let text = ended.result.shown().to_string();
    assert!(text.contains("user:ada said no: not on a Friday"), "{text}");
    assert_eq!(end(&mut events).await, EndStatus::Completed);
    assert!(process.script.executed().is_empty());
}

#[tokio::test(start_paused = true)]
async fn changed_arguments_are_what_runs_and_the_model_reads_them() {
    let process = Process::start(asks()).await;
    process.replies([Reply::Calls(vec![("kb/write", json!({ "to": "all" }))])]);
    let mut events = process.begin("run-1").await;
    let asked = wait(&mut events).await;
    let edit = Args::open(json!({ "to": "me" }).as_object().unwrap().clone());
    let yes = verdict(&asked, Decision::Approve { edit: Some(edit) });
    process.doors.answer(&asked.wait, &yes, ada()).await.unwrap();
    let EventKind::ActionEnded(ended) = until(&mut events, "action_ended").await else { panic!() };
    assert_eq!(ended.result.shown()["result"], json!({ "to": "me" }));
    assert_eq!(ended.result.shown()["metadata"]["arguments_changed"]["by"], "user:ada");
    assert_eq!(end(&mut events).await, EndStatus::Completed);
}

#[tokio::test(start_paused = true)]
async fn effects_keep_their_order_however_they_are_allowed() {
    let calls = || {
        vec![("kb/write", json!({ "n": 1 })), ("kb/send", json!({ "n": 2 })), ("kb/put", json!({ "n": 3 }))]
    };
    let allowed = Process::start(json!({})).await;
    allowed.replies([Reply::Calls(calls())]);
    end(&mut allowed.begin("run-1").await).await;

    let asked = Process::start(asks()).await;
    asked.replies([Reply::Calls(calls())]);
    let mut events = asked.begin("run-1").await;
    for _ in 0..2 {
        let question = wait(&mut events).await;
        let yes = verdict(&question, Decision::Approve { edit: None });
        asked.doors.answer(&question.wait, &yes, ada()).await.unwrap();
    }
    end(&mut events).await;
    assert_eq!(asked.script.executed(), allowed.script.executed());
    assert_eq!(allowed.script.executed(), ["kb/write", "kb/send", "kb/put"]);
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_never_comes_expires_by_itself() {
    let process = Process::start(asks()).await;
    process.replies([Reply::Calls(vec![("kb/write", json!({}))])]);
    let mut spec = process.spec("run-1");
    spec.limits.wait_ms = Some(60_000);
    let mut events = process.begin_with(spec).await;
    wait(&mut events).await;
    let EventKind::ActionEnded(ended) = until(&mut events, "action_ended").await else { panic!() };
    assert_eq!(ended.reason, "expired");
    assert_eq!(end(&mut events).await, EndStatus::Completed);
    assert!(process.script.executed().is_empty());
}

/// What a policy hook said is asked again under another policy; the message that was sent to the question wins.
#[tokio::test(start_paused = true)]
async fn a_message_withdraws_what_the_policy_hook_asked_for_under_every_policy() {
    for policy in [asks(), json!({ "another": true })] {
        let process = Process::start(asks()).await;
        let ruling = Some(Box::new(Ruling::new(Verdict::Ask, "write", "rules")));
        process.script.hooks.lock().unwrap().insert(Hook::Policy, HookAnswer::Proceed { ruling });
        process.replies([Reply::Calls(vec![("kb/write", json!({}))])]);
        let mut spec = process.spec("run-1");
        spec.hooks.policy = true;
        let mut events = process.begin_with(spec).await;
        let asked = wait(&mut events).await;
        process.known.set("helper", provost_runtime::testing::agent(policy));
        let message = Arc::new(Message::text("user", "no"));
        let message = Signal::Message { message, mode: MessageMode::Supersede, leaves_doubt: false };
        process.doors.post(&asked.wait.run, message, ada(), None).await.unwrap();
        let EventKind::WaitSettled(settled) = until(&mut events, "wait_settled").await else { panic!() };
        assert_eq!(settled.how, Settlement::Superseded);
        let EventKind::ActionEnded(ended) = until(&mut events, "action_ended").await else { panic!() };
        assert_eq!(ended.reason, "superseded");
        assert_eq!(end(&mut events).await, EndStatus::Completed);
        assert!(process.script.executed().is_empty());
    }
}

#[tokio::test(start_paused = true)]
async fn a_policy_that_forbids_since_then_beats_the_approval() {
    let process = Process::start(asks()).await;
    process.replies([Reply::Calls(vec![("kb/write", json!({}))])]);
    let mut events = process.begin("run-1").await;
    let asked = wait(&mut events).await;
    let forbids = json!({ "agent_config": { "action_policy": { "tools": { "kb/write": "forbidden" } } } });
    process.known.set("helper", provost_runtime::testing::agent(forbids));
    let yes = verdict(&asked, Decision::Approve { edit: None });
    process.doors.answer(&asked.wait, &yes, ada()).await.unwrap();
    let EventKind::ActionEnded(ended) = until(&mut events, "action_ended").await else { panic!() };
    assert_eq!(ended.reason, "denied");
    end(&mut events).await;
    assert!(process.script.executed().is_empty());
}

#[tokio::test(start_paused = true)]
async fn secrets_are_not_recorded_and_reach_the_tool_all_the_same() {
    let process = Process::start(json!({})).await;
    process.replies([Reply::Calls(vec![("kb/write", json!({ "password": "hunter2" }))])]);
    let mut events = process.begin("run-1").await;
    let EventKind::ActionEnded(ended) = until(&mut events, "action_ended").await else { panic!() };
    assert_eq!(
        process.script.given.lock().unwrap()[0]["password"],
        "hunter2",
        "the tool got it and gave it back"
    );
    assert_eq!(ended.result.shown()["result"]["password"], "[redacted]");
    end(&mut events).await;
    for record in process.store.journal("run-1".parse().unwrap(), provost_engine::Seq(0), 100).await.unwrap()
    {
        assert!(!format!("{record:?}").contains("hunter2"), "{record:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn what_was_under_way_when_a_process_died_is_in_doubt_and_has_three_answers() {
    for (answer, executed, reason) in [
        (Answer::Again { reason: String::new() }, 2, "ok"),
        (Answer::Leave { reason: "it is late".into() }, 1, "in_doubt"),
        (Answer::Happened { payload: Payload::inline("sent"), reason: "seen".into() }, 1, "attested"),
    ] {
        let process = Process::start(json!({})).await;
        *process.script.found.lock().unwrap() = gone();
        process.tool("kb/send", Does::Never);
        process.replies([Reply::Calls(vec![("kb/send", json!({}))])]);
        let mut events = process.begin("run-1").await;
        process.script.began.notified().await;
        // The worker is buried, as if its process had died: another one takes the run.
        let clock = provost_runtime::testing::clock();
        let other = Process::over(process.store.clone(), clock, "worker-2", json!({})).await;
        *other.script.found.lock().unwrap() = gone();
        process.store.bury("worker-1".parse().unwrap()).await.unwrap();
        let asked = wait(&mut events).await;
        assert!(matches!(asked.kind, WaitKind::InDoubt { .. }));
        other.doors.answer(&asked.wait, &answer, ada()).await.unwrap();
        let EventKind::ActionEnded(ended) = until(&mut events, "action_ended").await else { panic!() };
        assert_eq!(ended.reason, reason);
        end(&mut events).await;
        assert_eq!(process.script.executed().len() + other.script.executed().len(), executed);
    }
}

#[tokio::test(start_paused = true)]
async fn a_keyed_call_runs_again_under_the_same_key_and_a_read_too() {
    let process = Process::start(json!({})).await;
    let gate = Arc::new(Notify::new());
    process.tool("kb/put", Does::Waits(gate.clone()));
    process.replies([Reply::Calls(vec![("kb/put", json!({}))])]);
    let mut events = process.begin("run-1").await;
    process.script.began.notified().await;
    let clock = provost_runtime::testing::clock();
    let other = Process::over(process.store.clone(), clock, "worker-2", json!({})).await;
    *other.script.found.lock().unwrap() = gone();
    process.store.bury("worker-1".parse().unwrap()).await.unwrap();
    assert_eq!(end(&mut events).await, EndStatus::Completed);
    let (first, second) =
        (process.script.executed.lock().unwrap().clone(), other.script.executed.lock().unwrap().clone());
    assert_eq!(first, second, "the same tool under the same key");
    // The first worker wakes up: its outcome and its commits count for nothing.
    gate.notify_one();
    assert_eq!(process.status("run-1").await, "completed");
}

#[tokio::test(start_paused = true)]
async fn secret_arguments_of_a_waiting_call_outlive_their_process_sealed() {
    let process = Process::start(asks()).await;
    process.replies([Reply::Calls(vec![("kb/write", json!({ "password": "hunter2" }))])]);
    let mut events = process.begin("run-1").await;
    let asked = wait(&mut events).await;
    let run: provost_engine::RunId = "run-1".parse().unwrap();
    let sealed = process.store.sealed(run.clone(), asked.actions[0]).await.unwrap().expect("it is sealed");
    assert!(!String::from_utf8_lossy(&sealed).contains("hunter2"));
    // The process ends; another one, which never knew the arguments, goes on.
    process.dispatcher.drain().await;
    let clock = provost_runtime::testing::clock();
    let other = Process::over(process.store.clone(), clock, "worker-2", asks()).await;
    let yes = verdict(&asked, Decision::Approve { edit: None });
    other.doors.answer(&asked.wait, &yes, ada()).await.unwrap();
    let EventKind::ActionEnded(ended) = until(&mut events, "action_ended").await else { panic!() };
    assert_eq!(other.script.given.lock().unwrap()[0]["password"], "hunter2", "the tool got it");
    assert_eq!(ended.result.shown()["result"]["password"], "[redacted]");
    end(&mut events).await;
    assert_eq!(process.store.sealed(run, asked.actions[0]).await.unwrap(), None, "and the seal is gone");
}
