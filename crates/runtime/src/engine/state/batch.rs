//! The calls of the current turn.

use std::sync::Arc;

use provost_contract::Message;
use provost_contract::json::Object;

use crate::engine::{CallDeclared, TurnAnswered};

/// How far a call has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// The model asked for it.
    Declared,
    /// It stands in the transcript.
    Opened,
    /// An executor was asked, or is about to be.
    Started,
    /// It has its result; limits and the completion policy have not spoken yet.
    Settled,
    /// Nothing more is to be done about it.
    Done,
}

/// One call of the turn.
#[derive(Clone, Debug, PartialEq)]
pub struct BatchCall {
    /// What the model asked for.
    pub declared: Arc<CallDeclared>,
    /// How far it has come.
    pub stage: Stage,
}

/// The calls of the current turn, and what was decided about the turn meanwhile.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Batch {
    calls: Vec<BatchCall>,
    /// The first call that is not done.
    current: usize,
    /// Whether the engine carries the calls out (and not the host itself).
    pub mediated: bool,
    /// How many calls the model made, malformed ones included.
    pub asked_for: usize,
    /// Results the host reported itself, and how many of them the completion policy has seen.
    pub managed: Vec<Object>,
    /// See `managed`.
    pub managed_judged: usize,
    /// What the host adds after the calls; taken once it was added.
    pub continuation: Vec<Arc<Message>>,
    /// Whether the host added something.
    pub continued: bool,
    /// Whether the completion policy or the mediator called the work done.
    pub complete: bool,
    /// Whether the rest of the calls is left out: a limit, a wait or the mediator stopped the turn.
    pub stopped: bool,
    /// The first call of the turn that was one repetition too many.
    pub repetition: Option<Object>,
    /// Whether a rule kept the model from stopping.
    pub completion_blocked: bool,
    /// Whether somebody was asked for an interrupt already.
    pub interrupt_heard: bool,
    /// What the host said about another turn.
    pub go_on: Option<bool>,
}

impl Batch {
    pub(super) fn of(answered: &TurnAnswered) -> Self {
        let calls = answered.calls.as_deref().unwrap_or_default();
        let declared =
            |declared: &Arc<CallDeclared>| BatchCall { declared: declared.clone(), stage: Stage::Declared };
        Self {
            calls: calls.iter().map(declared).collect(),
            mediated: answered.calls.is_some(),
            asked_for: answered.asked_for,
            managed: answered.managed.results.clone(),
            continuation: answered.continuation.clone(),
            ..Self::default()
        }
    }

    /// The call that needs something next, and its place; none when the turn's calls are over.
    pub fn current(&self) -> Option<(usize, &BatchCall)> {
        let call = self.calls.get(self.current).filter(|_| !self.stopped)?;
        Some((self.current, call))
    }

    /// A call by its place.
    pub fn call(&self, place: usize) -> Option<&BatchCall> {
        self.calls.get(place)
    }

    /// The model called nothing and nobody added anything: it has no more to say.
    pub fn is_natural_end(&self) -> bool {
        self.mediated && self.asked_for == 0 && !self.continued && !self.completion_blocked
    }

    pub(super) fn set_stage(&mut self, place: usize, stage: Stage) {
        debug_assert!(place < self.calls.len(), "an event speaks of a call the turn does not have");
        if let Some(call) = self.calls.get_mut(place) {
            call.stage = stage;
        }
        if stage == Stage::Done {
            self.current = place + 1;
        }
    }
}
