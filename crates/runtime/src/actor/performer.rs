//! The edge of an actor: who answers models, hooks and executors.

use std::sync::Arc;

use provost_contract::json::Object;
use provost_engine::event::{
    ActionSpec, Hook, HookAnswer, ModelResponded, Note, Outcome, Phase, Probe, Purpose, RunSpec,
    Subject as HookSubject,
};
use provost_engine::state::Transcript;
use provost_engine::view::{ChildOrder, Page};
use provost_engine::{
    ActionId, Agent, Args, Digest, Execute, Fault, ModelAnswer, NewRun, Payload, RunId, RunState, Usage,
};
use tokio::sync::{mpsc, oneshot};

use super::sources::Source;
use crate::port::Boxed;

/// The run that an effect belongs to.
#[derive(Clone, Debug)]
pub struct RunContext {
    /// What was asked for.
    pub spec: Arc<RunSpec>,
    /// The agent it obeys.
    pub agent: Arc<Agent>,
    /// The turn that is under way, or the last one.
    pub turn: u32,
    /// The tools of the second tier that the model is shown in full by now.
    pub promoted: Arc<Vec<String>>,
}

/// A piece of something that is still under way. For watchers only: nothing is decided by it.
#[derive(Clone, Debug, PartialEq)]
pub enum Delta {
    /// More text of the model.
    Text(String),
    /// More of what the model thinks, where the provider shows it.
    Reasoning(String),
    /// A call begins.
    Call {
        /// Its index among the calls of the turn.
        index: usize,
        /// The provider's id; may be empty.
        label: String,
        /// The tool, as the provider names it.
        name: String,
    },
    /// More of the JSON text of a call's arguments.
    Arguments {
        /// The index of the call.
        index: usize,
        /// The piece.
        text: String,
    },
    /// The response broke off and is asked for again: what was streamed of it does not count.
    Restart,
    /// A try to get a response failed, and the next one follows.
    Retry {
        /// Where the model is asked, without keys.
        address: String,
        /// What went wrong.
        problem: String,
        /// The try that failed; the first is 1.
        attempt: u32,
        /// How many there may be.
        attempts_max: u32,
        /// How long it takes until the next one.
        wait_ms: u64,
    },
    /// More output of an executor.
    Output {
        /// The action.
        action: ActionId,
        /// The piece.
        text: String,
    },
    /// Something that a person should know: the storage or the anchor file cannot be written.
    Trouble(String),
    /// How far an executor has come.
    Progress {
        /// The action.
        action: ActionId,
        /// What it does now.
        title: String,
        /// How much is done.
        done: u64,
        /// Of how much.
        of: Option<u64>,
    },
}

/// Where the deltas of one run go. Never blocks; what does not fit is dropped.
pub trait DeltaSink: Send + Sync {
    /// Passes on a piece: of the response to a model request, or of an executor, which has no request.
    fn delta(&self, run: &RunId, request: Option<u32>, delta: Delta);
}

/// What a model that declares its work is shown, and the run that its answer is read for.
#[derive(Clone, Debug)]
pub struct Exchange {
    /// The run, with its results whole.
    pub state: RunState,
    /// What the model is shown of it.
    pub page: Page,
}

/// A model call.
#[derive(Clone)]
pub struct ModelCall {
    /// The run.
    pub context: RunContext,
    /// The number of the request.
    pub request: u32,
    /// What it is for.
    pub purpose: Purpose,
    /// Which model of the agent's list.
    pub model: u32,
    /// Which attempt of the turn it is; the first is 1.
    pub attempt: u32,
    /// What the model is shown.
    pub transcript: Transcript,
    /// What a model that declares its work is shown instead.
    pub exchange: Option<Arc<Exchange>>,
    /// Where the pieces of the response go.
    pub deltas: Arc<dyn DeltaSink>,
}

/// What came of a model call.
#[derive(Clone, Debug)]
pub struct ModelReply {
    /// The answer, redacted.
    pub answer: ModelAnswer,
    /// The raw arguments of its calls or declared actions, in their order.
    pub raw: Vec<Object>,
}

/// What a hook is asked about.
#[derive(Clone, Debug)]
pub enum Subject {
    /// The turn.
    Turn(u32),
    /// An action, with its raw arguments if they are known.
    Action(Box<ActionView>),
    /// The run.
    Run,
}

/// An action as a hook sees it.
#[derive(Clone, Debug)]
pub struct ActionView {
    /// The action.
    pub spec: Arc<ActionSpec>,
    /// The redacted arguments that it runs with.
    pub args: Args,
    /// The raw ones, if they are known.
    pub raw: Option<Object>,
    /// Its result, for hooks that look at results.
    pub result: Option<Payload>,
    /// Whether a person allowed exactly these arguments under this policy.
    pub approved: bool,
}

