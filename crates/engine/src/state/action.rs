//! One action of a run, as its events made it.

use std::sync::{Arc, LazyLock};

use provost_contract::action::ActionStatus;
use provost_contract::action::policies::{Effective, Policies};
use provost_contract::json::Object;

use crate::event::{
    ActionEnd, ActionSpec, Answer, ChangeSet, EndedBy, ExecutorKind, HookAnswer, Note, Phase, Settlement,
};
use crate::{Actor, Args, Digest, Epoch, Fault, Payload, Seq, Time, WorldEffect};

/// How far an action has come. Whether it waits is a field of its own.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, strum::IntoStaticStr, strum::VariantArray,
)]
#[strum(serialize_all = "snake_case")]
pub enum Stage {
    /// It has not started, or goes on after an attempt.
    Pending,
    /// An attempt is open.
    Running,
    /// It was executed, and its changes are not real yet.
    Proposed,
    /// Its executor needs more input.
    Suspended,
    /// An attempt is over, and it is not known what came of it.
    InDoubt,
    /// It is over.
    Ended,
}

/// An answer that holds for exactly these arguments under this policy.
#[derive(Clone, Debug, PartialEq)]
pub struct Bound<T> {
    /// The hash of the arguments, or of a change set.
    pub about: Digest,
    /// The policy.
    pub policy: Digest,
    /// What was answered.
    pub value: T,
}

/// What was answered about an action and has not taken effect yet; the same commit consumes it.
#[derive(Clone, Debug, PartialEq)]
pub enum Answered {
    /// A person said no, or nothing came in time.
    Refused {
        /// The code: `rejected` or `expired`.
        code: &'static str,
        /// Who.
        by: Actor,
        /// Why.
        reason: String,
    },
    /// A message of the user took its place.
    Superseded,
    /// What is in doubt stays so.
    Leave {
        /// Who.
        by: Actor,
        /// Why.
        reason: String,
    },
    /// It happened, and this came of it.
    Happened {
        /// Who.
        by: Actor,
        /// The result.
        payload: Payload,
        /// How it is known.
        reason: String,
    },
    /// Work that was waited for has ended.
    Work {
        /// How the wait was settled.
        how: Settlement,
        /// The answer.
        answer: Option<Answer>,
        /// Who answered.
        by: Actor,
    },
}

/// Whether the references of an action's arguments have values.
#[derive(Clone, Debug, PartialEq)]
pub enum Resolution {
    /// There are none, or they have.
    Known,
    /// They are looked up when the action is ready.
    Open,
    /// One has none.
    Failed(Fault),
}

/// How an action ended.
#[derive(Clone, Debug, PartialEq)]
pub struct End {
    /// The event.
    pub seq: Seq,
    /// How.
    pub status: ActionEnd,
    /// Why, as a code.
    pub reason: String,
    /// Whether it did what was asked for.
    pub satisfying: bool,
    /// What ended it.
    pub by: EndedBy,
    /// Its result.
    pub result: Payload,
    /// What the model reads after it.
    pub nudge: Option<Arc<provost_contract::Message>>,
    /// What the completion policy adds.
    pub remarks: Vec<Arc<provost_contract::Message>>,
}

/// How often things went wrong in a row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Attempts that failed or timed out.
    pub failures: u32,
    /// Attempts whose worker was lost.
    pub losses: u32,
    /// Attempts whose approval was out of date.
    pub stale: u32,
    /// Inputs that were asked for.
    pub inputs: u32,
}

/// One action of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Action {
    /// What was asked for.
    pub spec: Arc<ActionSpec>,
    /// How far it has come.
    pub stage: Stage,
    /// The open wait, by its number.
    pub wait: Option<u32>,
    /// The last attempt; 0 before the first.
    pub attempt: u32,
    /// What the last attempt did.
    pub phase: Phase,
    /// The epoch of the last attempt.
    pub attempt_epoch: Epoch,
    /// The round of its loop.
    pub round: u32,
    /// How often things went wrong in a row.
    pub counts: Counts,
    /// The arguments that it runs with.
    pub args: Args,
    /// Who changed them.
    pub edited_by: Option<Actor>,
    /// Whether its arguments are known.
    pub resolution: Resolution,
    /// The arguments of each entry of a fan-out.
    pub items: Vec<Args>,
    /// What its declaration, its agent and the runtime say of its limits; the strictest of each.
    pub policies: Arc<Effective>,
    /// The approval, and the wait that gave it.
    pub gate: Option<Bound<u32>>,
    /// What the mediator said.
    pub mediated: Option<Bound<HookAnswer>>,
    /// What the policy hook said.
    pub ruled: Option<Bound<HookAnswer>>,
    /// What it would change.
    pub change_set: Option<ChangeSet>,
    /// The approval of the change set.
    pub change_set_gate: Option<Bound<u32>>,
    /// Whether its change set was begun to be applied: it is rolled forward, never given up.
    pub applying: bool,
    /// Whether it began, and so holds its resources until it ends.
    pub holds: bool,
    /// What the world may have seen of it.
    pub effect: WorldEffect,
    /// The same before the open attempt.
    pub effect_before: WorldEffect,
    /// Whether a person must allow the next attempt, whatever the policy says.
    pub must_ask: bool,
    /// Not started before this time.
    pub not_before: Time,
    /// Why it is in doubt.
    pub doubt: Option<String>,
    /// Whether a client answers for the last attempt.
    pub by_client: bool,
    /// An answer that has not taken effect yet.
    pub answered: Option<Answered>,
    /// The answer that continues a suspended call.
    pub input: Option<Payload>,
    /// What a suspended call asks.
    pub request: Option<Payload>,
    /// What its executor noted: its process, or a handle.
    pub process: Option<Note>,
    /// Whether the open attempt made calls that wrote; then it is not transactional.
    pub bridged: bool,
    /// Whether it is to be cancelled.
    pub cancel: bool,
    /// Whether it gave way to another action.
    pub replaced: bool,
    /// Whether the model has seen its end.
    pub seen: bool,
    /// Whether the model decided about its end.
    pub decided: bool,
    /// Whether what depends on it goes on as if it had completed, by a decision.
    pub passed_over: bool,
    /// Whether its words were erased before it started.
    pub erased: bool,
    /// How it ended.
    pub end: Option<End>,
    /// What the executor of the open attempt expects to find unchanged.
    pub expect: Vec<Digest>,
    /// What the diagnostics hook noted.
    pub notes: Object,
}

