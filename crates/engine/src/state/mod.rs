//! A run as its events made it. Nothing is in the state that is not a function of the events.

mod action;
mod apply;
mod frontier;
mod index;
mod ledger;
mod lines;
mod queue;
mod transcript;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

pub use action::{Action, Answered, Bound, Counts, End, Resolution, Stage};
pub use frontier::Frontier;
pub use ledger::{Holder, Ledger};
pub(crate) use lines::{ARGUMENTS_CHANGED, PARTS, REFUSED_DECLARATION};
pub use lines::{BESIDE_DECLARATION, artifact_of, with_result};
use provost_contract::Message;
use provost_contract::tool::{IdenticalFailureTracker, SpinDetector};
use serde_json::Value;
pub use transcript::{Line, Transcript};

use crate::event::{
    ActionEnd, Continuation, EndStatus, Event, ExecutorKind, Hook, HookAnswer, Mode, ModelResponded,
    ModelUse, NextModel, Purpose, RunSpec, Stop, Subject, WaitKind,
};
use crate::{
    ActionId, Actor, Agent, Digest, Epoch, Payload, Seq, SignalId, StandingApproval, Time, Usage, WaitId,
    WorldEffect,
};

/// The operation of the runtime that writes a report.
pub const REPORT: &str = "report";

/// An event that cannot follow from the ones before it. The state is as it was.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("event {seq} ({kind}) cannot follow: {problem}")]
pub struct Illegal {
    /// The event.
    pub seq: Seq,
    /// Its kind.
    pub kind: &'static str,
    /// What speaks against it.
    pub problem: String,
}

/// The model's part of the state.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ModelState {
    /// How many requests were made.
    pub requests: u32,
    /// The open one.
    pub open: Option<OpenRequest>,
    /// A response that was not read yet.
    pub response: Option<Response>,
    /// The next attempt after a failure.
    pub retry: Option<NextModel>,
    /// Unusable responses in a row.
    pub refusals: u32,
    /// Failed calls in a row.
    pub failures: u32,
}

/// A model call that may be under way.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OpenRequest {
    /// Its number.
    pub request: u32,
    /// What it is for.
    pub purpose: Purpose,
    /// The turn.
    pub turn: u32,
    /// The attempt of the turn.
    pub attempt: u32,
    /// Which model.
    pub model: u32,
    /// The epoch it was made in.
    pub epoch: Epoch,
}

/// A response that was not read yet.
#[derive(Clone, Debug, PartialEq)]
pub struct Response {
    /// What it is for.
    pub purpose: Purpose,
    /// The turn.
    pub turn: u32,
    /// What came.
    pub responded: Arc<ModelResponded>,
}

/// A wait that is open.
#[derive(Clone, Debug, PartialEq)]
pub struct OpenWait {
    /// What is waited for.
    pub kind: WaitKind,
    /// The actions that wait.
    pub actions: Vec<ActionId>,
    /// When the clock answers.
    pub due: Option<Time>,
    /// What the answer is bound to.
    pub binding: Digest,
    /// Whether a message settles it.
    pub supersedable: bool,
    /// What must be unchanged when an approved action runs.
    pub expect: Vec<Digest>,
    /// Whether the child was asked to cancel.
    pub cancel_sent: bool,
}

/// A declaration of the agent protocol, without its actions.
#[derive(Clone, Debug, PartialEq)]
pub struct Declared {
    /// The event.
    pub seq: Seq,
    /// What it is for.
    pub intent: String,
    /// Its title, or what was said beside it.
    pub purpose: Option<String>,
    /// The most that it can cost.
    pub price: Usage,
}

/// A turn whose calls are being carried out.
#[derive(Clone, Debug, PartialEq)]
pub struct OpenTurn {
    /// The turn.
    pub turn: u32,
    /// The declaration of its calls.
    pub declaration: u32,
    /// How many calls the model made, malformed ones included.
    pub asked_for: u32,
    /// Whether the host carried them out itself.
    pub managed: bool,
    /// How many messages of the host follow the calls; they are the first lines after them.
    pub continuation: usize,
    /// Whether the host added messages after the calls.
    pub continued: bool,
    /// Whether a rule did not let the model finish.
    pub blocked: bool,
    /// Whether a message came: of the user, or of a hook that does not let the run end.
    pub spoken: bool,
    /// Whether the host's own policy called the work done.
    pub completes: bool,
}

