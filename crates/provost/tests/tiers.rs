//! Tools in two tiers, with a real adapter in front of a provider that accepts declared tools only.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex};

use provost::models::{ApiKind, ModelConfig};
use provost::{Agent, Decision, FnModel, Outcome, RunStatus, Runtime, SystemClock, Tool, ToolTiers};
use serde_json::{Value, json};

use crate::scene::{Ledger, Text};

/// A provider: it answers each request with the next entry, a tool call or a last word.
struct Provider {
    url: String,
    requests: Receiver<Value>,
}

impl Provider {
    fn new(answers: Vec<Value>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/v1", listener.local_addr().unwrap());
        let (sender, requests) = channel();
        std::thread::spawn(move || {
            for answer in answers {
                let (stream, _) = listener.accept().unwrap();
                let request = read(&stream);
                let (status, body) = reply(&request, &answer);
                sender.send(request).unwrap();
                write(&stream, status, &body.to_string());
            }
        });
        Self { url, requests }
    }

    /// Returns the names of the declared tools of each request.
    fn declared(&self) -> Vec<Vec<String>> {
        self.requests.try_iter().map(|request| names(&request)).collect()
    }
}

fn names(request: &Value) -> Vec<String> {
    let tools = request["tools"].as_array().unwrap();
    tools.iter().map(|tool| tool["function"]["name"].as_str().unwrap().to_owned()).collect()
}

/// A strict provider cannot produce a call of a tool that was not declared.
fn reply(request: &Value, answer: &Value) -> (u16, Value) {
    let called = answer["name"].as_str();
    if called.is_some_and(|called| !names(request).iter().any(|name| name == called)) {
        return (400, json!({ "error": { "message": format!("undeclared tool: {called:?}") } }));
    }
    let function = json!({ "name": answer["name"], "arguments": answer["arguments"].to_string() });
    let message = match called {
        Some(_) => json!({ "role": "assistant", "content": null,
            "tool_calls": [{ "id": format!("c{}", answer["id"]), "type": "function", "function": function }] }),
        None => json!({ "role": "assistant", "content": answer["say"] }),
    };
    let finish = if called.is_some() { "tool_calls" } else { "stop" };
    (200, json!({ "choices": [{ "message": message, "finish_reason": finish }] }))
}

fn read(stream: &TcpStream) -> Value {
    let mut reader = BufReader::new(stream);
    let mut length = 0;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).unwrap();
        if let Some(given) = line.to_lowercase().strip_prefix("content-length:") {
            length = given.trim().parse().unwrap();
        }
        if line.trim().is_empty() {
            break;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).unwrap();
    serde_json::from_slice(&body).unwrap()
}

fn write(mut stream: &TcpStream, status: u16, body: &str) {
    let length = body.len();
    let head = format!(
        "HTTP/1.1 {status} X\r\ncontent-type: application/json\r\nconnection: close\r\ncontent-length: {length}"
    );
    stream.write_all(format!("{head}\r\n\r\n{body}").as_bytes()).unwrap();
}

fn shows(id: u32, names: &[&str]) -> Value {
    json!({ "id": id, "name": "tools__show", "arguments": { "names": names } })
}

fn calls(id: u32, name: &str) -> Value {
    json!({ "id": id, "name": name, "arguments": { "text": "a" } })
}

fn runtime(provider: &Provider, database: &Path, ledger: &Ledger) -> Runtime {
    let tool = |name: &'static str| {
        let ledger = ledger.clone();
        Tool::new(name, "Works.", move |text: Text| {
            ledger.note(format!("{name} {}", text.text));
            async { Ok("done") }
        })
    };
    let config =
        ModelConfig { base_url: Some(provider.url.clone()), ..ModelConfig::new(ApiKind::OpenaiChat, "m") };
    Runtime::builder()
        .model(config.build_with(None, Arc::new(SystemClock)).unwrap())
        .sqlite(database)
        .tool(tool("note/find").reads())
        .tool(tool("note/read").reads())
        .tool(tool("note/write").asks())
        .agent(Agent::new("clerk").tiers(ToolTiers::at_most(1).favourites(["note/read"])))
        .build()
        .unwrap()
}

async fn start(runtime: &Runtime) -> Outcome {
    runtime.start("Go.").await.unwrap().outcome().await.unwrap()
}

