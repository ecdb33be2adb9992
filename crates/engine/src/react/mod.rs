//! What answers, signals and the passing of time mean.
//!
//! [`react`] handles each input in order and then advances until nothing more follows. `advance` looks only
//! at the state, the agent and the time, so recovery has no code of its own: after a fold the same
//! `advance` continues.

mod admit;
mod ask;
mod close;
mod compaction;
mod consequence;
mod end;
mod handle;
mod response;
mod ruling;
mod signal;
mod standing;
mod turn;
mod words;

use provost_contract::json::Object;
use serde_json::Value;

pub(crate) use admit::{is_startable, wanted_previews};
pub(crate) use turn::wanted_hooks;

use crate::event::{
    ActionNoted, ActionSpec, Call, EndedBy, Event, EventKind, Hook, HookAnswer, HookAnswered, HostTurn, Note,
    Outcome, Parsed, Probe, Signal, Subject,
};
use crate::state::{Illegal, RunState};
use crate::{
    ActionId, Actor, ActorKind, Digest, Epoch, Fault, Payload, SignalId, StandingApproval, Time, Usage,
    WorkerId,
};

/// The time, and what else the outside knows at this moment.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Now {
    /// Wall time by the store's clock.
    pub wall: Time,
    /// How long the run has been worked on, over all its workers.
    pub active_ms: u64,
    /// Whether the worker is shutting down: nothing new begins.
    pub draining: bool,
    /// Whether secret arguments of an action that waits can be sealed. Without that such an action is refused
    /// before a person is asked.
    pub can_seal: bool,
    /// What the next model call may cost at most, from a running count.
    pub reserve: Usage,
}

/// Something that happened outside the engine.
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::large_enum_variant, reason = "a few at a time, each moved once")]
pub enum Input {
    /// A worker took the run. The first input of an actor.
    Claimed {
        /// The epoch.
        epoch: Epoch,
        /// The worker.
        worker: WorkerId,
        /// The compiled agent that it has.
        compiled: Digest,
        /// The policy in force.
        policy: Digest,
        /// Standing approvals of the workspace.
        standing: Vec<StandingApproval>,
    },
    /// Signals, in the order of the queue.
    Signals(Vec<QueuedSignal>),
    /// A model call answered.
    Model {
        /// The request.
        request: u32,
        /// What came of it.
        answer: ModelAnswer,
    },
    /// A hook answered.
    Hook {
        /// The hook.
        hook: Hook,
        /// What it was asked about.
        subject: Subject,
        /// Its answer.
        answer: HookAnswer,
    },
    /// What an action would do, for the person who is asked.
    Preview {
        /// The action.
        action: ActionId,
        /// What it would do; or why it would fail, and then no person is asked.
        preview: Result<Payload, Fault>,
        /// What an approval is bound to beside the arguments: the files that it shows.
        expect: Vec<Digest>,
    },
    /// An attempt ended.
    Outcome {
        /// The action.
        action: ActionId,
        /// The attempt.
        attempt: u32,
        /// What came of it.
        outcome: Outcome,
        /// What it cost.
        usage: Usage,
    },
    /// An executor notes a durable fact.
    Note {
        /// The action.
        action: ActionId,
        /// The attempt.
        attempt: u32,
        /// The fact.
        note: Note,
    },
    /// It was found out what became of an attempt of an earlier worker.
    Recovered {
        /// The action.
        action: ActionId,
        /// The attempt.
        attempt: u32,
        /// Whether it is certain that nothing of it runs any more.
        gone: bool,
        /// What the executor knows of it by its key.
        probe: Probe,
        /// The result, if the probe found one.
        result: Option<Payload>,
    },
    /// A program calls a tool out of its sandbox.
    Bridge {
        /// The program.
        action: ActionId,
        /// Its attempt.
        attempt: u32,
        /// The number of the call in the attempt; a repetition is a no-op.
        number: u32,
        /// The call. Its id, origin and parent are set by the engine.
        call: Box<ActionSpec>,
    },
    /// Time passed.
    Tick,
}

/// A signal in the queue of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct QueuedSignal {
    /// Its position.
    pub id: SignalId,
    /// Who sent it.
    pub from: Actor,
    /// What it says.
    pub body: Signal,
}

/// What came of a model call.
#[derive(Clone, Debug, PartialEq)]
pub enum ModelAnswer {
    /// A response.
    Responded(Box<ModelResponse>),
    /// None.
    Failed(Box<ModelFault>),
}

/// Why a model call gave no response.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelFault {
    /// What went wrong.
    pub fault: Fault,
    /// What it cost; none when that is not known.
    pub usage: Option<Usage>,
    /// Whether another attempt may help, and after how long.
    pub retry_in_ms: Option<u64>,
    /// What the provider says about itself.
    pub diagnostics: Value,
}

impl ModelFault {
    /// Returns a fault that another attempt does not help.
    pub fn new(code: impl Into<String>, message: impl Into<String>) -> Self {
        let fault = Fault::new(code, message);
        Self { fault, usage: None, retry_in_ms: None, diagnostics: Value::Null }
    }
}