/// A run as its events made it.
#[derive(Clone, Debug)]
pub struct RunState {
    /// The agent it obeys. Not part of the fold: the spec names it by digest.
    pub agent: Arc<Agent>,
    /// The agent as it is configured today; only its denials count.
    pub today: Option<Arc<Agent>>,
    /// What was asked for.
    pub spec: Arc<RunSpec>,
    /// The newest event.
    pub seq: Seq,
    /// The epoch.
    pub epoch: Epoch,
    /// Whether a worker ever took it.
    pub claimed: bool,
    /// The policy in force.
    pub policy: Digest,
    /// How it ended.
    pub ended: Option<EndStatus>,
    /// Why it stops.
    pub stops: Vec<Stop>,
    /// The signal that cancelled it.
    pub cancel: Option<SignalId>,
    /// Who cancelled it.
    pub cancelled_by: Option<Actor>,
    /// Claims in a row without progress.
    pub claims: u32,
    /// The model's part.
    pub model: ModelState,
    /// Transcript items that the model has not been shown.
    pub unseen: u32,
    /// Whether the model must be asked again: a refusal, or a failure with another attempt.
    pub owed: bool,
    /// Whether a message asks for a turn while work is open.
    pub steer: bool,
    /// The actions, in the order of their declaration.
    pub actions: BTreeMap<ActionId, Box<Action>>,
    /// The ones that have not ended.
    pub open: BTreeSet<ActionId>,
    /// The open ones whose arguments are not known yet.
    pub unresolved: BTreeSet<ActionId>,
    /// Ended actions that a hook still looks at.
    pub unjudged: BTreeSet<ActionId>,
    /// How many declarations were accepted.
    pub declarations: u32,
    /// What a model or a person declared, by number; in protocol mode, as far as the transcript still shows it.
    pub declared: BTreeMap<u32, Declared>,
    /// The open waits, by number.
    pub waits: BTreeMap<u32, OpenWait>,
    /// How many waits were opened.
    pub waits_opened: u32,
    /// What was spent, reserved and counted.
    pub ledger: Ledger,
    /// Standing approvals of the workspace, by scope.
    pub standing: BTreeMap<String, StandingApproval>,
    /// What was approved for the rest of this run, by scope.
    pub remembered: BTreeMap<String, StandingApproval>,
    /// What it did to the world, as far as a shortened transcript must tell it.
    pub frontier: Frontier,
    /// External signals that no action has taken yet.
    pub external: BTreeMap<String, VecDeque<(SignalId, Value)>>,
    /// Messages that wait until nothing is open.
    pub queued: Vec<(Seq, Arc<Message>)>,
    /// Hook answers that were not consumed yet.
    pub hooks: BTreeMap<(Hook, Subject), HookAnswer>,
    /// What the model was shown.
    pub transcript: Transcript,
    /// The turn whose calls are carried out.
    pub turn: Option<OpenTurn>,
    /// Lines that follow the calls of the open turn.
    pub after_turn: Vec<(Seq, Arc<Message>)>,
    /// Equal calls or declarations in a row.
    pub repetition: Repetition,
    /// Equal failures in a row.
    pub failures: Option<IdenticalFailureTracker>,
    /// How long the transcript must be before a summary is tried again.
    pub compact_at: usize,
    /// What the world may have seen of actions that are no longer in the map.
    pub effect: WorldEffect,
    /// The typed answer.
    pub output: Option<Payload>,
    /// The answers that open attempts of suspended calls continue with.
    pub inputs: BTreeMap<ActionId, Payload>,
    /// The tools of the second tier that the model asked for or called, in that order.
    pub promoted: Arc<Vec<String>>,
    /// The resource queues of open actions.
    pub(crate) resources: queue::Resources,
    /// Which open actions need a look.
    pub(crate) index: index::Index,
}

/// Equal calls or declarations in a row.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Repetition {
    /// The detector; none when repetition is not looked at.
    pub detector: Option<SpinDetector>,
    /// The first repetition too many, as observers read it.
    pub found: Option<(Value, u32)>,
}

