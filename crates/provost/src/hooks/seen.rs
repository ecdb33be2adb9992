//! The inputs and decisions of hooks.

use std::sync::Arc;

use provost_contract::Message;
use provost_contract::json::Object;
use provost_runtime::port::{
    DiagnosedResult, FinishedTurn, JudgedResult, MediatedCall, ModelTurn, SpokenTurn, Transcript,
};
use serde_json::Value;

/// The next turn.
///
/// ```
/// use provost::{Guard, NextTurn, Runtime, Script};
/// let builder = Runtime::builder().model(Script::new()).before_model(|turn: NextTurn| async move {
///     if turn.messages.len() > 500 { Guard::Refuse("too long".to_owned()) } else { Guard::Pass }
/// });
/// # drop(builder);
/// ```
#[derive(Clone, Debug)]
pub struct NextTurn {
    /// The turn.
    pub turn: u64,
    /// The transcript that the model would be sent.
    pub messages: Vec<Arc<Message>>,
    /// The caller's context.
    pub context: Object,
}

/// A response before it is read: none of its calls has started.
///
/// ```
/// use provost::{Guard, Runtime, Script, SpokenResponse};
/// let builder = Runtime::builder().model(Script::new()).after_model(|said: SpokenResponse| async move {
///     if said.text.contains("secret") { Guard::Refuse("Leave the secret out.".to_owned()) } else { Guard::Pass }
/// });
/// # drop(builder);
/// ```
#[derive(Clone, Debug)]
pub struct SpokenResponse {
    /// The turn.
    pub turn: u64,
    /// The text of the response.
    pub text: String,
    /// The tools that it calls.
    pub tools: Vec<String>,
    /// The caller's context.
    pub context: Object,
}

/// A call that is about to run.
///
/// ```
/// use provost::{ProposedCall, Runtime, Script, ToolGuard};
/// let builder = Runtime::builder().model(Script::new()).before_tool(|call: ProposedCall| async move {
///     if call.arguments.contains_key("force") { ToolGuard::Refuse("Without force.".to_owned()) } else { ToolGuard::Pass }
/// });
/// # drop(builder);
/// ```
#[derive(Clone, Debug)]
pub struct ProposedCall {
    /// The tool.
    pub tool: String,
    /// The id of the call.
    pub id: String,
    /// The arguments, secrets included.
    pub arguments: Object,
    /// The turn.
    pub turn: u64,
    /// The caller's context.
    pub context: Object,
}

/// A call with its result.
///
/// ```
/// use provost::{FinishedCall, Runtime, Script};
/// let builder = Runtime::builder().model(Script::new()).after_tool(|done: FinishedCall| async move {
///     serde_json::json!({ "bytes": done.result.to_string().len() })
/// });
/// # drop(builder);
/// ```
#[derive(Clone, Debug)]
pub struct FinishedCall {
    /// The tool.
    pub tool: String,
    /// Whether the call succeeded.
    pub success: bool,
    /// The result in its wire form: `success`, `result` or `error`, `metadata`.
    pub result: Value,
    /// The turn.
    pub turn: u64,
    /// The caller's context.
    pub context: Object,
}

/// The decision of a hook about a call before it runs.
///
/// ```
/// let answer = provost::ToolGuard::Answer(serde_json::json!("cached"));
/// assert_ne!(answer, provost::ToolGuard::Pass);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum ToolGuard {
    /// The call runs, unless another hook objects.
    Pass,
    /// The call does not run, and the model reads this text.
    Refuse(String),
    /// The call does not run, and this is its result.
    Answer(Value),
}

/// The decision of a hook about a result.
///
/// ```
/// assert_eq!(provost::Completion::default(), provost::Completion::Undecided);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Completion {
    /// The work of the run is done.
    Done,
    /// The work is not done, and the model reads this text.
    Missing(String),
    /// No decision.
    #[default]
    Undecided,
}

fn messages(transcript: &Transcript) -> Vec<Arc<Message>> {
    transcript.messages().cloned().collect()
}

impl From<ModelTurn<'_>> for NextTurn {
    fn from(turn: ModelTurn<'_>) -> Self {
        Self { turn: turn.turn, messages: messages(turn.messages), context: turn.context.clone() }
    }
}

impl From<FinishedTurn<'_>> for NextTurn {
    fn from(turn: FinishedTurn<'_>) -> Self {
        Self { turn: turn.turn + 1, messages: messages(turn.messages), context: turn.context.clone() }
    }
}

impl From<SpokenTurn<'_>> for SpokenResponse {
    fn from(turn: SpokenTurn<'_>) -> Self {
        Self {
            turn: turn.turn,
            text: turn.text.to_owned(),
            tools: turn.calls.iter().map(|call| call.name.clone()).collect(),
            context: turn.context.clone(),
        }
    }
}

impl From<MediatedCall<'_>> for ProposedCall {
    fn from(call: MediatedCall<'_>) -> Self {
        Self {
            tool: call.tool_name.to_owned(),
            id: call.tool_call_id.to_owned(),
            arguments: call.parameters.clone(),
            turn: call.turn,
            context: call.context.clone(),
        }
    }
}

impl From<DiagnosedResult<'_>> for FinishedCall {
    fn from(done: DiagnosedResult<'_>) -> Self {
        Self {
            tool: done.tool_name.to_owned(),
            success: done.success,
            result: Value::Object(done.result.clone()),
            turn: done.turn,
            context: done.context.clone(),
        }
    }
}

impl From<JudgedResult<'_>> for FinishedCall {
    fn from(done: JudgedResult<'_>) -> Self {
        Self {
            tool: done.tool_name.to_owned(),
            success: done.success,
            result: Value::Object(done.result.clone()),
            turn: done.turn,
            context: done.context.clone(),
        }
    }
}