#[tokio::test]
async fn a_model_asks_for_a_tool_and_calls_it() {
    let last = json!({ "say": "Done." });
    let provider = Provider::new(vec![shows(1, &["note/find", "a/typo"]), calls(2, "note__find"), last]);
    let (folder, ledger) = (tempfile::tempdir().unwrap(), Ledger::default());
    let outcome = start(&runtime(&provider, &folder.path().join("a.db"), &ledger)).await;
    assert_eq!((outcome.status, outcome.text()), (RunStatus::Completed, "Done."), "{}", outcome.result);
    assert_eq!(ledger.entries(), ["note/find a"]);
    let shown = ["note__read", "tools__show", "note__find"];
    assert_eq!(provider.declared(), [shown[..2].to_vec(), shown.to_vec(), shown.to_vec()]);
}

#[tokio::test]
async fn without_asking_a_strict_provider_refuses_the_call() {
    let provider = Provider::new(vec![calls(1, "note__find")]);
    let (folder, ledger) = (tempfile::tempdir().unwrap(), Ledger::default());
    let outcome = start(&runtime(&provider, &folder.path().join("a.db"), &ledger)).await;
    assert_eq!((outcome.status, ledger.entries().len()), (RunStatus::Failed, 0));
}

#[tokio::test]
async fn an_unknown_name_shows_nothing() {
    let provider = Provider::new(vec![shows(1, &["a/typo"]), json!({ "say": "None." })]);
    let (folder, ledger) = (tempfile::tempdir().unwrap(), Ledger::default());
    let outcome = start(&runtime(&provider, &folder.path().join("a.db"), &ledger)).await;
    assert_eq!(outcome.text(), "None.");
    let shown: Vec<String> = ["note__read", "tools__show"].map(str::to_owned).into();
    assert_eq!(provider.declared(), [shown.clone(), shown]);
    assert!(outcome.result.to_string().contains("There is no tool named a/typo."), "{}", outcome.result);
}

#[tokio::test]
async fn what_was_shown_holds_after_a_crash() {
    let (folder, ledger) = (tempfile::tempdir().unwrap(), Ledger::default());
    let database = folder.path().join("a.db");
    let first = Provider::new(vec![shows(1, &["note/write"]), calls(2, "note__write")]);
    let before = runtime(&first, &database, &ledger);
    assert_eq!(start(&before).await.status, RunStatus::Waiting);
    drop(before);
    // Another process knows only what the journal says.
    let second = Provider::new(vec![calls(3, "note__write"), json!({ "say": "Done." })]);
    let after = runtime(&second, &database, &ledger);
    for _ in 0..2 {
        let wait = after.pending().await.unwrap()[0].wait.to_string();
        after.decide(&wait, Decision::approve("grace")).await.unwrap().outcome().await.unwrap();
    }
    let shown: Vec<String> = ["note__read", "tools__show", "note__write"].map(str::to_owned).into();
    assert_eq!((second.declared(), ledger.entries().len()), (vec![shown.clone(), shown], 2));
}

#[tokio::test]
async fn a_tool_that_was_called_without_asking_is_shown_from_then_on() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let asked = seen.clone();
    let model = FnModel::new(move |turn: provost::Asked| {
        asked.lock().unwrap().push(turn.tools.clone());
        let answer = provost::Answer::say("");
        let answer = if turn.turn == 1 { answer.call("note/find", json!({ "text": "x" })) } else { answer };
        async move { Ok(answer) }
    });
    let find = Tool::new("note/find", "Finds.", |_: Text| async { Ok("found") }).reads();
    let read = Tool::new("note/read", "Reads.", |_: Text| async { Ok("read") }).reads();
    let agent = Agent::new("clerk").tiers(ToolTiers::at_most(1).favourites(["note/read"]));
    start(&Runtime::builder().model(model).tool(find).tool(read).agent(agent).build().unwrap()).await;
    let seen = seen.lock().unwrap();
    assert_eq!(*seen, [vec!["note/read", "tools/show"], vec!["note/read", "tools/show", "note/find"]]);
}

#[test]
fn the_name_of_the_built_in_tool_is_taken_only_with_tiers() {
    let build = |agent: Agent| {
        let own = Tool::new("tools/show", "Mine.", |_: Text| async { Ok(()) });
        Runtime::builder().model(provost::Script::new()).tool(own).agent(agent).build()
    };
    let refused = build(Agent::new("clerk").tiers(ToolTiers::at_most(1))).err().unwrap().to_string();
    assert!(refused.contains("`tools/show`"), "{refused}");
    assert!(build(Agent::new("clerk")).is_ok());
}
