//! The events of one tool call, from the model's words to its one result.

use std::sync::Arc;

use provost_contract::Message;
use provost_contract::canonical;
use provost_contract::json::{self, Object};
use provost_contract::tool::CallSignature;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Remember, Word};

/// A call as the model declared it. Secrets are redacted; the raw parameters never enter an event.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(from = "StoredCall")]
pub struct CallDeclared {
    /// The id that pairs the call with its result.
    pub id: String,
    /// The canonical name of the tool, or the model's word for it when nobody declared it.
    pub name: String,
    /// The model's word for the tool, when it is another than its name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub called: Option<String>,
    /// Whether somebody declared it.
    #[serde(skip_serializing_if = "is_true")]
    pub declared: bool,
    /// The model's arguments, redacted.
    pub parameters: Object,
    /// The hash of the redacted arguments. It follows from them and is not stored.
    #[serde(skip_serializing)]
    pub parameters_sha256: String,
    /// The hash of the arguments as they were, when some are redacted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub raw_sha256: Option<String>,
    /// Why the call cannot be executed, as the result it would get: unknown tool, missing parameters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unprepared: Option<Object>,
}

/// A call as journals hold it. Older ones say of every call that it is declared, and the hash of what it shows.
#[derive(Deserialize)]
struct StoredCall {
    id: String,
    name: String,
    called: Option<String>,
    #[serde(default = "yes")]
    declared: bool,
    parameters: Object,
    parameters_sha256: Option<String>,
    raw_sha256: Option<String>,
    unprepared: Option<Object>,
}

impl From<StoredCall> for CallDeclared {
    fn from(stored: StoredCall) -> Self {
        let StoredCall { id, name, called, declared, parameters, parameters_sha256, raw_sha256, unprepared } =
            stored;
        let parameters_sha256 = parameters_sha256.unwrap_or_else(|| canonical::object_hash(&parameters));
        Self { id, name, called, declared, parameters, parameters_sha256, raw_sha256, unprepared }
    }
}

fn yes() -> bool {
    true
}

fn is_true(flag: &bool) -> bool {
    *flag
}

impl CallDeclared {
    /// The model's word for the tool.
    pub fn called(&self) -> &str {
        self.called.as_deref().unwrap_or(&self.name)
    }

    /// The hash of the arguments as they were, by which a repetition is recognised.
    pub fn raw_sha256(&self) -> &str {
        self.raw_sha256.as_ref().unwrap_or(&self.parameters_sha256)
    }

    /// The arguments as they were; none when some were secret, for those are written nowhere.
    pub fn kept_parameters(&self) -> Option<Object> {
        let raw = self.raw_sha256.as_ref();
        raw.is_none_or(|raw| canonical::object_hash(&self.parameters) == *raw)
            .then(|| self.parameters.clone())
    }

    /// What makes two calls the same.
    pub fn signature(&self) -> CallSignature {
        CallSignature {
            tool_name: self.name.trim().to_owned(),
            parameters_hash: self.raw_sha256().to_owned(),
        }
    }
}

/// A call of the turn had its turn: from here on it stands in the transcript.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CallOpened {
    /// Its place among the calls of the turn.
    pub call: usize,
}

/// An executor is about to be asked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ActionStarted {
    /// Its place among the calls of the turn.
    pub call: usize,
    /// Given to the executor on every attempt, so that it can recognise a repetition.
    pub key: String,
    /// The first attempt is 1.
    pub attempt: u32,
    /// The process that carries it out: machine, number and begin. None when the executor starts none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub process: Option<String>,
    /// The decision that let it run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub allowed_by: Option<Word>,
    /// The earlier record of this kind that has the decision, when it is the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub allowed_as: Option<u64>,
}

