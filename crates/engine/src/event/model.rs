//! The events of a turn: the model is asked, answers or fails, and its response is read.

use std::sync::Arc;

use provost_contract::Message;
use provost_contract::json::Object;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::action::ActionSpec;
use super::declaration::Parsed;
use super::signal::Choice;
use crate::{ActionId, Args, ArtifactRef, Digest, Fault, Payload, Ruling, Seq, Time, Usage};

/// A model call may start.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ModelRequested {
    /// Its number in the run; the first is 1.
    pub request: u32,
    /// What it is for.
    pub purpose: Purpose,
    /// The turn; the first is 1.
    pub turn: u32,
    /// The first attempt of a turn is 1.
    pub attempt: u32,
    /// Which model of the agent's list: 0, or a fallback.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub model: u32,
    /// What it may cost at most; charged if its end is never known.
    #[serde(default, skip_serializing_if = "Usage::is_empty")]
    pub reserved: Usage,
    /// Tokens by section of the prompt.
    #[serde(default, skip_serializing_if = "Usage::is_empty")]
    pub measure: Usage,
    /// The model sees the transcript up to this event.
    pub through: Seq,
    /// How long the run has worked so far; parked time does not count.
    pub active_ms: u64,
}

fn is_zero(number: &u32) -> bool {
    *number == 0
}

/// What a model call is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Purpose {
    /// The next turn.
    Turn,
    /// A summary that replaces the older transcript.
    Compaction,
    /// A summary of an action's output.
    Summary {
        /// The action.
        action: ActionId,
    },
}

/// The complete response, redacted, before it is read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ModelResponded {
    /// The request.
    pub request: u32,
    /// What the model said.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub messages: Vec<Arc<Message>>,
    /// The calls that it made, in order. Only where an after-model hook looks at the response first:
    /// otherwise the declaration of the same commit has them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<Arc<Call>>,
    /// The declaration that it made, under the same condition.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub declaration: Option<Box<Parsed>>,
    /// How many entries of its list of calls are none.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub malformed: u32,
    /// Why it stopped, in the provider's word.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub finish: String,
    /// What it cost.
    #[serde(default, skip_serializing_if = "Usage::is_empty")]
    pub usage: Usage,
    /// What the provider reports of usage, request and diagnostics.
    #[serde(default, skip_serializing_if = "Object::is_empty")]
    pub provider: Object,
    /// The typed answer, if one was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<Payload>,
    /// What a host that talks to models itself adds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<Box<HostTurn>>,
}

/// A call as the model made it, redacted and prepared.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Call {
    /// The provider's id of the call, unique in the turn.
    pub label: String,
    /// The canonical name of the tool, or the model's word when no such tool is declared.
    pub name: String,
    /// The model's word for the tool, when it is another.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub called: Option<String>,
    /// The arguments.
    pub args: Args,
    /// Why it cannot be executed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unprepared: Option<Unprepared>,
}

impl Call {
    /// Returns the model's word for the tool.
    pub fn called(&self) -> &str {
        self.called.as_deref().unwrap_or(&self.name)
    }
}

/// Why a call cannot be executed, and the result that it gets.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Unprepared {
    /// The code: `tool_not_found`, `missing_parameters`, `invalid_parameters`.
    pub code: String,
    /// The result that the model reads.
    #[serde(default)]
    pub result: Object,
}

/// What a host that talks to models itself says about its turn.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct HostTurn {
    /// Whether its messages replace the transcript; otherwise they are added.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub replaces: bool,
    /// Whether it carried out the calls itself.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub managed: bool,
    /// Whether its policy called the work done.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub completes: bool,
    /// Messages that follow the calls.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub continuation: Vec<Arc<Message>>,
    /// What it reports of calls that it carried out: results, events, audit.
    #[serde(default, skip_serializing_if = "Object::is_empty")]
    pub records: Object,
    /// Its own notes.
    #[serde(default, skip_serializing_if = "Object::is_empty")]
    pub metadata: Object,
}

/// A model call gave no response.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ModelFailed {
    /// The request.
    pub request: u32,
    /// What went wrong.
    pub fault: Fault,
    /// What it cost; unknown cost is charged as reserved.
    #[serde(default, skip_serializing_if = "Usage::is_empty")]
    pub usage: Usage,
    /// The next attempt; none stops the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<NextModel>,
    /// What the provider says about itself.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub diagnostics: Value,
}

/// The attempt that follows a failed model call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NextModel {
    /// Which model of the agent's list.
    pub model: u32,
    /// Its number in the turn.
    pub attempt: u32,
    /// Not before this time.
    pub not_before: Time,
}

/// Where an action comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Origin {
    /// The native calls of a turn.
    ToolCall,
    /// A declaration of the agent protocol, by the run's own model.
    Declaration,
    /// A declaration that a person or a program handed in.
    Submitted,
    /// A workflow.
    Workflow,
    /// A task.
    Task,
    /// A delegated assignment.
    Assignment,
    /// The steps of a running pipeline or loop.
    Pipeline {
        /// The pipeline.
        action: ActionId,
    },
    /// A call out of a running sandbox.
    Bridge {
        /// The program.
        action: ActionId,
        /// Its attempt.
        attempt: u32,
        /// The number of the call in the attempt.
        number: u32,
    },
}

