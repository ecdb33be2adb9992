//! Spans of runs, turns and calls, as a subscriber records them.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use provost::{Agent, Answer, RunStatus, Runtime, Script, Tool, ToolError};
use serde_json::json;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

use crate::scene::Text;

#[derive(Clone, Debug, Default)]
struct Seen {
    name: &'static str,
    parent: Option<u64>,
    fields: BTreeMap<String, String>,
    closed: bool,
}

/// Remembers every span.
#[derive(Clone, Default)]
struct Spans {
    next: Arc<AtomicU64>,
    seen: Arc<Mutex<BTreeMap<u64, Seen>>>,
    handles: Arc<Mutex<BTreeMap<u64, usize>>>,
}

impl Visit for Seen {
    fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
        let value = format!("{value:?}").trim_matches('"').to_owned();
        self.fields.insert(field.name().to_owned(), value);
    }
}

impl Subscriber for Spans {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.is_span() && metadata.target().starts_with("provost")
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        let id = self.next.fetch_add(1, Ordering::Relaxed) + 1;
        let parent = span.parent().map(Id::into_u64);
        let mut seen = Seen { name: span.metadata().name(), parent, ..Seen::default() };
        span.record(&mut seen);
        self.seen.lock().unwrap().insert(id, seen);
        self.handles.lock().unwrap().insert(id, 1);
        Id::from_u64(id)
    }

    fn record(&self, span: &Id, values: &Record<'_>) {
        values.record(self.seen.lock().unwrap().get_mut(&span.into_u64()).unwrap());
    }

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, _: &Event<'_>) {}

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}

    fn clone_span(&self, id: &Id) -> Id {
        *self.handles.lock().unwrap().get_mut(&id.into_u64()).unwrap() += 1;
        id.clone()
    }

    fn try_close(&self, id: Id) -> bool {
        let mut handles = self.handles.lock().unwrap();
        let left = handles.get_mut(&id.into_u64()).unwrap();
        *left -= 1;
        if *left == 0 {
            self.seen.lock().unwrap().get_mut(&id.into_u64()).unwrap().closed = true;
        }
        *left == 0
    }
}

const SECRET: &str = "swordfish";

fn runtime() -> Runtime {
    let look = Tool::new("kb/look", "Looks.", |text: Text| async move {
        if text.text == "fail" { Err(ToolError::new("it failed")) } else { Ok(text.text) }
    });
    let script = Script::new()
        .answer(
            Answer::say(SECRET)
                .call("kb/look", json!({ "text": SECRET }))
                .costing(json!({ "input_tokens": 9, "output_tokens": 2 })),
        )
        .call("kb/look", json!({ "text": "fail" }))
        .say("Done.");
    let agent = Agent::new("clerk").option("model", json!({ "model_id": "tiny-1" }));
    Runtime::builder().model(script).tool(look.reads()).agent(agent).build().unwrap()
}

#[tokio::test]
async fn a_run_its_turns_and_its_calls_are_spans() {
    let spans = Spans::default();
    let guard = tracing::subscriber::set_default(spans.clone());
    let runtime = runtime();
    let outcome = runtime.start(SECRET).await.unwrap().outcome().await.unwrap();
    runtime.drain().await;
    drop(guard);
    assert_eq!((outcome.status, outcome.text()), (RunStatus::Completed, "Done."));
    let seen = spans.seen.lock().unwrap().clone();
    let of = |name: &str| seen.iter().filter(|(_, span)| span.name == name).collect::<Vec<_>>();
    let (runs, turns, calls) = (of("invoke_agent"), of("chat"), of("execute_tool"));
    assert_eq!((runs.len(), turns.len(), calls.len()), (1, 3, 2));
    let (run, agent) = runs[0];
    let field = |span: &Seen, name: &str| span.fields.get(name).cloned().unwrap_or_default();
    assert_eq!(field(agent, "gen_ai.operation.name"), "invoke_agent");
    assert_eq!(field(agent, "gen_ai.agent.name"), "clerk");
    assert_eq!(field(agent, "provost.run.id"), outcome.run.as_str());
    assert!(turns.iter().chain(&calls).all(|(_, span)| span.parent == Some(*run)));
    let first = turns[0].1;
    let turn = [
        "gen_ai.operation.name",
        "gen_ai.request.model",
        "gen_ai.usage.input_tokens",
        "gen_ai.usage.output_tokens",
    ];
    assert_eq!(turn.map(|name| field(first, name)), ["chat", "tiny-1", "9", "2"]);
    let call = ["gen_ai.operation.name", "gen_ai.tool.name", "gen_ai.tool.call.id", "error.type"];
    assert_eq!(call.map(|name| field(calls[0].1, name)), ["execute_tool", "kb/look", "call-1-1", ""]);
    assert_eq!(field(calls[1].1, "error.type"), "executor_exception");
    assert!(seen.values().all(|span| span.closed), "{seen:?}");
    assert!(!format!("{seen:?}").contains(SECRET), "no span holds what was said");
}

#[tokio::test]
async fn without_a_subscriber_the_run_is_the_same() {
    let outcome = runtime().start("Go.").await.unwrap().outcome().await.unwrap();
    assert_eq!((outcome.status, outcome.text()), (RunStatus::Completed, "Done."));
}
