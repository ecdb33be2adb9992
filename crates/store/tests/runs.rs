//! Runs of the dispatcher over a database file: two processes, and what a conversation costs on disk.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use provost_contract::Message;
use provost_engine::event::{Answer, Decision, EndStatus, EventKind, MessageMode};
use provost_engine::{Seq, SessionId};
use provost_runtime::store::{NewSession, Store};
use provost_runtime::system::SystemClock;
use provost_runtime::testing::{Process, Reply, ada, end, wait};
use provost_store::sqlite::{SqliteOptions, SqliteStore};
use serde_json::{Value, json};
use tokio::time::Instant;

fn open(path: &Path) -> Arc<dyn Store> {
    Arc::new(SqliteStore::open(path, &SqliteOptions::default()).unwrap())
}

async fn process(path: &Path, worker: &str, policy: Value) -> Process {
    Process::over(open(path), Arc::new(SystemClock), worker, policy).await
}

fn asks() -> Value {
    json!({ "agent_config": { "action_policy": { "tools": { "kb/write": "preview" } } } })
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_answer_of_another_process_reaches_a_run_in_a_moment() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("provost.db");
    let works = process(&path, "worker-1", asks()).await;
    let answers = open(&path);
    works.replies([Reply::Calls(vec![("kb/write", json!({}))])]);
    let mut events = works.begin("run-1").await;
    let asked = wait(&mut events).await;
    let verdicts = asked.actions.iter().map(|id| (*id, Decision::Approve { edit: None })).collect();
    let yes = Answer::Verdicts { verdicts, remember: None, binding: asked.binding, reason: String::new() };
    let given = Instant::now();
    let post = provost_engine::AnswerPost {
        wait: asked.wait.clone(),
        by: ada(),
        binding: Some(asked.binding),
        answer: serde_json::to_value(&yes).unwrap(),
        sealed: Vec::new(),
    };
    answers.answer(post).await.unwrap();
    loop {
        let event = events.next_event().await.unwrap();
        if matches!(event.event.kind, EventKind::ActionStarted(_)) {
            break;
        }
    }
    let took = given.elapsed();
    assert_eq!(end(&mut events).await, EndStatus::Completed);
    assert!(took < Duration::from_millis(300), "{took:?}");
}

async fn session(process: &Process, name: &str) -> SessionId {
    let session: SessionId = name.parse().unwrap();
    let new = NewSession {
        session: session.clone(),
        workspace: "w".into(),
        owner: "user:ada".into(),
        agent: "helper".into(),
        context: String::new(),
        title: None,
        metadata: Value::Null,
    };
    process.sessions.create(new).await.unwrap();
    session
}

async fn say(process: &Process, session: &SessionId, number: usize, text: &str) {
    let mut spec = process.spec(&format!("{session}-run-{number}"));
    spec.input.clear();
    let message = Message::text("user", text);
    let said = process.doors.say(session, message, MessageMode::Supersede, process.request(spec)).await;
    let mut events = process.hub.follow(said.unwrap().run(), Seq(0));
    assert_eq!(end(&mut events).await, EndStatus::Completed);
}

/// The bytes of the database with its log.
fn bytes(path: &Path) -> u64 {
    let length = |path: &Path| std::fs::metadata(path).map(|file| file.len()).unwrap_or_default();
    let checkpoint = rusqlite_checkpoint(path);
    assert!(checkpoint, "the log is copied into the file");
    length(path)
}

fn rusqlite_checkpoint(path: &Path) -> bool {
    #[expect(clippy::disallowed_methods, reason = "a test that looks at the file from outside")]
    let connection = rusqlite::Connection::open(path).unwrap();
    connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get::<_, i64>(0)).unwrap() == 0
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_conversation_costs_on_disk_what_was_said_in_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("provost.db");
    let process = process(&path, "worker-1", json!({})).await;
    let talk = session(&process, "talk").await;
    say(&process, &talk, 0, "hello").await;
    let empty = bytes(&path);
    let text = "x".repeat(2_000);
    for number in 1..=50 {
        say(&process, &talk, number, &text).await;
    }
    let fifty = bytes(&path) - empty;
    for number in 51..=100 {
        say(&process, &talk, number, &text).await;
    }
    let hundred = bytes(&path) - empty;
    assert!(hundred * 10 <= fifty * 22, "50 messages: {fifty} bytes, 100: {hundred}");

    let other = session(&process, "long").await;
    say(&process, &other, 0, &"y".repeat(400_000)).await;
    let long = bytes(&path);
    for number in 1..=10 {
        say(&process, &other, number, "and then?").await;
    }
    let more = bytes(&path) - long;
    assert!(more < 200_000, "ten short messages after one of 400 KB add {more} bytes");
}
