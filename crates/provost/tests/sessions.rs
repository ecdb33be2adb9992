//! Conversations over many runs: what was said before, titles, forks, and a word in between.

use std::sync::Arc;

use provost::port::{Boxed, Model, ModelError, TurnAnswer, TurnRequest};
use provost::{
    DecideError, Decision, Request, RunStatus, Runtime, SayError, Session, SessionOptions, StartError, Tool,
};
use provost_contract::Message;
use serde_json::{Value, json};

use crate::scene::{Ledger, Text, results, waits_for};

/// Says what it read of the user and of itself. Asked to write, it calls a tool first.
struct Reader;

impl Model for Reader {
    fn turn<'a>(&'a self, request: TurnRequest<'a>) -> Boxed<'a, Result<TurnAnswer, ModelError>> {
        let texts: Vec<String> = request.messages.messages().filter_map(|message| said(message)).collect();
        let writes = request.turn == 1 && texts.last().is_some_and(|text| text == "Write.");
        let calls = match writes {
            true => json!([{ "id": "c1", "name": "note/write", "parameters": { "text": "a" } }]),
            false => json!([]),
        };
        let content = if writes { String::new() } else { format!("[{}]", texts.join(" ")) };
        Box::pin(async move { TurnAnswer::from_adapter(&json!({ "content": content, "tool_calls": calls })) })
    }
}

/// The text of a message that is no call and no result.
fn said(message: &Message) -> Option<String> {
    let value = message.to_value();
    (value["type"] == "text").then(|| value["content"].as_str().unwrap_or_default().to_owned())
}

fn office() -> (Runtime, Ledger) {
    let ledger = Ledger::default();
    let noted = ledger.clone();
    let write = Tool::new("note/write", "Writes.", move |text: Text| {
        noted.note(text.text);
        async { Ok(()) }
    });
    let model: Arc<dyn Model> = Arc::new(Reader);
    (Runtime::builder().model(model).tool(write.asks()).build().unwrap(), ledger)
}

async fn session(runtime: &Runtime) -> Session {
    let options = SessionOptions {
        title: Some("Tea".to_owned()),
        workspace: "site:1".to_owned(),
        ..Default::default()
    };
    runtime.create_session(options).await.unwrap()
}

async fn say(session: &Session, text: &str) -> String {
    let outcome = session.say(text).await.unwrap().outcome().await.unwrap();
    assert_eq!(outcome.status, RunStatus::Completed);
    outcome.text().to_owned()
}

async fn texts(session: &Session, upto: Option<u64>) -> Vec<String> {
    let history = session.history(upto).await.unwrap();
    history.iter().filter_map(|message| said(message)).collect()
}

#[tokio::test]
async fn the_model_reads_what_was_said_before_and_in_another_session_nothing() {
    let (runtime, _) = office();
    let tea = session(&runtime).await;
    assert_eq!(say(&tea, "One.").await, "[One.]");
    assert_eq!(say(&tea, "Two.").await, "[One. [One.] Two.]");
    assert_eq!(texts(&tea, None).await, ["One.", "[One.]", "Two.", "[One. [One.] Two.]"]);
    let other = session(&runtime).await;
    assert_eq!(say(&other, "Three.").await, "[Three.]");
    // A run that is started in a session goes on from there too.
    let started = runtime.start(Request::new("Four.").session(other.id().as_str())).await.unwrap();
    assert_eq!(started.outcome().await.unwrap().text(), "[Three. [Three.] Four.]");
}

#[tokio::test]
async fn a_session_has_a_title_that_can_be_changed_and_one_id() {
    let (runtime, _) = office();
    let tea = session(&runtime).await;
    assert_eq!(tea.row().await.unwrap().about.title.as_deref(), Some("Tea"));
    tea.rename(Some("Coffee".to_owned())).await.unwrap();
    let again = runtime.session(tea.id().as_str()).await.unwrap();
    assert_eq!(again.row().await.unwrap().about.title.as_deref(), Some("Coffee"));
    let listed = runtime.sessions(Default::default(), None, 10).await.unwrap().items;
    assert_eq!(listed.len(), 1);
    let same = SessionOptions { id: Some(tea.id().to_string()), ..SessionOptions::default() };
    assert!(matches!(runtime.create_session(same).await.err(), Some(SayError::Session(_))));
    assert!(matches!(runtime.session("ses-none").await.err(), Some(SayError::Session(_))));
    let nowhere = runtime.start(Request::new("Go.").session("ses-none")).await.err();
    assert!(matches!(nowhere, Some(StartError::NoSession(_))), "{nowhere:?}");
}

