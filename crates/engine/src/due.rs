//! What must be under way now: a function of the state, in a fixed order.

use provost_contract::action::policies::CancellationPolicy;

use crate::defect::{self, Defect};
use crate::event::{Hook, Note, Phase, Purpose, Subject};
use crate::react::{Now, wanted_hooks, wanted_previews};
use crate::state::{Action, RunState, Stage};
use crate::{ActionId, Args, Digest, Payload, Time};

/// Something that must be under way, with a stable identity.
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::large_enum_variant, reason = "a few at a time, each moved once")]
pub enum Effect {
    /// A model call.
    Model {
        /// Its number.
        request: u32,
        /// What it is for.
        purpose: Purpose,
        /// The turn.
        turn: u32,
        /// Which model of the agent's list.
        model: u32,
    },
    /// A hook is asked. It may be asked again after a crash.
    Hook {
        /// The hook.
        hook: Hook,
        /// What about.
        subject: Subject,
    },
    /// It is found out what an action would do, for the person who is asked.
    Preview {
        /// The action.
        action: ActionId,
    },
    /// An executor runs. Never twice for the same attempt.
    Execute(Box<Execute>),
    /// A running executor is to stop.
    Stop {
        /// The action.
        action: ActionId,
        /// The attempt.
        attempt: u32,
    },
    /// It is found out what became of an attempt of an earlier worker.
    Recover {
        /// The action.
        action: ActionId,
        /// The attempt.
        attempt: u32,
        /// What the attempt did.
        phase: Phase,
        /// The key that the executor got.
        key: Digest,
        /// The process that it noted.
        process: Option<Note>,
    },
    /// Time is to be looked at again.
    WakeAt(Time),
}

/// What an executor gets.
#[derive(Clone, Debug, PartialEq)]
pub struct Execute {
    /// The action.
    pub action: ActionId,
    /// The attempt.
    pub attempt: u32,
    /// What it does.
    pub phase: Phase,
    /// Recognises a repetition.
    pub key: Digest,
    /// The redacted arguments and the hash of the raw ones.
    pub args: Args,
    /// What must be unchanged.
    pub expect: Vec<Digest>,
    /// The answer that continues a suspended call.
    pub input: Option<Payload>,
    /// How long it may take.
    pub timeout_ms: u64,
}

/// The identity of an effect: what is due and not under way is a set difference of these.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EffectId {
    /// A model call.
    Model(u32),
    /// A hook.
    Hook(Hook, Subject),
    /// A preview.
    Preview(ActionId),
    /// An attempt.
    Execute(ActionId, u32, Phase),
    /// A stop of an attempt.
    Stop(ActionId, u32),
    /// A recovery of an attempt.
    Recover(ActionId, u32),
    /// A time.
    WakeAt(Time),
}

impl EffectId {
    /// Returns whether it only asks what may be done, and changes nothing: a hook or a preview.
    pub fn asks(self) -> bool {
        matches!(self, Self::Hook(..) | Self::Preview(_))
    }
}

impl Effect {
    /// Returns its identity.
    pub fn id(&self) -> EffectId {
        match self {
            Self::Model { request, .. } => EffectId::Model(*request),
            Self::Hook { hook, subject } => EffectId::Hook(*hook, *subject),
            Self::Preview { action } => EffectId::Preview(*action),
            Self::Execute(execute) => EffectId::Execute(execute.action, execute.attempt, execute.phase),
            Self::Stop { action, attempt } => EffectId::Stop(*action, *attempt),
            Self::Recover { action, attempt, .. } => EffectId::Recover(*action, *attempt),
            Self::WakeAt(time) => EffectId::WakeAt(*time),
        }
    }
}

/// Returns what must be under way now.
pub fn due(state: &RunState, now: &Now) -> Vec<Effect> {
    if state.ended.is_some() || !state.claimed {
        return Vec::new();
    }
    let mut effects = Vec::new();
    if let Some(open) = state.model.open {
        let crate::state::OpenRequest { request, purpose, turn, model, .. } = open;
        effects.push(Effect::Model { request, purpose, turn, model });
    }
    let hooks = wanted_hooks(state, now).into_iter();
    effects.extend(hooks.map(|(hook, subject)| Effect::Hook { hook, subject }));
    effects.extend(wanted_previews(state, now).into_iter().map(|action| Effect::Preview { action }));
    effects.extend(state.tasks().map(|(id, action)| attempt(state, id, action)));
    effects.extend(wake_at(state, now).map(Effect::WakeAt));
    effects
}

/// What the open attempt of an action needs.
fn attempt(state: &RunState, id: ActionId, action: &Action) -> Effect {
    let (attempt, phase) = (action.attempt, action.phase);
    let orphaned = action.attempt_epoch < state.epoch && !defect::is(Defect::ExecuteInsteadOfRecover);
    if orphaned {
        let (key, process) = (state.key(action), action.process.clone());
        return Effect::Recover { action: id, attempt, phase, key, process };
    }
    let stops =
        state.is_cancelled(action) && action.policies.cancellation_policy != CancellationPolicy::LetFinish;
    if stops && phase != Phase::Apply && !defect::is(Defect::StopIgnoresRunning) {
        return Effect::Stop { action: id, attempt };
    }
    Effect::Execute(Box::new(Execute {
        action: id,
        attempt,
        phase,
        key: state.key(action),
        args: action.args.clone(),
        expect: action.expect.clone(),
        input: state.inputs.get(&id).cloned(),
        timeout_ms: timeout_ms(state, action),
    }))
}

/// How long an attempt may take: as the tool or the run says, and no longer than the action's own limit.
fn timeout_ms(state: &RunState, action: &Action) -> u64 {
    let usual = action.spec.facts.timeout_ms.unwrap_or(state.spec.limits.tool_ms);
    action.policies.budget_policy.max_ms.map_or(usual, |most| most.min(usual))
}

/// Whether something is under way, so that its time counts. A run that rests spends none.
fn is_at_work(state: &RunState, now: &Now) -> bool {
    state.model.open.is_some()
        || state.running_tasks() > 0
        || !wanted_hooks(state, now).is_empty()
        || !wanted_previews(state, now).is_empty()
}

/// Returns the next time at which something follows by itself.
pub fn wake_at(state: &RunState, now: &Now) -> Option<Time> {
    let retries = state.lively().filter_map(|(_, action)| {
        let resting = matches!(action.stage, Stage::Pending | Stage::Proposed);
        (resting && action.wait.is_none() && action.not_before > now.wall).then_some(action.not_before)
    });
    let model = state.model.retry.map(|retry| retry.not_before).filter(|time| *time > now.wall);
    let works = || !state.is_stopping() && is_at_work(state, now);
    let limited = state.ledger.wall_clock_left_ms(now.active_ms).is_some();
    let wall_clock = (limited && works()).then(|| state.ledger.wall_clock_left_ms(now.active_ms)).flatten();
    let wall_clock = wall_clock.filter(|left| *left > 0).map(|left| now.wall.plus_ms(left));
    retries.chain(model).chain(wall_clock).min()
}
