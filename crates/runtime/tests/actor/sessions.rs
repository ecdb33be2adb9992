//! Conversations over many runs.

use provost_contract::Message;
use provost_engine::event::{EndStatus, MessageMode};
use provost_engine::{Seq, SessionId, WhenBusy};
use provost_runtime::dispatch::SayOutcome;
use provost_runtime::store::NewSession;
use serde_json::{Value, json};

use provost_runtime::testing::{Process, Reply, end, until, wait};

async fn session(process: &Process) -> SessionId {
    let session: SessionId = "s-1".parse().unwrap();
    let new = NewSession {
        session: session.clone(),
        workspace: "w".into(),
        owner: "user:ada".into(),
        agent: "helper".into(),
        context: String::new(),
        title: None,
        metadata: Value::Null,
    };
    process.store.create_session(new).await.unwrap();
    session
}

async fn say(process: &Process, session: &SessionId, run: &str, text: &str) -> SayOutcome {
    let mut spec = process.spec(run);
    spec.input.clear();
    let message = Message::text("user", text);
    process.doors.say(session, message, MessageMode::Supersede, process.request(spec)).await.unwrap()
}

#[tokio::test(start_paused = true)]
async fn each_message_reads_what_was_said_before() {
    let process = Process::start(json!({})).await;
    let session = session(&process).await;
    process.replies([Reply::Text("one"), Reply::Text("two"), Reply::Text("three")]);
    for (run, text) in [("run-1", "a"), ("run-2", "b"), ("run-3", "c")] {
        let said = say(&process, &session, run, text).await;
        assert_eq!(said, SayOutcome::Began(run.parse().unwrap()));
        let mut events = process.hub.follow(said.run(), Seq(0));
        assert_eq!(end(&mut events).await, EndStatus::Completed);
    }
    assert_eq!(*process.script.shown.lock().unwrap(), [1, 3, 5]);
}

#[tokio::test(start_paused = true)]
async fn a_message_to_a_busy_session_joins_its_run_and_takes_the_place_of_open_questions() {
    let asks = json!({ "agent_config": { "action_policy": { "tools": { "kb/write": "preview" } } } });
    let process = Process::start(asks).await;
    let session = session(&process).await;
    process.replies([Reply::Calls(vec![("kb/write", json!({}))]), Reply::Text("as you like")]);
    let said = say(&process, &session, "run-1", "write").await;
    let mut events = process.hub.follow(said.run(), Seq(0));
    wait(&mut events).await;
    let joined = say(&process, &session, "run-2", "no, leave it").await;
    assert_eq!(joined, SayOutcome::Joined("run-1".parse().unwrap()));
    until(&mut events, "wait_settled").await;
    assert_eq!(end(&mut events).await, EndStatus::Completed);
    assert!(process.script.executed().is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_start_in_a_busy_session_is_refused_or_waits_its_turn() {
    let asks = json!({ "agent_config": { "action_policy": { "tools": { "kb/write": "preview" } } } });
    let process = Process::start(asks).await;
    let session = session(&process).await;
    process.replies([Reply::Calls(vec![("kb/write", json!({}))])]);
    let said = say(&process, &session, "run-1", "write").await;
    let mut events = process.hub.follow(said.run(), Seq(0));
    wait(&mut events).await;
    let mut second = process.request(process.spec("run-2"));
    second.session = Some((session.clone(), WhenBusy::Refuse));
    assert!(process.doors.accept(second.clone()).await.is_err());
    second.session = Some((session.clone(), WhenBusy::Enqueue));
    process.doors.accept(second).await.unwrap();
    assert_eq!(process.status("run-2").await, "queued");
    process.doors.cancel(said.run(), None, "", provost_runtime::testing::ada()).await.unwrap();
    assert_eq!(end(&mut events).await, EndStatus::Cancelled);
    let mut queued = process.hub.follow(&"run-2".parse().unwrap(), Seq(0));
    assert_eq!(end(&mut queued).await, EndStatus::Completed);
}

#[tokio::test(start_paused = true)]
async fn a_fork_goes_on_from_its_point_and_the_old_session_stays_as_it_is() {
    let process = Process::start(json!({})).await;
    let session = session(&process).await;
    process.replies([Reply::Text("one"), Reply::Text("two"), Reply::Text("another two")]);
    for (run, text) in [("run-1", "a"), ("run-2", "b")] {
        let said = say(&process, &session, run, text).await;
        end(&mut process.hub.follow(said.run(), Seq(0))).await;
    }
    let texts = |messages: &[std::sync::Arc<Message>]| -> Vec<String> {
        messages.iter().map(|message| message.content.as_text().unwrap().to_owned()).collect()
    };
    let whole = process.sessions.history(&session, None).await.unwrap();
    assert_eq!(texts(&whole), ["a", "one", "b", "two"]);
    // The point behind the first answer.
    let entries = process.sessions.entries(&session, 0, 100).await.unwrap();
    let point = entries.iter().filter(|entry| entry.kind == "model_responded").map(|entry| entry.no).next();
    let forked: SessionId = "s-2".parse().unwrap();
    let new = NewSession { session: forked.clone(), ..process.sessions.get(&session).await.unwrap().about };
    process.sessions.fork(&session, point.unwrap(), new).await.unwrap();
    assert_eq!(texts(&process.sessions.history(&forked, None).await.unwrap()), ["a", "one"]);
    let said = say(&process, &forked, "run-3", "c").await;
    end(&mut process.hub.follow(said.run(), Seq(0))).await;
    assert_eq!(
        texts(&process.sessions.history(&forked, None).await.unwrap()),
        ["a", "one", "c", "another two"]
    );
    assert_eq!(texts(&process.sessions.history(&session, None).await.unwrap()), ["a", "one", "b", "two"]);
}

#[tokio::test(start_paused = true)]
async fn what_no_run_said_can_be_imported_and_a_missing_session_is_not_contention() {
    let process = Process::start(json!({})).await;
    let session = session(&process).await;
    let imported = [Message::text("user", "earlier"), Message::text("assistant", "yes")];
    process.sessions.import(&session, &imported).await.unwrap();
    let said = say(&process, &session, "run-1", "now").await;
    end(&mut process.hub.follow(said.run(), Seq(0))).await;
    assert_eq!(*process.script.shown.lock().unwrap(), [3]);
    let missing: SessionId = "s-9".parse().unwrap();
    let error = process.sessions.history(&missing, None).await.unwrap_err();
    assert_eq!(error.to_string(), "session s-9 does not exist");
    let mut request = process.request(process.spec("run-2"));
    request.session = Some((missing, WhenBusy::Refuse));
    let error = process.doors.accept(request).await.unwrap_err();
    assert_eq!(error.to_string(), "session s-9 does not exist");
}