/// A hook is asked.
#[derive(Clone, Debug)]
pub struct HookCall {
    /// The run.
    pub context: RunContext,
    /// The hook.
    pub hook: Hook,
    /// What about, as the journal names it.
    pub about: HookSubject,
    /// What about, with everything that the hook may see.
    pub subject: Subject,
    /// The transcript, with what is new.
    pub transcript: Transcript,
    /// The response, for a hook that looks at it before it is read.
    pub response: Option<Arc<ModelResponded>>,
}

/// Where an executor notes durable facts about its attempt.
#[derive(Clone, Debug)]
pub struct Notes {
    pub(super) action: ActionId,
    pub(super) attempt: u32,
    pub(super) sender: mpsc::Sender<NewNote>,
}

/// A note on its way to the journal.
#[derive(Debug)]
pub(super) struct NewNote {
    pub(super) action: ActionId,
    pub(super) attempt: u32,
    pub(super) note: Note,
    pub(super) durable: oneshot::Sender<()>,
}

impl Notes {
    /// Notes a fact, and returns when it is durable. Returns false if the run is no longer this process's: then
    /// nothing may be done that relies on the note.
    pub async fn note(&self, note: Note) -> bool {
        let (durable, is_durable) = oneshot::channel();
        let new = NewNote { action: self.action, attempt: self.attempt, note, durable };
        self.sender.send(new).await.is_ok() && is_durable.await.is_ok()
    }
}

/// What an executor gets.
#[derive(Clone)]
pub struct Work {
    /// The run.
    pub context: RunContext,
    /// The action.
    pub spec: Arc<ActionSpec>,
    /// Attempt, key, time limit, and what must be unchanged.
    pub execute: Execute,
    /// The raw arguments.
    pub raw: Object,
    /// What an operation of the runtime works on.
    pub sources: Vec<Source>,
    /// Where it notes durable facts.
    pub notes: Notes,
    /// Where its output and progress go.
    pub deltas: Arc<dyn DeltaSink>,
}

/// An attempt of an earlier worker.
#[derive(Clone, Debug)]
pub struct LostAttempt {
    /// The run.
    pub context: RunContext,
    /// The action.
    pub spec: Arc<ActionSpec>,
    /// The attempt.
    pub attempt: u32,
    /// What it did.
    pub phase: Phase,
    /// The key that it got.
    pub key: Digest,
    /// The process that it noted.
    pub process: Option<Note>,
    /// The raw arguments, if they are known.
    pub raw: Option<Object>,
    /// Whether the process of the worker that began it is known to be gone.
    pub worker_gone: bool,
}

/// What was found out about a lost attempt.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Found {
    /// Whether it is certain that nothing of it runs any more. Without proof it is false.
    pub gone: bool,
    /// What the executor knows of it by its key.
    pub probe: Probe,
    /// The result, if it was done.
    pub result: Option<Payload>,
}

/// What an action would do.
#[derive(Clone, Debug, PartialEq)]
pub struct Previewed {
    /// What a person is shown; or why the action would fail.
    pub preview: Result<Payload, Fault>,
    /// The files that it shows: an approval is bound to them.
    pub expect: Vec<Digest>,
}

/// A child run, ready to be accepted.
#[derive(Clone, Debug)]
pub struct NewChild {
    /// The run, without its records.
    pub new: NewRun,
    /// What it is asked to do.
    pub spec: RunSpec,
}

/// Performs the effects of runs. Every method may be called again after a crash except
/// [`execute`](Self::execute), which is called once for each attempt.
///
/// # Cancel safety
/// Dropping the future of [`execute`](Self::execute) stops the work; dropping any other future loses nothing.
pub trait Performer: Send + Sync {
    /// Returns what the next model call may cost at most, from a running count: it must not walk the
    /// transcript.
    fn reserve(&self, context: &RunContext, transcript: &Transcript) -> Usage {
        let _ = (context, transcript);
        Usage::default()
    }

    /// Asks the model.
    fn model(&self, call: ModelCall) -> Boxed<'_, ModelReply>;

    /// Asks a hook.
    fn hook(&self, call: HookCall) -> Boxed<'_, HookAnswer>;

    /// Finds out what an action would do. Changes nothing.
    fn preview(&self, work: Work) -> Boxed<'_, Previewed>;

    /// Carries out an attempt.
    fn execute(&self, work: Work) -> Boxed<'_, (Outcome, Usage)>;

    /// Finds out what became of an attempt of an earlier worker, after ending its process if it can.
    fn recover(&self, lost: LostAttempt) -> Boxed<'_, Found>;

    /// A run rests, and this process holds its state no longer: what can be made again from records is dropped.
    fn unload(&self, run: &RunId) {
        let _ = run;
    }

    /// A run is over: what this process knows of it is not needed any more.
    fn forget(&self, run: &RunId) {
        let _ = run;
    }

    /// Returns the run that an action delegates to.
    ///
    /// # Errors
    /// Why there is none, such as an agent that does not exist.
    fn child(&self, context: &RunContext, order: &ChildOrder, action: &ActionSpec)
    -> Result<NewChild, Fault>;
}