impl Origin {
    /// Returns whether it reads a model's response.
    pub fn is_response(self) -> bool {
        match self {
            Self::ToolCall | Self::Declaration => true,
            Self::Submitted
            | Self::Workflow
            | Self::Task
            | Self::Assignment
            | Self::Pipeline { .. }
            | Self::Bridge { .. } => false,
        }
    }
}

/// A declaration is accepted as a whole.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DeclarationAccepted {
    /// Its number in the run; the first is 1.
    pub declaration: u32,
    /// Where it comes from.
    pub origin: Origin,
    /// What the model wants with it: `answer`, `act`, `plan`, `revise`, `cancel`, `decide`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub intent: String,
    /// The actions that it adds.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub add: Vec<Arc<ActionSpec>>,
    /// Open actions that it cancels.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cancel: Vec<ActionId>,
    /// Actions that have not begun and give way to new ones.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub replace: Vec<(ActionId, ActionId)>,
    /// Decisions about ended actions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub decide: Vec<(ActionId, Choice)>,
    /// The answer to the user, if it is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<Payload>,
    /// A title for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// A note for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// What was wrong and could be corrected.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub violations: Vec<Value>,
    /// What it is estimated to cost.
    #[serde(default, skip_serializing_if = "Usage::is_empty")]
    pub price: Usage,
    /// What makes two declarations equal; a model that repeats it is stuck.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signature: Option<Digest>,
}

/// The response cannot be used. The model sees the reasons.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ResponseRefused {
    /// The request.
    pub request: u32,
    /// The code: `malformed`, `output_schema`, `guardrail`, `completion_blocked`, …
    pub code: String,
    /// What the model reads.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reasons: Vec<String>,
    /// What was wrong, for records.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub violations: Vec<Value>,
    /// Whether the model is asked again.
    pub retry: bool,
}

/// Older transcript lines give way to a summary, or stay.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HistoryCompacted {
    /// How many of the oldest lines give way; 0 when the transcript stays as it was.
    pub upto: u64,
    /// What stands in their place.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub replacement: Vec<Arc<Message>>,
    /// The lines that gave way, as an artifact.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub archive: Option<ArtifactRef>,
    /// Why they stay.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fault: Option<Fault>,
    /// What observers are shown.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub events: Vec<Value>,
}

/// A hook answered.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HookAnswered {
    /// The hook.
    pub hook: Hook,
    /// What it was asked about.
    pub subject: Subject,
    /// Its answer.
    pub answer: HookAnswer,
}

/// A part of the host that has a say.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, strum::IntoStaticStr,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Hook {
    /// Before a model call.
    BeforeModel,
    /// After a response, before it is read.
    AfterModel,
    /// The values that an action's references stand for. Not a part of a host: the worker looks them up, and the
    /// journal has them before anything is decided about the action.
    Resolve,
    /// About how an action may run.
    Policy,
    /// Before an action is executed.
    Mediate,
    /// After a result, to note something beside it.
    AfterTool,
    /// Whether a result completes the run.
    Completion,
    /// Whether another turn follows.
    Continue,
    /// Whether there is a message between two turns.
    Interrupt,
    /// Before the run ends by itself.
    OnStop,
}

impl Hook {
    /// Returns whether a hook that fails has refused. A hook that only observes has said nothing.
    pub fn decides(self) -> bool {
        match self {
            Self::BeforeModel
            | Self::AfterModel
            | Self::Resolve
            | Self::Policy
            | Self::Mediate
            | Self::Continue => true,
            Self::AfterTool | Self::Completion | Self::Interrupt | Self::OnStop => false,
        }
    }
}

/// What a hook is asked about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Subject {
    /// The turn.
    Turn {
        /// Its number.
        turn: u32,
    },
    /// An action.
    Action {
        /// The action.
        action: ActionId,
    },
    /// The run.
    Run,
}

/// What a hook says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum HookAnswer {
    /// Nothing.
    NoOpinion,
    /// It goes on.
    Proceed {
        /// What a policy decided.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        ruling: Option<Box<Ruling>>,
    },
    /// It does not.
    Reject {
        /// Why.
        fault: Fault,
        /// The result that the model reads, if the hook made one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        result: Option<Object>,
        /// Whether the work of the run is done with it.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        completes: bool,
    },
    /// The hook answers in place of the tool.
    Replace {
        /// The answer.
        #[serde(default)]
        payload: Payload,
        /// Whether the work of the run is done with it.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        completes: bool,
    },
    /// The action waits for a client outside.
    Wait {
        /// The result that says so.
        #[serde(default)]
        result: Object,
    },
    /// The model reads these.
    Message {
        /// The messages.
        #[serde(default)]
        messages: Vec<Arc<Message>>,
        /// What observers are shown.
        #[serde(default, skip_serializing_if = "Object::is_empty")]
        record: Object,
    },
    /// The work of the run is done, or the run is to stop.
    Complete {
        /// Why, as a code.
        reason: String,
        /// What observers are shown.
        #[serde(default, skip_serializing_if = "Object::is_empty")]
        record: Object,
    },
    /// The arguments with the values of their references.
    Resolved {
        /// The arguments; of a fan-out those that its entries share.
        args: Args,
        /// The arguments of each entry of a fan-out.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        items: Vec<Args>,
    },
    /// Something to note beside a result.
    Note {
        /// The note.
        #[serde(default)]
        value: Value,
    },
    /// The hook failed. One that decides has refused.
    Failed {
        /// What went wrong.
        fault: Fault,
    },
}
