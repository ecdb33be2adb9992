//! Runs whose model declares its work.

use provost::{
    Agent, Answer, Asked, Carrying, Decision, FnModel, Mode, ProtocolSettings, Request, RunStatus, Runtime,
    Script, Tool,
};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};

use crate::scene::{Ledger, Text};

const CARRIER: &str = "AgentProtocolOutput";

/// A model that answers in order, and the texts that it was asked.
fn model(answers: Vec<Answer>) -> (FnModel, Arc<Mutex<Vec<String>>>) {
    let (left, asked) = (Arc::new(Mutex::new(answers.into_iter())), Arc::new(Mutex::new(Vec::new())));
    let seen = asked.clone();
    let model = FnModel::new(move |of: Asked| {
        seen.lock().unwrap().push(of.last_text().to_owned());
        let answer = left.lock().unwrap().next().unwrap_or_else(|| Answer::say("Nothing more."));
        async move { Ok(answer) }
    });
    (model, asked)
}

fn act(calls: Value) -> Answer {
    Answer::default().call(CARRIER, json!({ "kind": "act", "message": "I act.", "calls": calls }))
}

fn answer(text: &str) -> Answer {
    Answer::default().call(CARRIER, json!({ "kind": "answer", "message": text }))
}

fn runtime(model: FnModel, agent: Agent) -> (Runtime, Ledger) {
    let ledger = Ledger::default();
    let notes = ledger.clone();
    let put = move |text: Text| {
        notes.note(text.text.clone());
        async move { Ok(json!({ "put": text.text })) }
    };
    let long = |_: Text| async { Ok("a line of a long text\n".repeat(2_000)) };
    let runtime = Runtime::builder()
        .model(model)
        .agent(agent)
        .tool(
            Tool::new("note/get", "Reads.", |text: Text| async move { Ok(json!({ "got": text.text })) })
                .reads(),
        )
        .tool(Tool::new("note/long", "Reads much.", long).reads())
        .tool(Tool::new("note/put", "Writes.", put).asks())
        .build()
        .unwrap();
    (runtime, ledger)
}

fn planner() -> Agent {
    Agent::new("planner").speaks(Mode::Protocol)
}

#[tokio::test]
async fn a_declared_graph_runs_and_the_model_reads_its_observations() {
    let (model, asked) = model(vec![
        act(json!([
            { "id": "a", "type": "tool", "name": "note/get", "args": { "text": "x" } },
            { "id": "b", "type": "tool", "name": "note/get", "args": { "text": { "$ref": "action:a.output#/got" } }, "depends": "a", "result": "full" },
        ])),
        answer("All done."),
    ]);
    let (runtime, _) = runtime(model, planner());
    let outcome = runtime.start("Look.").await.unwrap().outcome().await.unwrap();
    assert_eq!((outcome.status, outcome.text()), (RunStatus::Completed, "All done."));
    let asked = asked.lock().unwrap();
    assert!(
        asked[0].contains("## User request\n\nLook.") && asked[0].ends_with("for this request.\n"),
        "{}",
        asked[0]
    );
    for part in [
        "Purpose: I act.",
        "### Call b\n\nTool: `note/get`\nDepends: `a`",
        "### Result for b",
        "\"got\": \"x\"",
    ] {
        assert!(asked[1].contains(part), "{part}: {}", asked[1]);
    }
    assert!(
        asked[1].starts_with(asked[0].split("Based on all turns").next().unwrap()),
        "the page only grows"
    );
}

#[tokio::test]
async fn a_refused_declaration_is_corrected_once() {
    let wrong = || act(json!([{ "id": "a", "type": "tool", "name": "note/gte", "args": { "text": "x" } }]));
    let (good, asked) = model(vec![wrong(), answer("Better.")]);
    let (runtime_, ledger) = runtime(good, planner());
    let outcome = runtime_.start("Go.").await.unwrap().outcome().await.unwrap();
    assert_eq!((outcome.status, outcome.text()), (RunStatus::Completed, "Better."));
    let told = asked.lock().unwrap()[1].clone();
    assert!(
        told.contains("## Refused assistant output") && told.contains("did you mean note/get?"),
        "{told}"
    );
    let (bad, _) = model(vec![wrong(), wrong(), answer("Too late.")]);
    let (runtime_, _) = runtime(bad, planner());
    let run = runtime_.start("Go.").await.unwrap();
    assert_eq!(run.outcome().await.unwrap().status, RunStatus::Failed);
    let record = runtime_.protocol_result(run.run()).await.unwrap();
    assert_eq!(record["errors"][0]["code"], "protocol_error");
    assert!(ledger.entries().is_empty());
}

