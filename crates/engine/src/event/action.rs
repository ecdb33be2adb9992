//! The events of an action: declared, started, noted, an attempt ended, ended.

use provost_contract::Message;
use provost_contract::action::{
    ConditionStatus, ExecutorType, FailurePolicy, Repeat, Resource, ResultPolicy,
};
use provost_contract::json::Object;
use provost_contract::tool::ToolFacts;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::sync::Arc;

use super::edges::{Each, When};
use super::model::{Origin, Unprepared};
use super::outcome::{Next, Outcome};
use crate::{ActionId, Args, ArtifactRef, Digest, Payload, Ruling, Usage, WorldEffect};

/// One unit of work, from whatever asked for it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ActionSpec {
    /// Its id.
    pub id: ActionId,
    /// What the model or provider calls it; unique only in its declaration.
    pub label: String,
    /// Where it comes from.
    pub origin: Origin,
    /// The running action that it is a part of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub under: Option<ActionId>,
    /// The verb: a tool's canonical name, `delegate`, or the model's own word.
    pub operation: String,
    /// The model's word for the tool, when it is another.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub called: Option<String>,
    /// What carries it out.
    pub executor: Executor,
    /// What it does to the world.
    #[serde(default)]
    pub facts: ToolFacts,
    /// Its arguments.
    pub args: Args,
    /// The task text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt: Option<String>,
    /// Background: context references, and what a child is given.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub context: Value,
    /// What must have ended before it starts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub depends_on: Vec<ActionId>,
    /// How dependencies must have ended; all must hold.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub when: Vec<When>,
    /// A bounded loop.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repeat: Option<Repeat>,
    /// What happens when it fails.
    #[serde(default)]
    pub on_failure: FailurePolicy,
    /// What it reads and writes, in its order of declaration.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub resources: Vec<Resource>,
    /// What the model wants to see of the result.
    #[serde(default)]
    pub result_policy: ResultPolicy,
    /// What it says of its own limits.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub policies: Value,
    /// Whether it goes on after a restart.
    #[serde(default = "yes", skip_serializing_if = "is_yes")]
    pub persist: bool,
    /// What people see.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub title: String,
    /// What it does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Why it is there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The steps of a pipeline.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<Step>,
    /// What a delegated run may spend.
    #[serde(default, skip_serializing_if = "Usage::is_empty")]
    pub share: Usage,
    /// How long a timer runs, or how long an answer may take.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wait_ms: Option<u64>,
    /// Why it cannot be executed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unprepared: Option<Unprepared>,
    /// Whether its arguments refer to results, which are filled in before it is judged.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub resolves: bool,
    /// A bounded fan-out: it is done once for each entry of a list.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub each: Option<Each>,
}

/// An action that has no id yet, with its edges as indexes into the list that it stands in.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Step {
    /// The action. Its id, origin, parent and edges are set when it is declared.
    pub spec: ActionSpec,
    /// The entries of the list that it depends on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub depends_on: Vec<u32>,
    /// How they must have ended.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub when: Vec<(u32, ConditionStatus)>,
    /// Actions of earlier declarations that it depends on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub earlier: Vec<ActionId>,
}

pub(super) fn yes() -> bool {
    true
}

pub(super) fn is_yes(flag: &bool) -> bool {
    *flag
}

impl ActionSpec {
    /// Returns an action with an id, an operation and an executor, and defaults for everything else.
    pub fn new(id: ActionId, operation: impl Into<String>, executor: ExecutorKind) -> Self {
        let operation = operation.into();
        Self {
            id,
            label: id.to_string(),
            origin: Origin::ToolCall,
            under: None,
            called: None,
            executor: Executor { kind: executor, target: operation.clone(), reasons: Vec::new() },
            operation,
            facts: ToolFacts::default(),
            args: Args::open(Object::new()),
            prompt: None,
            context: Value::Null,
            depends_on: Vec::new(),
            when: Vec::new(),
            repeat: None,
            on_failure: FailurePolicy::default(),
            resources: Vec::new(),
            result_policy: ResultPolicy::default(),
            policies: Value::Null,
            persist: true,
            title: String::new(),
            description: None,
            reason: None,
            steps: Vec::new(),
            share: Usage::default(),
            wait_ms: None,
            unprepared: None,
            resolves: false,
            each: None,
        }
    }

    /// Returns whether it changes nothing outside.
    pub fn only_reads(&self) -> bool {
        self.facts.only_reads()
    }
}

/// What carries an action out, and why it was chosen.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Executor {
    /// Its kind.
    #[serde(rename = "type")]
    pub kind: ExecutorKind,
    /// Its name.
    pub target: String,
    /// Why it was chosen.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reasons: Vec<String>,
}

/// The kinds of executor. A person, a client, an agent, a timer and a signal wait; the others run.
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
    strum::VariantArray,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum ExecutorKind {
    /// A bounded function of the system.
    Tool,
    /// A program whose changes are judged before they become real.
    Program,
    /// A system outside.
    Service,
    /// A control operation of the runtime itself.
    Runtime,
    /// A fixed sequence of steps.
    Pipeline,
    /// Another agent, in a run of its own.
    Agent,
    /// A person who answers.
    Human,
    /// A client that executes the tool.
    Client,
    /// The clock.
    Timer,
    /// Something outside that is named.
    Signal,
}

impl ExecutorKind {
    /// Returns the kind of wait that it opens, if it waits instead of running.
    pub fn waits(self) -> Option<super::wait::WorkWait> {
        use super::wait::WorkWait;
        match self {
            Self::Agent => Some(WorkWait::Child),
            Self::Human => Some(WorkWait::Question),
            Self::Client => Some(WorkWait::Client),
            Self::Timer => Some(WorkWait::Timer),
            Self::Signal => Some(WorkWait::Signal),
            Self::Tool | Self::Program | Self::Service | Self::Runtime | Self::Pipeline => None,
        }
    }
}