impl RunState {
    /// Begins a run with its first event.
    ///
    /// # Errors
    /// If the event is not the acceptance of a run.
    pub fn begin(agent: Arc<Agent>, history: Vec<Arc<Message>>, event: &Event) -> Result<Self, Illegal> {
        apply::begin(agent, history, event)
    }

    /// Folds a journal from its beginning.
    ///
    /// # Errors
    /// If an event cannot follow from the ones before it.
    pub fn fold<'a>(
        agent: Arc<Agent>,
        history: Vec<Arc<Message>>,
        events: impl IntoIterator<Item = &'a Event>,
    ) -> Result<Self, Illegal> {
        let mut events = events.into_iter();
        let nothing = || Illegal { seq: Seq(0), kind: "none", problem: "the journal is empty".into() };
        let mut state = Self::begin(agent, history, events.next().ok_or_else(nothing)?)?;
        for event in events {
            state.apply(event)?;
        }
        Ok(state)
    }

    /// Takes in one more event.
    ///
    /// # Errors
    /// If it cannot follow from the ones before it.
    pub fn apply(&mut self, event: &Event) -> Result<(), Illegal> {
        apply::apply(self, event)
    }

    /// Returns an action.
    pub fn action(&self, id: ActionId) -> Option<&Action> {
        self.actions.get(&id).map(|action| &**action)
    }

    /// Returns the actions that have not ended, in order.
    pub fn open_actions(&self) -> impl Iterator<Item = (ActionId, &Action)> {
        self.open.iter().filter_map(|id| Some((*id, self.action(*id)?)))
    }

    /// Returns the name of a wait.
    pub fn wait_id(&self, number: u32) -> WaitId {
        WaitId { run: self.spec.run.clone(), number }
    }

    /// Returns whether a model is asked.
    pub fn has_model(&self) -> bool {
        self.spec.model == ModelUse::Asked
    }

    /// Returns whether its model declares graphs.
    pub fn is_protocol(&self) -> bool {
        self.spec.mode == Mode::Protocol
    }

    /// Returns whether a stop or a cancel lets nothing new begin.
    pub fn is_stopping(&self) -> bool {
        !self.stops.is_empty() || self.cancel.is_some()
    }

    /// Returns whether an action is to be cancelled, by itself or with the run.
    pub fn is_cancelled(&self, action: &Action) -> bool {
        action.cancel || self.cancel.is_some()
    }

    /// Returns whether an open action is a part of another.
    pub fn has_open_parts(&self, id: ActionId) -> bool {
        let may_have = self
            .action(id)
            .is_some_and(|action| action.is_container() || action.executor() == ExecutorKind::Program);
        may_have && self.open_actions().any(|(_, part)| part.spec.under == Some(id))
    }

    /// Returns the report that was written, if one was: it is the answer to the user.
    pub fn report(&self) -> Option<&Action> {
        let written = |action: &&Action| {
            let done = action.end.as_ref().is_some_and(|end| end.status == ActionEnd::Completed);
            done && action.executor() == ExecutorKind::Runtime && action.spec.executor.target == REPORT
        };
        self.actions.values().rev().map(|action| &**action).find(written)
    }

    /// Returns the parts of an action, in order.
    pub fn parts(&self, id: ActionId) -> impl Iterator<Item = &Action> + Clone {
        self.actions.values().map(|action| &**action).filter(move |part| part.spec.under == Some(id))
    }

    /// Returns whether an ended action waits for a decision of the model.
    pub fn is_undecided(&self, action: &Action) -> bool {
        use provost_contract::action::OnFailure;
        let Some(end) = &action.end else { return false };
        let asks = action.spec.on_failure.on_failure == OnFailure::AskModel
            || (action.spec.on_failure.on_failure == OnFailure::Retry && !action.is_repeatable());
        self.is_protocol()
            && self.has_model()
            && asks
            && matches!(end.status, ActionEnd::Failed | ActionEnd::Blocked)
            && end.reason != "dependency"
            && !action.decided
            && !self.is_stopping()
            && !self.is_left_behind(action)
    }

    /// Returns whether an action was a part of one that has ended: nothing can be decided about it any more.
    pub fn is_left_behind(&self, action: &Action) -> bool {
        action.spec.under.is_some_and(|parent| self.action(parent).is_none_or(Action::is_ended))
    }

    /// Returns whether a hook must note something beside a result first.
    pub(crate) fn is_note_open(&self) -> bool {
        let noted =
            |id: &ActionId| self.hooks.contains_key(&(Hook::AfterTool, Subject::Action { action: *id }));
        self.spec.hooks.after_tool && self.unjudged.iter().any(|id| !noted(id))
    }

    /// Returns whether the completion policy looks at a result before the next call of the turn begins. A hook
    /// that only notes something holds nothing up.
    pub(crate) fn is_judging(&self) -> bool {
        let judged =
            |id: &ActionId| self.hooks.contains_key(&(Hook::Completion, Subject::Action { action: *id }));
        let asked = self.spec.hooks.completion && !self.is_protocol();
        asked && self.unjudged.iter().any(|id| !judged(id))
    }

    /// Returns whether the completion policy called the work done.
    pub(crate) fn is_called_done(&self) -> bool {
        self.hooks.iter().any(|((hook, _), answer)| {
            *hook == Hook::Completion && matches!(answer, HookAnswer::Complete { .. })
        })
    }

    /// Returns whether a message waits for the next turn, which then follows whatever else is said.
    pub(crate) fn is_spoken_to(&self) -> bool {
        !self.queued.is_empty() || self.turn.as_ref().is_none_or(|turn| turn.spoken)
    }

    /// Returns whether another turn follows the last one by itself.
    pub(crate) fn goes_on(&self) -> bool {
        let Some(turn) = &self.turn else { return true };
        let calls = !turn.managed && turn.asked_for > 0;
        match self.spec.hooks.continuation {
            Continuation::Asked => true,
            Continuation::WhileCalling => turn.blocked || calls || self.is_protocol(),
            Continuation::Never => turn.blocked,
        }
    }

    /// Returns whether a limit of turns would end the run in the middle of its work.
    pub(crate) fn is_midway(&self) -> bool {
        let Some(turn) = &self.turn else { return true };
        let calls =
            !turn.managed && turn.asked_for > 0 && self.spec.hooks.continuation != Continuation::Never;
        calls || turn.blocked || turn.continued || self.is_spoken_to() || self.is_protocol()
    }

    /// Returns what the world may have seen of the run.
    pub fn world_effect(&self) -> WorldEffect {
        self.actions.values().map(|action| action.effect).fold(self.effect, WorldEffect::max)
    }

    /// Returns the last turn that began.
    pub fn turn_number(&self) -> u32 {
        self.ledger.turns()
    }
}