#[tokio::test]
async fn an_approval_inside_a_graph_parks_the_run_and_the_rest_goes_on() {
    let (model, _) = model(vec![
        act(json!([
            { "id": "w", "type": "tool", "name": "note/put", "args": { "text": "written" } },
            { "id": "r", "type": "tool", "name": "note/get", "args": { "text": "read" } },
            { "id": "after", "type": "tool", "name": "note/get", "args": { "text": "x" }, "depends": "w" },
        ])),
        answer("Done."),
    ]);
    let (runtime, ledger) = runtime(model, planner());
    let run = runtime.start("Go.").await.unwrap();
    assert_eq!(run.outcome().await.unwrap().status, RunStatus::Waiting);
    let record = runtime.protocol_result(run.run()).await.unwrap();
    let status = |at: usize| record["actions"][at]["status"].as_str().unwrap().to_owned();
    assert_eq!((status(0), status(1), status(2)), ("waiting".into(), "completed".into(), "pending".into()));
    let wait = runtime.pending().await.unwrap().remove(0).wait;
    let outcome = runtime.decide(wait, Decision::approve("user:ada")).await.unwrap().outcome().await.unwrap();
    assert_eq!((outcome.text(), ledger.entries()), ("Done.", vec!["written".to_owned()]));
}

#[tokio::test]
async fn text_of_a_plain_agent_is_only_text_and_a_protocol_agent_may_answer_plainly() {
    let block = "```json agent-protocol\n{\"type\":\"agent.protocol\",\"version\":\"1\",\"intent\":\"execute\",\"payload\":{\"type\":\"action_graph\",\"actions\":[{\"type\":\"action\",\"id\":\"a\",\"executor\":{\"type\":\"tool\",\"target\":\"note/put\"},\"input\":{\"text\":\"x\"}}]}}\n```";
    let (plain, _) = model(vec![Answer::say(block)]);
    let (runtime_, ledger) = runtime(plain, Agent::new("plain"));
    let outcome = runtime_.start("Go.").await.unwrap().outcome().await.unwrap();
    assert_eq!((outcome.status, outcome.text()), (RunStatus::Completed, block));
    assert!(ledger.entries().is_empty());
    let settings = ProtocolSettings { carrier: Carrying::FencedBlock, ..ProtocolSettings::default() };
    let (declares, _) = model(vec![Answer::say(block), Answer::say("It waits no more.")]);
    let (runtime_, _) = runtime(declares, planner().protocol(settings));
    assert_eq!(runtime_.start("Go.").await.unwrap().outcome().await.unwrap().status, RunStatus::Waiting);
    let (answers, _) = model(vec![Answer::say("Just words.")]);
    let (runtime_, _) = runtime(answers, planner());
    let outcome = runtime_.start("Go.").await.unwrap().outcome().await.unwrap();
    assert_eq!((outcome.status, outcome.text()), (RunStatus::Completed, "Just words."));
}

#[tokio::test]
async fn a_request_may_speak_otherwise_than_its_agent() {
    let script = Script::new().call(CARRIER, json!({ "kind": "answer", "message": "Declared." }));
    let runtime = Runtime::builder().model(script).agent(Agent::new("plain")).build().unwrap();
    let outcome =
        runtime.start(Request::new("Go.").speaks(Mode::Protocol)).await.unwrap().outcome().await.unwrap();
    assert_eq!(outcome.text(), "Declared.");
}

#[tokio::test]
async fn long_results_are_cut_to_tokens_and_can_be_expanded() {
    let (model, asked) = model(vec![
        act(
            json!([{ "id": "long", "type": "tool", "name": "note/long", "args": { "text": "x" }, "result": "full" }]),
        ),
        answer("Read."),
    ]);
    let settings = ProtocolSettings { result_tokens: Some(50), ..ProtocolSettings::default() };
    let (runtime, _) = runtime(model, planner().protocol(settings));
    runtime.start("Go.").await.unwrap().outcome().await.unwrap();
    let page = asked.lock().unwrap()[1].clone();
    assert!(page.contains("Truncated: ") && page.contains("artifact://") && page.len() < 2_000, "{page}");
}

#[tokio::test]
async fn a_long_session_stays_within_its_tokens() {
    let mut answers: Vec<Answer> = (0..40)
        .map(|n| {
            let text = format!("{n} ").repeat(60);
            act(json!([{ "id": format!("a{n}"), "type": "tool", "name": "note/get", "args": { "text": text }, "result": "full" }]))
        })
        .collect();
    answers.push(answer("Done."));
    let (model, asked) = model(answers);
    let settings = ProtocolSettings { history_tokens: Some(1_500), ..ProtocolSettings::default() };
    let (runtime, _) = runtime(model, planner().protocol(settings).max_turns(60));
    let outcome = runtime.start("Go on.").await.unwrap().outcome().await.unwrap();
    assert_eq!(outcome.text(), "Done.");
    let asked = asked.lock().unwrap();
    let longest = asked.iter().map(String::len).max().unwrap();
    assert!(longest < 8_000, "{longest}");
    let last = asked.last().unwrap();
    assert!(
        last.contains("Go on.") && last.contains("a39") && last.contains("earlier turns are left out"),
        "{last}"
    );
}
