//! One scenario, and the words it is written in.

use std::collections::BTreeMap;
use std::sync::Arc;

use provost_contract::json::{Object, into_object};
use provost_runtime::port::{ExecutorError, Signal};
use serde_json::{Value, json};

use super::tools::declarations;

/// How a person answers a question.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Answer {
    Accept,
    /// Yes, and for the rest of the run.
    Remember,
    /// Yes, and in later runs.
    RememberAlways,
    Reject,
    /// It happened before the process died, and gave this.
    Witness(Value),
    /// Yes, with other arguments.
    Edit(Value),
    /// Nothing, until it is too late.
    Expire,
    /// Once everything else is decided and the run has gone on.
    Later(Box<Answer>),
    /// Not at all; something else is said or asked for meanwhile.
    Ignore,
}

/// How a client answers a request.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum ClientAnswer {
    Result(Value),
    Timeout,
    /// Not at all; something else is said or asked for meanwhile.
    Ignore,
}

/// When a letter is posted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum When<'a> {
    /// Before the run begins.
    First,
    /// When the run is parked for the first time.
    Parked,
    /// While this call is carried out.
    During(&'a str),
}

/// Something for the run from outside.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Letter {
    pub(crate) when: When<'static>,
    pub(crate) signal: Signal,
}

/// Whether the executor can say what became of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Recall {
    /// By its key.
    Remembers,
    /// It cannot; people are asked, who look.
    Forgets,
}

/// How much of an undisturbed run a recovered one must repeat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exactness {
    /// Every view.
    Everything,
    /// The end, and no effect that an undisturbed run does not have: what comes from outside while the run
    /// works may find it a step earlier.
    End,
}

/// A hook: what it says about something, by its turn and call.
pub(crate) type Hook = Arc<dyn Fn(u64, &str) -> Value + Send + Sync>;

/// Who has a say along the way.
#[derive(Clone, Default)]
pub(crate) struct Hooks {
    pub(crate) policy: Option<Hook>,
    pub(crate) mediator: Option<Hook>,
    pub(crate) completion: Option<Hook>,
    pub(crate) diagnostics: Option<Hook>,
    pub(crate) interrupts: Option<Hook>,
    pub(crate) continuation: Option<Hook>,
    pub(crate) summariser: Option<Hook>,
}

/// One scenario.
#[derive(Clone)]
pub(crate) struct Scenario {
    pub(crate) name: String,
    pub(crate) messages: Vec<Value>,
    pub(crate) options: Object,
    /// What the model says, turn by turn.
    pub(crate) turns: Vec<Value>,
    /// What tools reply, by the call or else by the tool; others succeed.
    replies: BTreeMap<&'static str, Result<Value, ExecutorError>>,
    /// Calls whose tool never replies.
    hangs: Vec<&'static str>,
    /// What people answer about the calls of a tool.
    pub(crate) answers: BTreeMap<&'static str, Answer>,
    pub(crate) client_answers: BTreeMap<&'static str, ClientAnswer>,
    pub(crate) letters: Vec<Letter>,
    /// Tools about whose calls people said in an earlier run that nobody needs to ask.
    pub(crate) remembered: Vec<&'static str>,
    pub(crate) hooks: Hooks,
    pub(crate) recall: Recall,
    pub(crate) exactness: Exactness,
    /// The word of the state it ends in.
    pub(crate) ends: &'static str,
}

impl Scenario {
    pub(super) fn new(name: impl Into<String>, turns: impl IntoIterator<Item = Value>) -> Self {
        let options = json!({ "max_turns": 12, "tool_declarations": declarations() });
        Self {
            name: name.into(),
            messages: vec![json!({ "role": "user", "content": "How is the garden?" })],
            options: into_object(options),
            turns: turns.into_iter().collect(),
            replies: BTreeMap::new(),
            hangs: Vec::new(),
            answers: BTreeMap::new(),
            client_answers: BTreeMap::new(),
            letters: Vec::new(),
            remembered: Vec::new(),
            hooks: Hooks::default(),
            recall: Recall::Remembers,
            exactness: Exactness::Everything,
            ends: "completed",
        }
    }