impl From<ExecutorType> for ExecutorKind {
    fn from(kind: ExecutorType) -> Self {
        match kind {
            ExecutorType::Tool => Self::Tool,
            ExecutorType::Agent => Self::Agent,
            ExecutorType::Runtime => Self::Runtime,
            ExecutorType::Human => Self::Human,
            ExecutorType::Pipeline => Self::Pipeline,
            ExecutorType::Service => Self::Service,
        }
    }
}

/// An attempt is open. Durable before the executor is called.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ActionStarted {
    /// The action.
    pub action: ActionId,
    /// The first attempt is 1.
    pub attempt: u32,
    /// The round of a loop; the first is 1.
    pub round: u32,
    /// What the attempt does.
    pub phase: Phase,
    /// Given to the executor, so that it can recognise a repetition.
    pub key: Digest,
    /// The hash of the raw arguments.
    pub args: Digest,
    /// The arguments after references were filled in, if there were any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resolved: Option<Args>,
    /// What the policy decided.
    pub ruling: Ruling,
    /// What lets it run.
    pub allowed_by: AllowedBy,
    /// The digests that an approval was bound to; the executor checks them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub expect: Vec<Digest>,
    /// The answer that continues a suspended call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input: Option<Payload>,
}

/// What an attempt does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// It executes the action.
    Run,
    /// It makes a judged change set real.
    Apply,
}

/// What lets an attempt run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum AllowedBy {
    /// The ruling.
    Rule,
    /// The answer to a wait.
    Wait {
        /// The wait.
        wait: crate::WaitId,
    },
    /// A standing approval.
    Standing {
        /// Its scope.
        scope: String,
    },
    /// An earlier attempt of the same apply step.
    RollForward,
}

/// A durable fact about an open attempt.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ActionNoted {
    /// The action.
    pub action: ActionId,
    /// The attempt.
    pub attempt: u32,
    /// The fact.
    pub note: Note,
}

/// A fact about an open attempt.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Note {
    /// The process that carries it out.
    Process {
        /// The machine.
        host: String,
        /// The process.
        pid: u32,
        /// When it began, in the system's own unit; it tells a reused pid apart.
        start: u64,
        /// What finds it again, in the executor's words.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        handle: String,
    },
    /// The handle of work at a service.
    Remote {
        /// The handle.
        handle: String,
    },
    /// How it is confined.
    Posture {
        /// The measures in force.
        #[serde(default)]
        posture: Value,
    },
    /// How far it has come.
    Progress {
        /// What it does now.
        #[serde(default)]
        title: String,
        /// How much is done.
        done: u64,
        /// Of how much.
        of: Option<u64>,
    },
    /// Where its output is.
    Output {
        /// The artifact.
        artifact: ArtifactRef,
    },
}

/// The attempt is over, the action is not.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AttemptEnded {
    /// The action.
    pub action: ActionId,
    /// The attempt.
    pub attempt: u32,
    /// What came of it.
    pub outcome: Outcome,
    /// What it cost.
    #[serde(default, skip_serializing_if = "Usage::is_empty")]
    pub usage: Usage,
    /// How the action goes on.
    pub next: Next,
}

/// The action is over, and its open attempt with it. The one result that the model gets.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ActionEnded {
    /// The action.
    pub action: ActionId,
    /// The open attempt; none when there was none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attempt: Option<u32>,
    /// How it ended.
    pub status: ActionEnd,
    /// Whether it did what was asked for; only then it unlocks what depends on it.
    pub satisfying: bool,
    /// What the world may have seen of it.
    pub effect: WorldEffect,
    /// What ended it.
    pub by: EndedBy,
    /// Why, as a code: `ok`, `denied`, `rejected`, `in_doubt`, `dependency`, `left_out`, …
    pub reason: String,
    /// The result.
    #[serde(default)]
    pub result: Payload,
    /// What its output says, in short.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// Where it comes from.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub citations: Vec<Value>,
    /// Artifacts that it left.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub artifacts: Vec<ArtifactRef>,
    /// What it cost.
    #[serde(default, skip_serializing_if = "Usage::is_empty")]
    pub usage: Usage,
    /// What the model reads after it: that it fails the same way again and again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nudge: Option<Arc<Message>>,
    /// What was cut off: sizes, and the whole result as an artifact.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub truncated: Option<Object>,
}

/// How an action ended.
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
    strum::VariantArray,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum ActionEnd {
    /// It did its work.
    Completed,
    /// It was tried and did not work.
    Failed,
    /// A dependency did not complete, a policy or a person said no, or its outcome is in doubt.
    Blocked,
    /// It was cancelled, left out or replaced.
    Cancelled,
}

/// What ended an action.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, strum::IntoStaticStr)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum EndedBy {
    /// Its executor.
    Executor,
    /// It could not be prepared.
    Preparation,
    /// A rule of the policy.
    Rule,
    /// The mediator.
    Mediator,
    /// A person.
    Person,
    /// A person who knew what had come of it.
    Attested,
    /// The client that executes the tool.
    Client,
    /// Its child run.
    Child,
    /// The clock.
    Clock,
    /// A message of the user.
    Message,
    /// A cancel.
    Cancel,
    /// A dependency.
    Dependency,
    /// Its `when`.
    Condition,
    /// Another action whose failure aborts.
    Abort,
    /// The run stops.
    Stop,
    /// The executor's own record of the attempt.
    Probe,
    /// The engine: a limit, a lost attempt, erased arguments.
    Engine,
}