impl Action {
    pub(crate) fn new(spec: Arc<ActionSpec>) -> Self {
        Self {
            args: spec.args.clone(),
            stage: Stage::Pending,
            wait: None,
            attempt: 0,
            phase: Phase::Run,
            attempt_epoch: Epoch(0),
            round: 1,
            counts: Counts::default(),
            edited_by: None,
            resolution: if spec.resolves || spec.each.is_some() {
                Resolution::Open
            } else {
                Resolution::Known
            },
            items: Vec::new(),
            policies: effective(&spec.policies),
            gate: None,
            mediated: None,
            ruled: None,
            change_set: None,
            change_set_gate: None,
            applying: false,
            holds: false,
            effect: WorldEffect::None,
            effect_before: WorldEffect::None,
            must_ask: false,
            not_before: Time(0),
            doubt: None,
            by_client: false,
            answered: None,
            input: None,
            request: None,
            process: None,
            bridged: false,
            cancel: false,
            replaced: false,
            seen: false,
            decided: false,
            passed_over: false,
            erased: false,
            end: None,
            expect: Vec::new(),
            notes: Object::new(),
            spec,
        }
    }

    /// Returns whether the mediator calls the work of the run done with it.
    pub fn completes(&self) -> bool {
        match self.mediated.as_ref().map(|said| &said.value) {
            Some(HookAnswer::Reject { completes, .. } | HookAnswer::Replace { completes, .. }) => *completes,
            Some(HookAnswer::Complete { .. }) => true,
            Some(
                HookAnswer::NoOpinion
                | HookAnswer::Proceed { .. }
                | HookAnswer::Wait { .. }
                | HookAnswer::Resolved { .. }
                | HookAnswer::Message { .. }
                | HookAnswer::Note { .. }
                | HookAnswer::Failed { .. },
            )
            | None => false,
        }
    }

    /// Returns whether it was looked at: a hook spoke about it, it waits, or it started.
    pub fn has_begun(&self) -> bool {
        self.holds || self.wait.is_some() || self.mediated.is_some() || self.ruled.is_some()
    }

    /// Returns whether it is over.
    pub fn is_ended(&self) -> bool {
        self.stage == Stage::Ended
    }

    /// Returns the kind of its executor.
    pub fn executor(&self) -> ExecutorKind {
        self.spec.executor.kind
    }

    /// Returns whether another attempt is safe once the process of the last one is gone.
    pub fn is_repeatable(&self) -> bool {
        if self.phase == Phase::Apply {
            return true;
        }
        match self.executor() {
            ExecutorKind::Program => self.spec.facts.may_repeat() && !self.bridged,
            ExecutorKind::Human
            | ExecutorKind::Timer
            | ExecutorKind::Signal
            | ExecutorKind::Pipeline
            | ExecutorKind::Runtime => true,
            ExecutorKind::Agent => self.effect == WorldEffect::None,
            ExecutorKind::Tool | ExecutorKind::Service | ExecutorKind::Client => self.spec.facts.may_repeat(),
        }
    }

    /// Returns the public status.
    pub fn status(&self) -> ActionStatus {
        match (&self.end, self.wait, self.stage) {
            (Some(end), ..) => match end.status {
                ActionEnd::Completed => ActionStatus::Completed,
                ActionEnd::Failed => ActionStatus::Failed,
                ActionEnd::Blocked => ActionStatus::Blocked,
                ActionEnd::Cancelled => ActionStatus::Canceled,
            },
            (None, Some(_), _) => ActionStatus::Waiting,
            (None, None, Stage::Pending) => ActionStatus::Pending,
            (None, None, _) => ActionStatus::Running,
        }
    }

    /// Returns whether the last gate holds for its arguments under a policy.
    pub fn is_approved(&self, policy: Digest) -> bool {
        self.gate.as_ref().is_some_and(|gate| gate.about == self.args.raw && gate.policy == policy)
    }
}

/// The limits of an action as its record explains them: each policy with its value, and the layer that decided it.
fn effective(explained: &serde_json::Value) -> Arc<Effective> {
    static DEFAULTS: LazyLock<Arc<Effective>> = LazyLock::new(Arc::default);
    if explained.is_null() {
        return DEFAULTS.clone();
    }
    let entries = explained.as_object().into_iter().flatten();
    let said: Object =
        entries.filter_map(|(name, of)| Some((name.clone(), of.get("value")?.clone()))).collect();
    Arc::new(Policies::parse(&said.into()).unwrap_or_default().into())
}
