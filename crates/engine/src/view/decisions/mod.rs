//! Every decision of a run, with the layer or actor that made it.
//!
//! A decision is something that could have gone otherwise: a rule that let a call run, an approval, a limit.
//! What only happened (a result, a message) is in the story.

mod call;
mod run;
mod visibility;
mod wait;

use std::collections::BTreeMap;
use std::sync::Arc;

use provost_contract::Message;
use serde_json::Value;

use super::rest::{Rests, Woken};
use super::shown::called;
use crate::event::{Event, EventKind};
use crate::state::{Illegal, RunState};
use crate::{ActionId, Actor, ActorKind, Agent, Ruling, Time};

/// One decision.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Decided {
    /// The event that records it. A run that rests is reported with the newest event before the rest.
    pub seq: u64,
    /// When it was recorded.
    pub at_ms: i64,
    /// The turn; 0 before the first.
    pub turn: u64,
    /// The tool that it is about; empty when it is about the run.
    pub tool: String,
    /// What the model or provider calls the action; empty when it is about a tool or the run.
    pub call: String,
    /// What was decided.
    pub what: String,
    /// The layer of the policy, or the kind of actor, that decided.
    pub layer: String,
    /// The rule.
    pub rule: String,
    /// Why.
    pub reason: String,
    /// The process that carries out a call.
    pub process: Option<String>,
    /// Where a person's decision came from: user id, terminal, process.
    pub origin: Option<Value>,
}

/// Returns the decisions of a run in the order of its journal.
///
/// # Errors
/// If an event cannot follow from the ones before it.
pub fn decisions(
    agent: &Arc<Agent>,
    history: &[Arc<Message>],
    events: &[Event],
) -> Result<Vec<Decided>, Illegal> {
    let Some((first, others)) = events.split_first() else { return Ok(Vec::new()) };
    let mut state = RunState::begin(agent.clone(), history.to_vec(), first)?;
    let mut reader = Reader::begin(first);
    reader.all = visibility::decided(agent, &Decided::at(&state, first));
    for event in others {
        reader.take(&state, event);
        state.apply(event)?;
    }
    reader.rests_now(&state);
    Ok(reader.all)
}

/// Gathers decisions, event by event.
struct Reader {
    all: Vec<Decided>,
    rests: Rests,
    /// The worker that has the run.
    worker: String,
    /// What answers allowed, by wait.
    allowed: BTreeMap<u32, Decided>,
    /// The newest start of each action: its process is noted later.
    starts: BTreeMap<ActionId, usize>,
}

impl Reader {
    fn begin(first: &Event) -> Self {
        Self {
            all: Vec::new(),
            rests: Rests::begin(first),
            worker: String::new(),
            allowed: BTreeMap::new(),
            starts: BTreeMap::new(),
        }
    }

    /// Reads the next event; `state` is the run before it.
    fn take(&mut self, state: &RunState, event: &Event) {
        self.woken(state, event);
        match &event.kind {
            EventKind::RunClaimed(claimed) => self.claimed(state, event, claimed),
            EventKind::SignalTaken(taken) => self.signal(state, event, taken),
            EventKind::RunStopping(stopping) => self.stopping(state, event, &stopping.stop),
            EventKind::RunEnded(ended) => {
                let status: &'static str = ended.status.into();
                self.all.push(Decided::at(state, event).what(format!("ended: {status}")));
            }
            EventKind::ResponseRefused(refused) => self.refused(state, event, refused),
            EventKind::DeclarationAccepted(accepted) => self.declared(state, event, accepted),
            EventKind::ActionStarted(started) => self.started(state, event, started),
            EventKind::ActionNoted(noted) => self.noted(noted),
            EventKind::AttemptEnded(ended) => self.attempt_ended(state, event, ended),
            EventKind::ActionEnded(ended) => self.ended(state, event, ended),
            EventKind::WaitOpened(opened) => self.opened(state, event, opened),
            EventKind::WaitSettled(settled) => self.settled(state, event, settled),
            // These happened and were not decided, or stand in a ruling that follows.
            EventKind::RunAccepted(_)
            | EventKind::ModelRequested(_)
            | EventKind::ModelResponded(_)
            | EventKind::ModelFailed(_)
            | EventKind::HistoryCompacted(_)
            | EventKind::HookAnswered(_) => {}
        }
    }

    /// A run that rested, or lost its worker, goes on.
    fn woken(&mut self, state: &RunState, event: &Event) {
        let resumed = Decided::at(state, event).what("resumed");
        match self.rests.before(state, event) {
            Woken::FromRest(since, word) => self.all.extend([parked(state, since, word), resumed]),
            Woken::TakenOver => {
                let EventKind::RunClaimed(claimed) = &event.kind else { return };
                let other = claimed.worker.as_str() != self.worker;
                let reason = format!("worker {} goes on with what {} began", claimed.worker, self.worker);
                self.all.push(resumed.because(if other { reason } else { String::new() }));
            }
            Woken::No => {}
        }
    }

    fn rests_now(&mut self, state: &RunState) {
        let parked = self.rests.now(state).map(|(since, word)| parked(state, since, word));
        self.all.extend(parked);
    }

    /// A decision about an action.
    fn about(&mut self, state: &RunState, event: &Event, id: ActionId) -> Decided {
        let decided = Decided::at(state, event);
        let Some(action) = state.action(id) else { return decided };
        let call = called(state, action);
        Decided { tool: call.name, call: call.label, turn: call.turn.into(), ..decided }
    }
}

fn parked(state: &RunState, since: Time, word: &str) -> Decided {
    let turn = state.turn_number().into();
    Decided { seq: state.seq.0, at_ms: since.0, turn, what: format!("parked: {word}"), ..Decided::default() }
}

impl Decided {
    fn at(state: &RunState, event: &Event) -> Self {
        let turn = state.turn_number().into();
        Self { seq: event.seq.0, at_ms: event.at.0, turn, ..Self::default() }
    }

    fn what(mut self, what: impl Into<String>) -> Self {
        self.what = what.into();
        self
    }

    fn layer(mut self, layer: impl Into<String>) -> Self {
        self.layer = layer.into();
        self
    }

    fn rule(mut self, rule: impl Into<String>) -> Self {
        self.rule = rule.into();
        self
    }

    fn because(mut self, reason: impl Into<String>) -> Self {
        self.reason = reason.into();
        self
    }

    /// The layer and the origin of what an actor decided.
    fn by(mut self, actor: &Actor) -> Self {
        self.layer = layer_of(actor).to_owned();
        self.origin = actor.origin.as_ref().and_then(|origin| serde_json::to_value(origin).ok());
        self
    }

    fn ruled(self, ruling: &Ruling) -> Self {
        self.layer(&ruling.source).rule(&ruling.rule).because(&ruling.reason)
    }

    /// The same from the record of a ruling.
    fn recorded(self, record: &Value) -> Self {
        let text = |key: &str| record.get(key).and_then(Value::as_str).unwrap_or_default();
        self.layer(text("layer")).rule(text("rule")).because(text("reason"))
    }
}

/// The layer that an actor decides in.
fn layer_of(actor: &Actor) -> &'static str {
    match actor.kind {
        _ if actor.id.starts_with("runtime:") => "control_plane",
        ActorKind::Person => "person",
        ActorKind::Client => "client",
        ActorKind::Model => "model",
        ActorKind::Run | ActorKind::Runtime | ActorKind::Clock => "control_plane",
    }
}
