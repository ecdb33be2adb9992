//! The events of a run as a whole: accepted, claimed, signalled, stopping, ended.

use std::collections::BTreeMap;
use std::sync::Arc;

use provost_contract::json::Object;
use provost_contract::{ContractError, Message};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::signal::{Ignored, Signal};
use crate::{
    ActionId, Actor, ArtifactRef, Digest, Fault, Payload, RunId, SessionId, SignalId, StandingApproval,
    Usage, WaitId, WorkerId, WorldEffect,
};

/// The run exists. Always the first event, under epoch 0.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunAccepted {
    /// What is asked for, with every default filled in.
    pub spec: Arc<RunSpec>,
}

/// What a run was asked to do. It holds no secrets.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunSpec {
    /// The run.
    pub run: RunId,
    /// The agent's name.
    pub agent: String,
    /// The compiled agent, an artifact. The run goes on under it after a restart.
    pub compiled: Digest,
    /// The policy in force when it was accepted.
    pub policy: Digest,
    /// Who acts, without secrets.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub principal: Value,
    /// The workspace that owns it.
    pub workspace: String,
    /// How the model speaks.
    pub mode: Mode,
    /// Whether a model is asked at all; a run without one has its declaration as its second event.
    pub model: ModelUse,
    /// The messages that begin it.
    #[serde(default)]
    pub input: Vec<Arc<Message>>,
    /// The caller's context, redacted.
    #[serde(default, skip_serializing_if = "Object::is_empty")]
    pub context: Object,
    /// The session it belongs to, and the entries it has read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<SessionFrom>,
    /// The action of another run that delegated it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<Assignment>,
    /// The run and event it was forked from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub forked: Option<Fork>,
    /// How much at once, and how long.
    #[serde(default)]
    pub limits: Limits,
    /// How much at most, by name: `turns`, `tool_calls`, `tool_calls_<tool>`, `tokens`, `cost_microusd`,
    /// `wall_clock_seconds`, `depth`, `children`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub budgets: BTreeMap<String, u64>,
    /// How much of a budget was used before the run began.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub budgets_used: BTreeMap<String, u64>,
    /// Which hooks have a say.
    #[serde(default)]
    pub hooks: HookSet,
    /// What the answer must look like, when it must be JSON.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_schema: Option<Value>,
    /// Notes of the caller.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub labels: BTreeMap<String, String>,
}

/// How the model of a run speaks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// Native tool calls; text is only text.
    #[default]
    Plain,
    /// Declarations of the agent protocol.
    Protocol,
}

/// Whether a run asks a model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ModelUse {
    /// A model is asked for every turn.
    #[default]
    Asked,
    /// The run carries out one given declaration.
    None,
}

/// The session of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionFrom {
    /// The session.
    pub id: SessionId,
    /// How many entries of it the run has read.
    pub from: u64,
}

/// The delegation that a run carries out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Assignment {
    /// The run that delegated.
    pub run: RunId,
    /// Its action.
    pub action: ActionId,
    /// The attempt of the action.
    pub attempt: u32,
    /// The wait that this run's end answers.
    pub wait: WaitId,
    /// The topmost run of the tree.
    pub root: RunId,
    /// The way from the root to this run, as actions: `1.0/2.3`.
    pub path: String,
    /// How many runs stand above it.
    pub depth: u32,
    /// What it may do at most.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub authority: Value,
    /// What it is given to know.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub context: Value,
    /// What its result must be.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub expected: Value,
    /// What it may spend, reserved in the parent.
    #[serde(default, skip_serializing_if = "Usage::is_empty")]
    pub share: Usage,
}

/// Where a run was forked from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fork {
    /// The run.
    pub run: RunId,
    /// The last event that it shares.
    pub seq: crate::Seq,
}

/// How much at once, and how long.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Limits {
    /// How many turns, unless a `turns` budget says otherwise.
    pub turns: u32,
    /// How many executor tasks at once.
    pub parallel: u32,
    /// How many open children at once.
    pub children: u32,
    /// How deep runs may delegate.
    pub depth: u32,
    /// How long the model may take for a turn.
    pub model_ms: u64,
    /// How long a tool may take, unless its facts say otherwise.
    pub tool_ms: u64,
    /// How long a hook may take.
    pub hook_ms: u64,
    /// How long an approval, a question, a client tool or an input can be answered; none means for ever.
    pub wait_ms: Option<u64>,
    /// How many unusable responses in a row end the run.
    pub refusals: u32,
    /// How many failed model calls in a row end the run.
    pub model_failures: u32,
    /// How many equal declarations or calls in a row are a stall; none means that it is not looked at.
    pub repetitions: Option<u32>,
    /// After how many equal failures the model is advised to do something else.
    pub equal_failures: Option<u32>,
    /// How many events a run may have.
    pub events: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            turns: 10,
            parallel: 8,
            children: 8,
            depth: 3,
            model_ms: 600_000,
            tool_ms: 600_000,
            hook_ms: 30_000,
            wait_ms: None,
            refusals: 2,
            model_failures: 3,
            repetitions: Some(20),
            equal_failures: None,
            events: 1_000_000,
        }
    }
}