/// Who gave a call its result. Different facts have different words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SettledBy {
    /// The executor.
    Executor,
    /// The engine: the call could not be prepared.
    Preparation,
    /// The gate's rules refused it.
    Gate,
    /// The action policy forbids it.
    Policy,
    /// The host's mediator refused it, or failed to decide.
    Rejection,
    /// The host's mediator answered in place of the tool.
    Replacement,
    /// A person who was asked said no.
    Refusal,
    /// Nobody decided in time.
    Expiry,
    /// The user said something else while it waited.
    Supersession,
    /// The client that executes the tool.
    Client,
    /// A person who knew what had come of it.
    Witness,
    /// The executor did not answer in time.
    Timeout,
    /// The run was cancelled.
    Cancellation,
    /// The process died while it ran, and nobody knows whether it took effect.
    Doubt,
    /// The process died before it ran, and its secret arguments with it.
    Loss,
}

impl SettledBy {
    /// Whether the call was not allowed.
    pub fn is_rejection(self) -> bool {
        match self {
            Self::Gate | Self::Policy | Self::Rejection | Self::Refusal | Self::Expiry => true,
            Self::Executor
            | Self::Preparation
            | Self::Replacement
            | Self::Supersession
            | Self::Client
            | Self::Witness
            | Self::Timeout
            | Self::Cancellation
            | Self::Doubt
            | Self::Loss => false,
        }
    }
}

/// What a result lost on the way to the model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Truncated {
    /// Sizes, turn and call, as observers read them.
    pub metadata: Object,
    /// The whole result, for observers.
    pub original: Object,
}

/// A call has its one result.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CallSettled {
    /// Its place among the calls of the turn.
    pub call: usize,
    /// Who gave it.
    pub by: SettledBy,
    /// The result, normalised and within its size.
    pub result: Object,
    /// What was cut off.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub truncated: Option<Truncated>,
    /// Whether the mediator ended the run's work with it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub completes: bool,
    /// What the model is told when it fails the same way again and again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nudge: Option<Object>,
    /// What the host notes about it.
    #[serde(default, skip_serializing_if = "Object::is_empty")]
    pub diagnostics: Object,
}

impl CallSettled {
    /// Whether the tool did its work.
    pub fn success(&self) -> bool {
        json::get(&self.result, "success") == Some(&Value::Bool(true))
    }
}

/// What a waiting call waits for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WaitsFor {
    /// A decision.
    Approval(Proposal),
    /// Somebody who knows whether it took effect before the process died.
    Doubt(Proposal),
    /// A client that executes the tool; its request, parameters redacted.
    Client(Value),
}

/// What somebody is asked to decide.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Proposal {
    /// The proposal as it was made.
    pub envelope: Value,
    /// The proposal as it stands in the transcript.
    pub message: Arc<Message>,
}

impl Proposal {
    /// The id it is decided under.
    pub fn action_id(&self) -> &str {
        self.envelope.pointer("/payload/action_id").and_then(Value::as_str).unwrap_or_default()
    }

    /// The rule that asks, when a rule does.
    pub fn asked_by(&self) -> Option<(&str, &str)> {
        let decision = self.envelope.pointer("/payload/metadata/decision")?;
        Some((decision.get("layer")?.as_str()?, decision.get("rule")?.as_str()?))
    }

    /// Whether only a person may answer it.
    pub fn is_person_only(&self) -> bool {
        self.envelope.pointer("/payload/metadata/person_only") == Some(&Value::Bool(true))
    }

    /// Until when it can be decided.
    pub fn expires_at(&self) -> Option<&str> {
        self.envelope.pointer("/payload/expires_at").and_then(Value::as_str)
    }
}

/// What asked for the wait decides what happens to the rest of the turn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Meanwhile {
    /// The rest of the turn's calls waits too.
    #[default]
    Nothing,
    /// Calls that do not depend on it go on.
    Others,
}

/// A call waits for a person or a client.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CallWaits {
    /// Its place among the calls of the turn.
    pub call: usize,
    /// What for.
    pub waits_for: WaitsFor,
    /// What happens until then.
    #[serde(default)]
    pub meanwhile: Meanwhile,
}

/// Somebody who was asked let a waiting call run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CallApproved {
    /// Its place among the calls of the turn.
    pub call: usize,
    /// The decision: who, when, why.
    pub approval: Object,
    /// The call with the arguments it is to run with, when they were changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edited: Option<Arc<CallDeclared>>,
    /// How long the same rule need not ask about the same tool.
    #[serde(default, skip_serializing_if = "Remember::is_no")]
    pub remember: Remember,
}
