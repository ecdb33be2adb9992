//! A runtime with a few tools that remember what they did.

use std::sync::{Arc, Mutex};

use provost::{Agent, JsonSchema, Outcome, Pending, RunStatus, Runtime, Script, Tool};
use serde_json::Value;
use tokio::sync::Notify;

#[derive(serde::Deserialize, JsonSchema)]
pub(crate) struct Text {
    pub(crate) text: String,
}

/// What the tools did, in order.
#[derive(Clone, Default)]
pub(crate) struct Ledger(Arc<Mutex<Vec<String>>>);

impl Ledger {
    pub(crate) fn note(&self, entry: impl Into<String>) {
        self.0.lock().unwrap().push(entry.into());
    }

    pub(crate) fn entries(&self) -> Vec<String> {
        self.0.lock().unwrap().clone()
    }
}

/// `note/write` changes the world and asks first; `note/put` changes it; `note/read` reads.
pub(crate) struct Scene {
    pub(crate) ledger: Ledger,
    pub(crate) runtime: Runtime,
}

impl Scene {
    pub(crate) fn new(model: Script) -> Self {
        Self::with(model, Agent::new("scribe"), Vec::new())
    }

    pub(crate) fn with(model: Script, agent: Agent, more: Vec<Tool>) -> Self {
        let ledger = Ledger::default();
        let noting = |verb: &'static str| {
            let ledger = ledger.clone();
            move |text: Text| {
                ledger.note(format!("{verb} {}", text.text));
                async move { Ok(format!("{verb} done")) }
            }
        };
        let mut builder = Runtime::builder()
            .model(model)
            .agent(agent)
            .tool(Tool::new("note/write", "Writes.", noting("write")).asks())
            .tool(Tool::new("note/put", "Puts.", noting("put")))
            .tool(Tool::new("note/read", "Reads.", noting("read")).reads());
        for tool in more {
            builder = builder.tool(tool);
        }
        Self { ledger, runtime: builder.build().unwrap() }
    }

    pub(crate) async fn run(&self) -> Outcome {
        self.runtime.start("Go.").await.unwrap().outcome().await.unwrap()
    }
}

/// A tool that tells when it began and then waits for leave to end.
pub(crate) struct Slow {
    pub(crate) began: Arc<Notify>,
    pub(crate) end: Arc<Notify>,
}

impl Slow {
    pub(crate) fn tool(name: &str, ledger: &Ledger) -> (Self, Tool) {
        let slow = Self { began: Arc::default(), end: Arc::default() };
        let (began, end, ledger) = (slow.began.clone(), slow.end.clone(), ledger.clone());
        let tool = Tool::new(name, "Takes its time.", move |text: Text| {
            let (began, end, ledger) = (began.clone(), end.clone(), ledger.clone());
            async move {
                let stopped = Stopped { ledger: ledger.clone(), armed: true };
                began.notify_one();
                end.notified().await;
                ledger.note(format!("slow {}", text.text));
                stopped.disarm();
                Ok("slow done")
            }
        });
        (slow, tool)
    }
}

/// Notes that a tool was stopped before its end.
struct Stopped {
    ledger: Ledger,
    armed: bool,
}

impl Stopped {
    fn disarm(mut self) {
        self.armed = false;
    }
}

impl Drop for Stopped {
    fn drop(&mut self) {
        if self.armed {
            self.ledger.note("stopped");
        }
    }
}

/// What each call of a run gave: its id, and its error or `ok`.
pub(crate) fn results(outcome: &Outcome) -> Vec<String> {
    let results = outcome.result["tool_execution_results"].as_array().cloned().unwrap_or_default();
    let shown = |entry: &Value| {
        let error = entry["result"]["error"].as_str().unwrap_or("ok").to_owned();
        format!("{} {error}", entry["tool_call_id"].as_str().unwrap_or_default())
    };
    results.iter().map(shown).collect()
}

/// What a run that rests waits for: the kind of each wait, and the call.
pub(crate) fn waits_for(outcome: &Outcome) -> Vec<String> {
    assert_eq!(outcome.status, RunStatus::Waiting, "{:?}", outcome.text());
    let shown = |pending: &Pending| format!("{} {}", pending.kind.as_str(), pending.label);
    outcome.waits.iter().map(shown).collect()
}

/// The transcript, one line a message.
pub(crate) fn transcript(outcome: &Outcome) -> Vec<String> {
    let messages = outcome.result["messages"].as_array().cloned().unwrap_or_default();
    let shown = |message: &Value| {
        let id = message["metadata"]["tool_call_id"].as_str().unwrap_or_default();
        let text = message["content"].as_str().unwrap_or_default();
        format!(
            "{} {} {id} {text}",
            message["role"].as_str().unwrap_or_default(),
            message["type"].as_str().unwrap_or_default()
        )
    };
    messages.iter().map(shown).collect()
}