impl Action {
    /// Returns whether it counts as running only through its parts.
    pub fn is_container(&self) -> bool {
        self.executor() == ExecutorKind::Pipeline || self.spec.each.is_some()
    }
}

/// Two states are equal if every event gives the same on both. The agent is not compared: it is given.
impl PartialEq for RunState {
    fn eq(&self, other: &Self) -> bool {
        let whole = |state: &Self| {
            (state.seq, state.epoch, state.claimed, state.policy, state.ended, state.cancel, state.claims)
        };
        let counts = |state: &Self| {
            (state.unseen, state.owed, state.steer, state.declarations, state.waits_opened, state.compact_at)
        };
        whole(self) == whole(other)
            && counts(self) == counts(other)
            && (&self.stops, &self.cancelled_by) == (&other.stops, &other.cancelled_by)
            && self.model == other.model
            && self.actions == other.actions
            && (&self.open, &self.unresolved) == (&other.open, &other.unresolved)
            && self.unjudged == other.unjudged
            && self.declared == other.declared
            && self.waits == other.waits
            && self.ledger == other.ledger
            && (&self.standing, &self.remembered) == (&other.standing, &other.remembered)
            && self.external == other.external
            && self.queued == other.queued
            && self.hooks == other.hooks
            && self.transcript == other.transcript
            && (&self.turn, &self.after_turn) == (&other.turn, &other.after_turn)
            && (&self.repetition, &self.failures) == (&other.repetition, &other.failures)
            && (self.effect, &self.output) == (other.effect, &other.output)
            && self.inputs == other.inputs
            && (&self.resources, &self.index) == (&other.resources, &other.index)
            && self.frontier == other.frontier
            && self.promoted == other.promoted
    }
}
