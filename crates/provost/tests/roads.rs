//! One road: the same call made natively, with the carrier tool, in a fenced block and by `execute` is decided in the
//! same way and comes to the same.

use std::time::Duration;

use provost::event::{AllowedBy, EventKind};
use provost::{
    ActionPolicy, Agent, Carrying, Decision, Event, Executed, Mode, ProtocolSettings, Request, RunHandle,
    Runtime, Script, Tool, ToolError,
};
use provost_engine::Record;
use serde_json::{Value, json};

use crate::scene::Text;

/// How a call reaches the runtime.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Road {
    Native,
    Carrier,
    Fenced,
    Execute,
}

const ROADS: [Road; 4] = [Road::Native, Road::Carrier, Road::Fenced, Road::Execute];

/// What the tools of a test do, and how a person answers where one is asked.
const CALLS: [(&str, &str, bool); 20] = [
    ("look/read", "a", true),
    ("look/read", "b", true),
    ("look/read", "s", true),
    ("put/free", "c", true),
    ("put/asked", "d", true),
    ("put/asked", "e", false),
    ("put/asked", "f", true),
    ("put/asked", "g", false),
    ("put/never", "h", true),
    ("put/never", "i", true),
    ("put/never", "j", false),
    ("put/never", "t", true),
    ("look/fails", "k", true),
    ("look/fails", "l", true),
    ("put/fails", "m", true),
    ("put/fails", "n", true),
    ("put/slow", "o", true),
    ("put/slow", "p", true),
    ("put/slow", "q", true),
    ("put/slow", "r", true),
];

fn runtime(model: Script, agent: Agent) -> Runtime {
    let fails = |_: Text| async { Err::<String, _>(ToolError::new("It is broken.")) };
    let slow = |_: Text| async {
        std::future::pending::<()>().await;
        Ok("never".to_owned())
    };
    let done = |text: Text| async move { Ok(format!("did {}", text.text)) };
    Runtime::builder()
        .model(model)
        .agent(agent.policy("put/never", ActionPolicy::Forbidden))
        .tool(Tool::new("look/read", "Reads.", done).reads())
        .tool(Tool::new("look/fails", "Reads, in vain.", fails).reads())
        .tool(Tool::new("put/free", "Writes.", done))
        .tool(Tool::new("put/asked", "Writes, when asked.", done).asks())
        .tool(Tool::new("put/never", "Writes.", done))
        .tool(Tool::new("put/fails", "Writes, in vain.", fails))
        .tool(Tool::new("put/slow", "Sends, and never hears back.", slow).timeout(Duration::from_millis(20)))
        .build()
        .unwrap()
}

fn flat(tool: &str, text: &str) -> Value {
    json!({ "kind": "act", "calls": [{ "id": "it", "type": "tool", "name": tool, "args": { "text": text } }] })
}

fn fenced(tool: &str, text: &str) -> String {
    let action = json!({ "type": "action", "id": "it", "executor": { "type": "tool", "target": tool }, "input": { "text": text } });
    let envelope = json!({ "type": "agent.protocol", "version": "1", "intent": "execute",
        "payload": { "type": "action_graph", "actions": [action] } });
    format!("I act.\n\n```json agent-protocol\n{envelope}\n```\n")
}

async fn begin(road: Road, tool: &str, text: &str) -> (Runtime, RunHandle) {
    let agent = Agent::new("walker");
    let declares = |carrier| {
        let settings = ProtocolSettings { carrier, ..ProtocolSettings::default() };
        Agent::new("walker").speaks(Mode::Protocol).protocol(settings)
    };
    let (script, agent) = match road {
        Road::Native => (Script::new().call(tool, json!({ "text": text })).say("Done."), agent),
        Road::Carrier => {
            let script = Script::new().call("AgentProtocolOutput", flat(tool, text));
            (script.say("Done."), declares(Carrying::ToolCall))
        }
        Road::Fenced => {
            (Script::new().say(&fenced(tool, text)).say("Done."), declares(Carrying::FencedBlock))
        }
        Road::Execute => (Script::new(), agent),
    };
    let runtime = runtime(script, agent);
    let run = match road {
        Road::Execute => {
            match runtime.execute(&flat(tool, text).to_string(), Request::default()).await.unwrap() {
                Executed::Began(run) => run,
                Executed::Applied(_) | Executed::Cancels(_) | Executed::Planned(_) => {
                    panic!("a run of its own")
                }
            }
        }
        Road::Native | Road::Carrier | Road::Fenced => runtime.start("Go.").await.unwrap(),
    };
    (runtime, run)
}

/// What was decided about the call, by whom, and what came of it: the same facts on every road.
async fn walked(road: Road, tool: &str, text: &str, yes: bool) -> Vec<Value> {
    let (runtime, run) = begin(road, tool, text).await;
    let mut outcome = run.outcome().await.unwrap();
    if outcome.is_waiting() {
        let pending = runtime.waits(run.run()).await.unwrap().remove(0);
        let decision = if yes { Decision::approve("user:ada") } else { Decision::reject("user:ada", "no") };
        outcome = runtime.decide(pending.wait, decision).await.unwrap().outcome().await.unwrap();
    }
    assert!(!outcome.is_waiting(), "{road:?} {tool}");
    let records: Vec<Record> =
        runtime.store().journal(run.run().clone(), provost::Seq(0), 1_000).await.unwrap();
    let events = records.iter().map(|record| Event::from_record(record).unwrap());
    events.filter_map(|event| fact(&event)).collect()
}

fn fact(event: &Event) -> Option<Value> {
    Some(match &event.kind {
        EventKind::WaitOpened(opened) => json!({
            "asks": opened.kind.as_str(),
            "ruling": opened.ask.shown().pointer("/actions/0/ruling"),
            "args": opened.ask.shown().pointer("/actions/0/args"),
        }),
        EventKind::WaitSettled(settled) => json!({ "settled": settled.how, "by": settled.by.id }),
        EventKind::ActionStarted(started) => json!({
            "started": started.attempt,
            "ruling": started.ruling,
            "args": started.args,
            "allowed": matches!(started.allowed_by, AllowedBy::Rule),
        }),
        EventKind::ActionEnded(ended) => json!({
            "status": ended.status,
            "reason": ended.reason,
            "by": ended.by,
            "effect": ended.effect,
            "satisfying": ended.satisfying,
            "result": ended.result,
        }),
        _ => return None,
    })
}

#[tokio::test]
async fn the_same_call_is_the_same_on_every_road() {
    for (tool, text, yes) in CALLS {
        let native = walked(Road::Native, tool, text, yes).await;
        assert!(native.iter().any(|fact| fact.get("status").is_some()), "{tool}");
        for road in ROADS {
            assert_eq!(walked(road, tool, text, yes).await, native, "{road:?} {tool} {text}");
        }
    }
}

/// The calls of the test are what it says: each kind at least four times.
#[tokio::test]
async fn every_kind_of_end_is_walked() {
    let mut ends: Vec<String> = Vec::new();
    for (tool, text, yes) in CALLS {
        let facts = walked(Road::Native, tool, text, yes).await;
        let asked = facts.iter().any(|fact| fact.get("asks").is_some());
        let end = facts.iter().find_map(|fact| fact.get("reason")).unwrap().as_str().unwrap().to_owned();
        ends.push(if asked { "asked".to_owned() } else { end });
    }
    for kind in ["ok", "asked", "denied", "failed", "in_doubt"] {
        let count = ends.iter().filter(|end| *end == kind).count();
        assert!(count >= 4, "{kind}: {count} of {ends:?}");
    }
}
