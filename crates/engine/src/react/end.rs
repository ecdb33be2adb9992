//! What the outcome of an attempt means for its action, and the end of an action: the one result that the model
//! gets.

use std::borrow::Cow;
use std::sync::Arc;

use provost_contract::Message;
use provost_contract::json::{self, Object};
use provost_contract::tool::{CallSignature, DuplicatePolicy, FailureSignature};

use super::{Done, Reaction, words};
use crate::event::{ActionEnd, ActionEnded, AttemptEnded, EndedBy, ExecutorKind, Next, Outcome, Phase};
use crate::state::{Action, RunState, Stage};
use crate::{ActionId, Actor, Payload, Usage, WorldEffect};

/// How an action ends.
pub(super) struct Ending {
    pub(super) status: ActionEnd,
    pub(super) reason: Cow<'static, str>,
    pub(super) by: EndedBy,
    pub(super) result: Payload,
    pub(super) satisfying: Option<bool>,
    pub(super) effect: EffectRule,
    pub(super) usage: Usage,
    pub(super) actor: Actor,
}

/// What the world may have seen of an action that ends.
#[derive(Clone, Copy)]
pub(super) enum EffectRule {
    /// As the fold says.
    AsFolded,
    /// As before the open attempt, of which it is certain that it did nothing.
    BeforeAttempt,
}

impl Ending {
    pub(super) fn new(status: ActionEnd, reason: impl Into<Cow<'static, str>>, by: EndedBy) -> Self {
        Self {
            status,
            reason: reason.into(),
            by,
            result: Payload::default(),
            satisfying: None,
            effect: EffectRule::AsFolded,
            usage: Usage::default(),
            actor: Actor::runtime(),
        }
    }

    pub(super) fn completed(by: EndedBy) -> Self {
        Self::new(ActionEnd::Completed, "ok", by)
    }

    pub(super) fn failed(reason: impl Into<Cow<'static, str>>, by: EndedBy) -> Self {
        Self::new(ActionEnd::Failed, reason, by)
    }

    pub(super) fn blocked(reason: impl Into<Cow<'static, str>>, by: EndedBy) -> Self {
        Self::new(ActionEnd::Blocked, reason, by)
    }

    pub(super) fn cancelled(reason: impl Into<Cow<'static, str>>, by: EndedBy) -> Self {
        Self::new(ActionEnd::Cancelled, reason, by)
    }

    pub(super) fn result(mut self, result: Payload) -> Self {
        self.result = result;
        self
    }

    pub(super) fn satisfying(mut self, satisfying: bool) -> Self {
        self.satisfying = Some(satisfying);
        self
    }

    pub(super) fn effect(mut self, effect: EffectRule) -> Self {
        self.effect = effect;
        self
    }

    pub(super) fn usage(mut self, usage: Usage) -> Self {
        self.usage = usage;
        self
    }

    pub(super) fn actor(mut self, actor: Actor) -> Self {
        self.actor = actor;
        self
    }
}

/// What is known about an open attempt that just ended.
pub(super) struct Closing {
    pub(super) id: ActionId,
    pub(super) action: Action,
    pub(super) by: EndedBy,
    pub(super) actor: Actor,
    pub(super) usage: Usage,
    pub(super) cancelled: bool,
    pub(super) cancelled_by: Option<Actor>,
    pub(super) stopping: bool,
}

impl Closing {
    /// The action does not go on, because it was cancelled or the run stops.
    pub(super) fn ended_early(&self, midway: bool) -> Ending {
        let (reason, by) = match self.cancelled {
            true => ("cancelled", EndedBy::Cancel),
            false => ("stopping", EndedBy::Stop),
        };
        Ending::cancelled(reason, by).result(words::cancelled(
            &self.action,
            self.cancelled_by.as_ref(),
            midway,
        ))
    }
}