#[tokio::test]
async fn a_fork_goes_on_from_an_entry_and_the_original_stays_as_it_is() {
    let (runtime, _) = office();
    let tea = session(&runtime).await;
    say(&tea, "One.").await;
    let head = tea.row().await.unwrap().head;
    say(&tea, "Two.").await;
    let fork = tea.fork(head).await.unwrap();
    assert_eq!(texts(&fork, None).await, ["One.", "[One.]"]);
    assert_eq!(texts(&tea, Some(head)).await, ["One.", "[One.]"]);
    assert_eq!(say(&fork, "Else.").await, "[One. [One.] Else.]");
    assert_eq!(texts(&tea, None).await.len(), 4, "the original does not hear of it");
    assert!(tea.fork(99).await.is_err(), "there is no such entry");
}

#[tokio::test]
async fn a_message_to_a_session_whose_run_waits_takes_the_question_back() {
    let (runtime, ledger) = office();
    let tea = session(&runtime).await;
    let waiting = tea.say("Write.").await.unwrap().outcome().await.unwrap();
    assert_eq!(waits_for(&waiting), ["approval c1"]);
    let wait = waiting.waits[0].wait.to_string();
    let busy = runtime.start(Request::new("Go.").session(tea.id().as_str())).await.err();
    assert!(matches!(busy, Some(StartError::SessionBusy { active }) if active == waiting.run));

    let spoken = tea.say("Leave it.").await.unwrap();
    assert_eq!(*spoken.run(), waiting.run, "the run that is there has it");
    let done = spoken.outcome().await.unwrap();
    assert_eq!((done.status, done.text()), (RunStatus::Completed, "[Write. Leave it.]"));
    assert_eq!(results(&done), ["c1 Not run: the user sent a new message while this waited for an answer."]);
    let late = runtime.decide(&wait, Decision::approve("grace")).await.err();
    assert!(matches!(&late, Some(DecideError::Late { how, .. }) if how == "superseded"), "{late:?}");
    assert!(ledger.entries().is_empty());
    assert_eq!(texts(&tea, None).await, ["Write.", "Leave it.", "[Write. Leave it.]"]);

    // Beside it: the answer instead of a message lets the call run.
    let other = session(&runtime).await;
    let waiting = other.say("Write.").await.unwrap().outcome().await.unwrap();
    let wait = waiting.waits[0].wait.to_string();
    let done = runtime.decide(&wait, Decision::approve("grace")).await.unwrap().outcome().await.unwrap();
    assert_eq!((done.status, ledger.entries()), (RunStatus::Completed, vec!["a".to_owned()]));
}

/// The same key with the same words is the same message, also when its run is over.
#[tokio::test]
async fn a_message_with_a_key_is_said_once() {
    let (runtime, _) = office();
    let tea = session(&runtime).await;
    let keyed = || Request::new("One.").key("message-1");
    let first = tea.say(keyed()).await.unwrap();
    first.outcome().await.unwrap();
    let again = tea.say(keyed()).await.unwrap();
    assert_eq!(again.run(), first.run());
    assert_eq!(texts(&tea, None).await, ["One.", "[One.]"]);
    let other = tea.say(Request::new("One.").key("message-2")).await.unwrap();
    assert_ne!(other.run(), first.run());
}

#[tokio::test]
async fn metadata_of_a_session_is_the_callers() {
    let (runtime, _) = office();
    let metadata: Value = json!({ "colour": "green" });
    let options =
        SessionOptions { metadata: metadata.clone(), owner: "user:ada".to_owned(), ..Default::default() };
    let session = runtime.create_session(options).await.unwrap();
    let row = session.row().await.unwrap();
    assert_eq!((row.about.metadata, row.about.owner.as_str()), (metadata, "user:ada"));
}
