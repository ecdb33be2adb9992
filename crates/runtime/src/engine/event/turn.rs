//! The events of a turn.

use std::sync::Arc;

use provost_contract::Message;
use provost_contract::json::Object;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::CallDeclared;

/// A turn began.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TurnStarted {
    /// The first turn is 1.
    pub turn: u64,
    /// What the turn may cost at most, set aside before the model is asked.
    #[serde(default, skip_serializing_if = "Reservation::is_nothing")]
    pub reserved: Reservation,
}

/// What a turn may cost at most, as far as anybody can tell before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reservation {
    /// Tokens, in and out.
    pub tokens: u64,
    /// Millionths of a dollar.
    pub cost_microusd: u64,
}

impl Reservation {
    /// Whether nobody could tell, or nothing is spent.
    pub fn is_nothing(&self) -> bool {
        *self == Self::default()
    }
}

/// Older messages gave way to a summary, or could not.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HistoryCompacted {
    /// How many of the oldest messages gave way; 0 when the transcript stays as it was.
    pub replaced: usize,
    /// What stands in their place.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub replacement: Vec<Arc<Message>>,
    /// What watchers are told, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub events: Vec<Value>,
}

/// What a turn did to the transcript before its calls.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TranscriptChange {
    /// These messages were added.
    Append(Vec<Arc<Message>>),
    /// The host rewrote the transcript.
    Replace(Vec<Arc<Message>>),
}

impl Default for TranscriptChange {
    fn default() -> Self {
        Self::Append(Vec::new())
    }
}

impl TranscriptChange {
    /// Whether the transcript stays as it was.
    pub fn is_nothing(&self) -> bool {
        *self == Self::default()
    }
}

/// The model answered.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TurnAnswered {
    /// What was said.
    #[serde(default, skip_serializing_if = "TranscriptChange::is_nothing")]
    pub transcript: TranscriptChange,
    /// What the model wants done; none when the host ran its tools itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub calls: Option<Vec<Arc<CallDeclared>>>,
    /// How many calls the model made that are none: they name no tool, or the host ran them itself.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub left_out: usize,
    /// Messages the host adds after the calls.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub continuation: Vec<Arc<Message>>,
    /// Tokens and whatever else the provider counts.
    #[serde(default, skip_serializing_if = "Object::is_empty")]
    pub usage: Object,
    /// What the host says about the turn.
    #[serde(default, skip_serializing_if = "Object::is_empty")]
    pub metadata: Object,
    /// What the provider says about its request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request_metadata: Option<Object>,
    /// What the provider says about itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provider_diagnostics: Option<Value>,
    /// The structured answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub structured_output: Option<StructuredOutput>,
    /// What the host did itself.
    #[serde(default, skip_serializing_if = "Managed::is_empty")]
    pub managed: Managed,
}

impl TurnAnswered {
    /// How many calls the model made, those left out included.
    pub fn asked_for(&self) -> usize {
        self.calls.as_ref().map_or(0, Vec::len) + self.left_out
    }
}

fn is_zero(count: &usize) -> bool {
    *count == 0
}

/// A structured answer, and what may be told of reading it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StructuredOutput {
    /// The answer; null is one too.
    pub parsed: Value,
    /// How reading it went.
    #[serde(default, skip_serializing_if = "Object::is_empty")]
    pub diagnostics: Object,
}

/// The records of a host that carried out calls itself.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Managed {
    /// What each call gave.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub results: Vec<Object>,
    /// What happened to each call.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tool_events: Vec<Value>,
    /// The audit record of each call.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub audit_events: Vec<Value>,
    /// What else happened.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub events: Vec<Value>,
}

impl Managed {
    /// Whether the host did nothing itself.
    pub fn is_empty(&self) -> bool {
        self.results.is_empty()
            && self.tool_events.is_empty()
            && self.audit_events.is_empty()
            && self.events.is_empty()
    }
}

/// How a turn failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FailureSource {
    /// The call of the model itself failed.
    Raised,
    /// The model's adapter reported a failure.
    Reported,
}

/// The model gave no usable answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TurnFailed {
    /// How it failed.
    pub source: FailureSource,
    /// Type, message, turn, and whatever the provider added.
    pub failure: Object,
    /// What the provider says about itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provider_diagnostics: Option<Value>,
}

/// What the completion policy spoke about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Subject {
    /// A call of the turn, by its place.
    Call(usize),
    /// A result the host reported itself, by its place.
    Managed(usize),
}

/// What an opinion of the completion policy does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CompletionEffect {
    /// The run's work is done; the rest of the turn's calls still run.
    Stop,
    /// The model is told to go on.
    Nudge,
    /// None: there was nothing to say, or it was said already.
    Nothing,
}

/// The completion policy spoke.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CompletionJudged {
    /// About what.
    pub subject: Subject,
    /// What follows.
    pub effect: CompletionEffect,
    /// The opinion with the tool and turn it is about, as observers read it.
    pub record: Object,
}

/// The model wanted to stop and a rule did not let it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CompletionBlocked {
    /// What the model is told.
    pub message: String,
    /// The rule, as observers read it.
    pub rule: Object,
}

/// The host's own messages followed the calls.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ContinuationAdded {
    /// The role of each, in order.
    pub roles: Vec<String>,
}

/// A limit was reached.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BudgetExceeded {
    /// The budget's name.
    pub budget: String,
    /// What it counts.
    pub dimension: String,
    /// How much was used.
    pub current: u64,
    /// How much was allowed.
    pub ceiling: u64,
}

/// The model repeats itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LoopStalled {
    /// The repeated call, as observers read it.
    pub repetition: Object,
}

/// Somebody was asked between two turns.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum InterruptHeard {
    /// There was nothing.
    Nothing,
    /// There was something nobody can read.
    Ignored {
        /// What was wrong with it.
        reason: String,
    },
    /// Somebody spoke.
    Received {
        /// What they ask for.
        action: InterruptAction,
        /// The words, as they enter the transcript.
        message: Arc<Message>,
        /// The words and their circumstances, as observers read them.
        record: Object,
    },
}

/// What an interrupt asks for.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, strum::EnumString, strum::IntoStaticStr,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum InterruptAction {
    /// Stop.
    Cancel,
    /// Do something else.
    Redirect,
    /// Know this.
    Message,
}

/// The host was asked whether to go on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ContinueJudged {
    /// Whether another turn follows.
    pub go_on: bool,
}