impl Reaction<'_> {
    /// The open attempt of an action has an outcome.
    pub(super) fn close(
        &mut self,
        id: ActionId,
        outcome: Outcome,
        usage: Usage,
        (by, actor): (EndedBy, Actor),
    ) -> Done {
        let Some(action) = self.state.action(id).cloned() else { return Ok(()) };
        let cancelled = self.state.is_cancelled(&action);
        let stopping = cancelled || !self.state.stops.is_empty();
        let cancelled_by = self.state.cancelled_by.clone();
        let closing = Closing { id, action, by, actor, usage, cancelled, cancelled_by, stopping };
        let Some((closing, outcome)) = self.apply_ended(closing, outcome)? else { return Ok(()) };
        match &outcome {
            Outcome::Completed { result, goal, satisfying } => {
                let (result, goal, satisfying) = (result.clone(), *goal, *satisfying);
                self.completed(closing, outcome, result, goal, satisfying)
            }
            Outcome::Proposed { .. } => self.proposed(closing, outcome),
            Outcome::InputRequired { .. } => self.input_required(closing, outcome),
            Outcome::NotStarted { code } => {
                let code = code.clone();
                self.not_started(closing, &code)
            }
            Outcome::Stale { .. } => self.stale(closing, outcome),
            Outcome::Stopped => self.stopped(closing),
            Outcome::Lost { gone, probe, result } => {
                let (gone, probe, result) = (*gone, *probe, result.clone());
                self.lost(closing, outcome, (gone, probe), result)
            }
            Outcome::Failed { .. } | Outcome::TimedOut { .. } => self.failed(closing, outcome),
            Outcome::Waits { on, ask } => {
                let (on, ask) = (*on, ask.clone());
                self.waits(closing, on, ask)
            }
        }
    }

    /// The attempt is over, the action is not.
    pub(super) fn go_on(&mut self, closing: Closing, outcome: Outcome, next: Next) -> Done {
        let Closing { id: action, usage, actor, .. } = closing;
        let attempt = closing.action.attempt;
        self.emit_by(actor, AttemptEnded { action, attempt, outcome, usage, next })
    }

    /// The action is over with its attempt.
    pub(super) fn close_with(&mut self, closing: Closing, ending: Ending) -> Done {
        self.end(closing.id, ending.usage(closing.usage).actor(closing.actor))
    }

    pub(super) fn completed(
        &mut self,
        closing: Closing,
        outcome: Outcome,
        result: Payload,
        goal: bool,
        satisfying: bool,
    ) -> Done {
        if let Some(repeat) =
            closing.action.spec.repeat.as_ref().filter(|_| closing.action.phase == Phase::Run)
        {
            let until = repeat.until.is_some();
            let more = closing.action.round < repeat.max() && !closing.stopping;
            if more && !(until && goal) {
                return self.go_on(closing, outcome, Next::Round);
            }
            if until && !goal {
                let ending = Ending::failed("rounds_exhausted", closing.by).result(result);
                return self.close_with(closing, ending);
            }
        }
        let ending = Ending::completed(closing.by).result(result).satisfying(satisfying);
        self.close_with(closing, ending)
    }

    /// Ends an action, and its open attempt with it.
    pub(super) fn end(&mut self, id: ActionId, ending: Ending) -> Done {
        let Some(action) = self.state.action(id) else { return Ok(()) };
        let actor = ending.actor.clone();
        let ended = ended(self.state, action, ending);
        self.emit_by(actor, ended)
    }
}

fn ended(state: &RunState, action: &Action, ending: Ending) -> ActionEnded {
    let effect = effect(state, action, &ending);
    let result = words::with_change(action, ending.result);
    let (result, truncated) = within_size(state, action, result);
    let nudge = nudge(state, action, &result);
    ActionEnded {
        action: action.spec.id,
        attempt: (action.stage == Stage::Running).then_some(action.attempt),
        status: ending.status,
        satisfying: ending.satisfying.unwrap_or(ending.status == ActionEnd::Completed),
        effect,
        by: ending.by,
        reason: ending.reason.into_owned(),
        result,
        summary: None,
        citations: Vec::new(),
        artifacts: Vec::new(),
        usage: ending.usage,
        nudge,
        truncated,
    }
}

fn effect(state: &RunState, action: &Action, ending: &Ending) -> WorldEffect {
    // What is done in parts has no effect but theirs.
    if action.is_container() {
        return state.parts(action.spec.id).map(|part| part.effect).fold(WorldEffect::None, WorldEffect::max);
    }
    let (status, by) = (ending.status, ending.by);
    let effect = match ending.effect {
        EffectRule::AsFolded => action.effect,
        EffectRule::BeforeAttempt => action.effect_before,
    };
    // A child says for itself what it did; for everything else, completed means that it happened.
    let certain = status == ActionEnd::Completed && action.executor() != ExecutorKind::Agent;
    let attested = by == EndedBy::Attested && status == ActionEnd::Completed;
    if attested || (certain && effect == WorldEffect::Maybe) { WorldEffect::Done } else { effect }
}

/// Cuts a result that is too large for the model.
fn within_size(state: &RunState, action: &Action, result: Payload) -> (Payload, Option<Object>) {
    let Payload::Inline { value } = &result else { return (result, None) };
    let (Some(truncator), Some(wire)) = (state.agent.truncator, value.as_object()) else {
        return (result, None);
    };
    let truncation = truncator.truncate(wire);
    if !truncation.truncated {
        return (result, None);
    }
    let mut metadata = truncation.metadata;
    metadata.insert("turn".into(), state.turn_number().into());
    metadata.insert("tool_name".into(), action.spec.operation.as_str().into());
    metadata.insert("tool_call_id".into(), action.spec.label.as_str().into());
    let record =
        Object::from_iter([("metadata".to_owned(), metadata.into()), ("original".to_owned(), value.clone())]);
    (Payload::inline(truncation.result), Some(record))
}

/// What the model reads when a call fails the same way again and again.
fn nudge(state: &RunState, action: &Action, result: &Payload) -> Option<Arc<Message>> {
    let result = result.shown().as_object()?;
    let failed = json::get(result, "success") != Some(&true.into());
    let counts = failed && action.spec.facts.duplicate_policy != DuplicatePolicy::Repeatable;
    let mut tracker = state.failures.clone().filter(|_| counts && action.spec.under.is_none())?;
    let call = CallSignature {
        tool_name: action.spec.operation.trim().to_owned(),
        parameters_hash: action.args.raw.to_string(),
    };
    let signature = FailureSignature::of_call(call, result);
    let repeated = tracker.observe(&signature);
    let text = repeated.nudge?;
    let mut record = json::into_object(signature.to_value());
    record.insert("turn".into(), state.turn_number().into());
    record.insert("repeat_count".into(), repeated.repeat_count.into());
    record.insert("threshold".into(), tracker.threshold().into());
    record.insert("message".into(), text.as_str().into());
    let mut message = Message::text("assistant", &text);
    message.metadata.insert("type".into(), "identical_failure_nudge".into());
    message.metadata.insert("identical_failure_signature".into(), record.into());
    Some(Arc::new(message))
}