    pub(super) fn ends(self, ends: &'static str) -> Self {
        Self { ends, ..self }
    }

    pub(super) fn recall(self, recall: Recall) -> Self {
        Self { recall, ..self }
    }

    pub(super) fn exactness(self, exactness: Exactness) -> Self {
        Self { exactness, ..self }
    }

    pub(super) fn hooks(self, hooks: Hooks) -> Self {
        Self { hooks, ..self }
    }

    pub(super) fn messages(self, messages: impl IntoIterator<Item = Value>) -> Self {
        Self { messages: messages.into_iter().collect(), ..self }
    }

    /// Adds to the options of the run; null takes one away.
    pub(super) fn options(mut self, more: Value) -> Self {
        self.options.extend(into_object(more));
        self.options.retain(|_, value| !value.is_null());
        self
    }

    pub(super) fn replies(mut self, to: &'static str, reply: Value) -> Self {
        self.replies.insert(to, Ok(reply));
        self
    }

    pub(super) fn throws(mut self, at: &'static str, error: &str) -> Self {
        self.replies.insert(at, Err(ExecutorError::Failed(error.to_owned())));
        self
    }

    pub(super) fn hangs(mut self, at: &'static str) -> Self {
        self.hangs.push(at);
        self
    }

    pub(super) fn answers(mut self, tool: &'static str, answer: Answer) -> Self {
        self.answers.insert(tool, answer);
        self
    }

    pub(super) fn remembered(mut self, tool: &'static str) -> Self {
        self.remembered.push(tool);
        self
    }

    pub(super) fn client_answers(mut self, tool: &'static str, answer: ClientAnswer) -> Self {
        self.client_answers.insert(tool, answer);
        self
    }

    pub(super) fn letter(mut self, when: When<'static>, signal: Signal) -> Self {
        self.letters.push(Letter { when, signal });
        self
    }

    /// Whether a call is never replied to.
    pub(crate) fn hangs_at(&self, call_id: &str) -> bool {
        self.hangs.contains(&call_id)
    }

    /// What a tool replies to a call.
    pub(crate) fn reply(&self, tool: &str, call_id: &str) -> Result<Value, ExecutorError> {
        let scripted = self.replies.get(call_id).or_else(|| self.replies.get(tool));
        scripted.cloned().unwrap_or_else(|| Ok(succeeded(json!({ "tool": tool, "call": call_id }))))
    }
}

/// A turn that calls tools: id, tool, bed.
pub(super) fn calls<const N: usize>(calls: [(&str, &str, i64); N]) -> Value {
    let calls: Vec<Value> = calls
        .into_iter()
        .map(|(id, name, bed)| json!({ "id": id, "name": name, "parameters": { "bed": bed } }))
        .collect();
    json!({ "content": "Let me see.", "tool_calls": calls, "usage": { "prompt_tokens": 7, "total_tokens": 9 } })
}

/// A turn that says something and is done.
pub(super) fn says(content: &str) -> Value {
    json!({ "content": content, "tool_calls": [], "usage": { "completion_tokens": 3, "total_tokens": 3 } })
}

/// What a tool replies that did its work.
pub(super) fn succeeded(result: Value) -> Value {
    json!({ "success": true, "result": result })
}

/// What a tool replies that did nothing.
pub(super) fn failed(error: &str) -> Value {
    json!({ "success": false, "error": error })
}

/// Words for the model.
pub(super) fn message(content: &str) -> Signal {
    Signal::Message(json!({ "role": "user", "content": content }))
}

/// The wish that the run stops.
pub(super) fn cancel() -> Signal {
    Signal::Cancel { reason: "It rains.".to_owned() }
}
