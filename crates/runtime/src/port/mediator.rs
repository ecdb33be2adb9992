//! Who may refuse or answer a call before it is executed.

use std::collections::HashMap;

use provost_contract::json::{self, Object};
use provost_contract::message::MessageType;
use provost_contract::tool::{RuntimeMetadata, ToolCall, ToolDeclaration};
use provost_policy::{HookAnswer, HookFailure};
use serde_json::{Value, json};

use super::{Boxed, Transcript};

/// A call the mediator is asked about. Unlike every record it shows the raw parameters.
#[derive(Clone, Copy, Debug)]
pub struct MediatedCall<'a> {
    /// The tool.
    pub tool_name: &'a str,
    /// The id of the call.
    pub tool_call_id: &'a str,
    /// The model's arguments.
    pub parameters: &'a Object,
    /// The call as the model wrote it.
    pub raw_tool_call: &'a Object,
    /// The call an executor would get; none when it could not be prepared.
    pub prepared: Option<&'a ToolCall>,
    /// The declaration of the tool; none when nobody declared it.
    pub declaration: Option<&'a ToolDeclaration>,
    /// The turn.
    pub turn: u64,
    /// The caller's context.
    pub context: &'a Object,
    /// The transcript, the call itself included.
    pub messages: &'a Transcript,
    /// Results of calls that the host carried out itself and reported.
    pub reported: &'a [Value],
}

impl MediatedCall<'_> {
    /// Returns what earlier calls gave: those that the host reported, then those of the transcript.
    pub fn prior_results(&self) -> Vec<Value> {
        let (mut calls, mut results) = (HashMap::new(), self.reported.to_vec());
        for message in self.messages.messages() {
            let id = json::text(&message.metadata, "tool_call_id").unwrap_or_default();
            match message.kind {
                MessageType::ToolCall => {
                    calls.insert(id, &message.payload);
                }
                MessageType::ToolResult => {
                    let call = calls.get(id);
                    results.push(json!({
                        "tool_name": message.tool_name(),
                        "tool_call_id": id,
                        "result": message.payload,
                        "parameters": call.and_then(|call| call.get("parameters")),
                        "turn_count": call.and_then(|call| call.get("turn")),
                    }));
                }
                _ => {}
            }
        }
        results
    }
}

/// What a mediator decides about a call.
#[derive(Clone, Debug, PartialEq)]
pub enum Mediation {
    /// It goes on.
    Proceed,
    /// It is refused.
    Reject(Box<Rejection>),
    /// The mediator answers in place of the tool.
    Replace {
        /// The answer.
        result: Object,
        /// Whether the work of the run is done with it.
        completes: bool,
    },
    /// It waits for somebody outside.
    Wait(Box<Waiting>),
}

/// Why a call is refused.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rejection {
    /// What the model is told.
    pub error: Option<String>,
    /// What travels beside it.
    pub metadata: Object,
    /// Where and how it was decided.
    pub runtime: RuntimeMetadata,
    /// The whole result, when the mediator made one.
    pub result: Option<Object>,
    /// Whether the work of the run is done with it.
    pub completes: bool,
}

/// Whom a call waits for.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Waiting {
    /// What the model is told.
    pub error: Option<String>,
    /// What travels beside it.
    pub metadata: Object,
    /// Where and how it is answered.
    pub runtime: RuntimeMetadata,
}

impl Mediation {
    /// Reads a host's answer. Null is no opinion; anything that is no decision is nonsense.
    ///
    /// # Errors
    /// [`HookFailure::Nonsense`].
    pub fn parse(answer: &Value) -> HookAnswer<Self> {
        if answer.is_null() {
            return Ok(None);
        }
        let decision = answer.as_object().ok_or(HookFailure::Nonsense)?;
        let action = json::text(decision, "action").map(|action| action.trim().to_lowercase());
        let completes = decision.get("complete") == Some(&Value::Bool(true));
        let error = json::trimmed_text(decision, "error").map(str::to_owned);
        let metadata = json::object_or_empty(decision, "metadata");
        let runtime = RuntimeMetadata::of(decision);
        match action.as_deref() {
            Some("proceed") => Ok(Some(Self::Proceed)),
            Some("reject") => {
                let result = json::object(decision, "result").cloned();
                Ok(Some(Self::Reject(Box::new(Rejection { error, metadata, runtime, result, completes }))))
            }
            Some("replace_result") => {
                let result = json::object(decision, "result").cloned().ok_or(HookFailure::Nonsense)?;
                Ok(Some(Self::Replace { result, completes }))
            }
            Some("pending") => Ok(Some(Self::Wait(Box::new(Waiting { error, metadata, runtime })))),
            Some(_) | None => Err(HookFailure::Nonsense),
        }
    }
}

/// Asked about every call a rule has not refused already.
pub trait Mediator: Send + Sync {
    /// The decision. A mediator that fails has allowed nothing.
    fn decide<'a>(&'a self, call: MediatedCall<'a>) -> Boxed<'a, HookAnswer<Mediation>>;
}