/// A response of a model, redacted and with its calls prepared.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ModelResponse {
    /// What the model said.
    pub messages: Vec<std::sync::Arc<provost_contract::Message>>,
    /// The calls, in plain mode.
    pub calls: Vec<std::sync::Arc<Call>>,
    /// How many entries of its list of calls are none.
    pub malformed: u32,
    /// Why it stopped.
    pub finish: String,
    /// What it cost; none when the provider does not count.
    pub usage: Option<Usage>,
    /// What the provider reports.
    pub provider: Object,
    /// The typed answer, or why the text is none.
    pub output: Option<Result<Payload, Fault>>,
    /// What a host that talks to models itself adds.
    pub host: Option<Box<HostTurn>>,
    /// The declaration, in protocol mode.
    pub declaration: Option<Parsed>,
}

/// Handles inputs in order, then advances until nothing more follows. The state has taken in what is
/// returned; the caller commits it before it acts on it.
///
/// # Errors
/// If an event cannot follow: a defect of the engine. The state is not to be used any more.
pub fn react(state: &mut RunState, now: &Now, inputs: Vec<Input>) -> Result<Vec<Event>, Illegal> {
    let mut reaction = Reaction { state, now, events: Vec::new(), unread: None, claimed: false };
    for input in inputs {
        reaction.handle(input)?;
    }
    reaction.review_approvals()?;
    reaction.advance()?;
    Ok(reaction.events)
}

/// Returns whether [`react`] would emit something without any input.
pub fn would_advance(state: &RunState, now: &Now) -> bool {
    let mut copy = state.clone();
    let now = Now { draining: false, ..now.clone() };
    react(&mut copy, &now, Vec::new()).map_or(true, |events| !events.is_empty())
}

/// One reaction: the state, and what happened in it so far.
struct Reaction<'a> {
    state: &'a mut RunState,
    now: &'a Now,
    events: Vec<Event>,
    /// What the response of this reaction asks for, if no hook looks at it first.
    unread: Option<Unread>,
    /// Whether a worker took the run: its policy may be another than the one that questions were asked under.
    claimed: bool,
}

/// What a response asks for, before it is declared.
struct Unread {
    calls: Vec<std::sync::Arc<Call>>,
    declaration: Option<Parsed>,
    output_fault: Option<Fault>,
}

type Done = Result<(), Illegal>;

impl Reaction<'_> {
    /// Records something that the runtime did.
    fn emit(&mut self, kind: impl Into<EventKind>) -> Done {
        self.emit_by(Actor::runtime(), kind)
    }

    /// Records something that an actor did.
    fn emit_by(&mut self, actor: Actor, kind: impl Into<EventKind>) -> Done {
        let epoch = self.state.epoch;
        self.emit_in(epoch, actor, kind)
    }

    fn emit_in(&mut self, epoch: Epoch, actor: Actor, kind: impl Into<EventKind>) -> Done {
        let event = Event {
            seq: self.state.seq.plus(1),
            at: self.now.wall,
            epoch,
            actor,
            kind: kind.into(),
            erased: false,
        };
        self.state.apply(&event)?;
        self.events.push(event);
        Ok(())
    }

    /// Handles one input. One that does not match an open effect of the current epoch produces nothing: late and
    /// duplicate answers are harmless.
    fn handle(&mut self, input: Input) -> Done {
        match input {
            Input::Claimed { epoch, worker, compiled, policy, standing } => {
                self.claimed(epoch, worker, compiled, policy, standing)
            }
            Input::Signals(signals) => signals.into_iter().try_for_each(|signal| self.signal(signal)),
            _ if self.state.ended.is_some() => Ok(()),
            Input::Model { request, answer } => self.model(request, answer),
            Input::Hook { hook, subject, answer } => {
                if !turn::is_hook_wanted(self.state, self.now, hook, subject) {
                    return Ok(());
                }
                // Once the work is called done, nothing more is said about the results of its turn.
                let done = hook == Hook::Completion && self.state.is_called_done();
                let answer = match answer {
                    _ if done => HookAnswer::NoOpinion,
                    answer if hook == Hook::Resolve => turn::resolving(answer),
                    HookAnswer::Message { messages, .. } if messages.is_empty() => HookAnswer::NoOpinion,
                    answer => answer,
                };
                self.emit(HookAnswered { hook, subject, answer })
            }
            Input::Preview { action, preview, expect } => self.preview(action, preview, expect),
            Input::Outcome { action, attempt, outcome, usage } => {
                if self.is_open(action, attempt) {
                    return self.close(action, outcome, usage, (EndedBy::Executor, Actor::runtime()));
                }
                Ok(())
            }
            Input::Note { action, attempt, note } => match self.is_open(action, attempt) {
                true => self.emit(ActionNoted { action, attempt, note }),
                false => Ok(()),
            },
            Input::Recovered { action, attempt, gone, probe, result } => {
                self.recovered(action, attempt, Outcome::Lost { gone, probe, result })
            }
            Input::Bridge { action, attempt, number, call } => self.bridge(action, attempt, number, *call),
            Input::Tick => Ok(()),
        }
    }

    /// Follows up on what the state says until nothing more follows.
    fn advance(&mut self) -> Done {
        loop {
            if self.state.ended.is_some() || !self.state.claimed {
                return Ok(());
            }
            let before = self.events.len();
            self.read_response()?;
            self.follow_up()?;
            if self.events.len() == before {
                self.admit()?;
            }
            if self.events.len() == before {
                self.take_turn()?;
            }
            if self.events.len() == before {
                return Ok(());
            }
        }
    }

    fn model_actor() -> Actor {
        Actor::new(ActorKind::Model, "")
    }
}