impl Limits {
    /// Checks that a run can do anything within its limits.
    ///
    /// # Errors
    /// If nothing could ever run.
    pub fn check(&self) -> provost_contract::Result<()> {
        if self.parallel == 0 {
            return Err(ContractError::field("invalid_limit", "limits.parallel", "must be at least 1"));
        }
        Ok(())
    }
}

/// Which hooks have a say in a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct HookSet {
    /// Before a model call.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub before_model: bool,
    /// After a response, before it is read.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub after_model: bool,
    /// About how each action may run.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub policy: bool,
    /// Before an action is executed.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub mediate: bool,
    /// After a result, to note something beside it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub after_tool: bool,
    /// Whether a result completes the run.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub completion: bool,
    /// What decides whether another turn follows.
    #[serde(skip_serializing_if = "Continuation::is_default")]
    pub continuation: Continuation,
    /// Whether there is a message between two turns.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub interrupt: bool,
    /// Before the run ends by itself.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub on_stop: bool,
    /// Whether a person who is asked sees what an action would do.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub preview: bool,
}

/// What decides whether another turn follows a turn that called tools.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Continuation {
    /// The engine: as long as the model calls tools.
    #[default]
    WhileCalling,
    /// One turn.
    Never,
    /// The `Continue` hook.
    Asked,
}

impl Continuation {
    fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

/// A worker took the run. The first event of each epoch; what an earlier epoch had under way is orphaned.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunClaimed {
    /// The worker.
    pub worker: WorkerId,
    /// The compiled agent that the worker has.
    pub compiled: Digest,
    /// The policy in force. Another than before re-judges everything that has not started.
    pub policy: Digest,
    /// Standing approvals of the workspace that may concern the run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub standing: Vec<StandingApproval>,
}

/// A signal left the queue.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SignalTaken {
    /// Its position in the queue.
    pub signal: SignalId,
    /// Who sent it.
    pub from: Actor,
    /// What it says.
    pub body: Signal,
    /// Why it changes nothing, if it does not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ignored: Option<Ignored>,
}

/// No new work begins; open work is closed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunStopping {
    /// Why.
    pub stop: Stop,
}

/// Why a run stops. The order is the precedence: the greatest names the run's status.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Stop {
    /// A hook or a completion policy called the work done.
    Completed {
        /// Which one.
        by: String,
    },
    /// A limit is spent.
    Budget {
        /// The budget's name.
        name: String,
        /// What it counts.
        dimension: String,
        /// How much was used.
        used: u64,
        /// How much was allowed.
        limit: u64,
    },
    /// The model repeats itself.
    Stalled {
        /// What it repeats.
        #[serde(default)]
        signature: Value,
        /// How often.
        count: u32,
    },
    /// The run was interrupted from outside, or crashed too often.
    Interrupted {
        /// A code, such as `crash_loop`.
        code: String,
        /// What was said.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        message: Option<Arc<Message>>,
    },
    /// Something went wrong that the run cannot go on with.
    Failed {
        /// What.
        fault: Fault,
    },
    /// It was cancelled.
    Cancelled {
        /// The signal.
        signal: SignalId,
    },
}

impl Stop {
    /// Returns whether it stops the calls of a turn midway: what follows them is not said.
    pub fn is_midway(&self) -> bool {
        match self {
            Self::Budget { dimension, .. } => dimension == "tool_calls",
            Self::Completed { by } => by == "mediator",
            Self::Cancelled { .. } => true,
            Self::Stalled { .. } | Self::Interrupted { .. } | Self::Failed { .. } => false,
        }
    }

    /// Returns the status that this stop alone would give.
    pub fn status(&self) -> EndStatus {
        match self {
            Self::Completed { .. } => EndStatus::Completed,
            Self::Budget { .. } => EndStatus::BudgetExceeded,
            Self::Stalled { .. } => EndStatus::Stalled,
            Self::Interrupted { .. } => EndStatus::Interrupted,
            Self::Failed { .. } => EndStatus::Failed,
            Self::Cancelled { .. } => EndStatus::Cancelled,
        }
    }
}

/// How a run ended. The order is the precedence among several stops.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    strum::IntoStaticStr,
    strum::EnumString,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum EndStatus {
    /// The work is done.
    Completed,
    /// A limit was spent in the middle of the work.
    BudgetExceeded,
    /// The model repeated itself.
    Stalled,
    /// Interrupted from outside, or crashed too often.
    Interrupted,
    /// Something went wrong.
    Failed,
    /// Cancelled.
    Cancelled,
}

impl EndStatus {
    /// Returns whether a run that ended so can be resumed.
    pub fn is_resumable(self) -> bool {
        match self {
            Self::BudgetExceeded | Self::Stalled | Self::Interrupted | Self::Failed => true,
            Self::Completed | Self::Cancelled => false,
        }
    }
}

/// The run is over. Only an accepted `Resume` can follow.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunEnded {
    /// How.
    pub status: EndStatus,
    /// Whether it did what was asked for.
    pub satisfying: bool,
    /// What the world may have seen of it.
    pub effect: WorldEffect,
    /// The last words.
    #[serde(default)]
    pub text: Payload,
    /// The typed result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<Payload>,
    /// All that was spent.
    #[serde(default, skip_serializing_if = "Usage::is_empty")]
    pub usage: Usage,
    /// The structured hand-over to another assignment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub handoff: Option<ArtifactRef>,
}
