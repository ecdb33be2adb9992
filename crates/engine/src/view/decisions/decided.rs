//! One decision, and how it is put together.

use serde_json::Value;

use crate::event::Event;
use crate::state::RunState;
use crate::{ActionId, Actor, ActorKind, Ruling};

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
    /// The action that it is about, if it is about one.
    pub action: Option<ActionId>,
    /// What was decided.
    pub what: String,
    /// The layer of the policy, or the kind of actor, that decided.
    pub layer: String,
    /// The rule.
    pub rule: String,
    /// Why.
    pub reason: String,
    /// Where the rule is written; empty when that is not known.
    pub source: String,
    /// What kind of tools the rule is about; empty when it is about something else.
    pub category: String,
    /// The process that carries out a call.
    pub process: Option<String>,
    /// Where a person's decision came from: user id, terminal, process.
    pub origin: Option<Value>,
}

impl Decided {
    pub(super) fn at(state: &RunState, event: &Event) -> Self {
        let turn = state.turn_number().into();
        Self { seq: event.seq.0, at_ms: event.at.0, turn, ..Self::default() }
    }

    pub(super) fn what(mut self, what: impl Into<String>) -> Self {
        self.what = what.into();
        self
    }

    pub(super) fn layer(mut self, layer: impl Into<String>) -> Self {
        self.layer = layer.into();
        self
    }

    pub(super) fn rule(mut self, rule: impl Into<String>) -> Self {
        self.rule = rule.into();
        self
    }

    pub(super) fn because(mut self, reason: impl Into<String>) -> Self {
        self.reason = reason.into();
        self
    }

    /// The layer and the origin of what an actor decided.
    pub(super) fn by(mut self, actor: &Actor) -> Self {
        self.layer = layer_of(actor).to_owned();
        self.origin = actor.origin.as_ref().and_then(|origin| serde_json::to_value(origin).ok());
        self
    }

    pub(super) fn ruled(self, ruling: &Ruling) -> Self {
        let text = |key: &str| ruling.inputs.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
        let (source, category) = (text("source"), text("category"));
        let decided = self.layer(&ruling.source).rule(&ruling.rule).because(&ruling.reason);
        Self { source, category, ..decided }
    }

    /// The same from the record of a ruling.
    pub(super) fn recorded(self, record: &Value) -> Self {
        let text = |key: &str| record.get(key).and_then(Value::as_str).unwrap_or_default();
        let input =
            |key: &str| record.get("inputs").and_then(|inputs| inputs.get(key)).and_then(Value::as_str);
        let input = |key: &str| input(key).unwrap_or_default().to_owned();
        let (source, category) = (input("source"), input("category"));
        let decided = self.layer(text("layer")).rule(text("rule")).because(text("reason"));
        Self { source, category, ..decided }
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
