//! The state as a whole, and what may be asked of it.

use std::collections::BTreeMap;
use std::sync::Arc;

use provost_contract::json::{self, Object};
use provost_contract::sensitivity;
use provost_contract::tool::{IdenticalFailureTracker, SpinDetector};
use provost_policy::{ActionPolicy, Decision};
use serde_json::Value;

use super::{Batch, Budgets, Records, Rules, Stops, Tools, Words, apply};
use crate::engine::{CallDeclared, Event, History, Kind, RunStatus, Spec};
use crate::port::Seq;

/// Where a run stands between two events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// No turn is under way.
    BetweenTurns,
    /// A turn began; its transcript may be too long.
    Compacting,
    /// The model is to be asked.
    Thinking,
    /// The calls of the turn are carried out; then it is seen whether another follows.
    Calling,
}

/// A run as its events made it.
#[derive(Clone, Debug)]
pub struct RunState {
    /// What was asked for.
    pub spec: Arc<Spec>,
    /// The rules in it.
    pub rules: Arc<Rules>,
    /// The place of the newest event.
    pub head: Seq,
    /// When the run was accepted.
    pub started_at_ms: i64,
    /// Where it stands, or stood when it stopped.
    pub phase: Phase,
    /// Whether the session belongs to the run now.
    pub session_held: bool,
    /// How many turns began.
    pub turn: u64,
    /// The transcript.
    pub history: History,
    /// The calls of the current turn.
    pub batch: Batch,
    /// What was used of each limit.
    pub budgets: Budgets,
    /// Equal calls in a row.
    pub spin: Option<SpinDetector>,
    /// Equal failures in a row.
    pub failures: Option<IdenticalFailureTracker>,
    /// What stops the run, as far as anything does.
    pub stops: Stops,
    /// Everything a result record reports.
    pub records: Records,
    /// By whose word calls were let run.
    pub words: Words,
    /// Tool, layer and rule of questions that need not be asked again, and who said so when asked.
    remembered: BTreeMap<[String; 3], String>,
    /// How long the transcript must be before it is summed up again, after that was in vain.
    pub(super) summed_up_again_at: usize,
    /// How much of the inbox was heard.
    pub heard: u64,
    /// How the run ended, or what it is parked in.
    pub ended: Option<RunStatus>,
}

impl RunState {
    /// The state after the first event. None when that is not the start of a run.
    pub fn begin(event: &Event) -> Option<Self> {
        let Kind::RunStarted(spec) = &event.kind else { return None };
        Self::begin_with(event, Arc::new(Tools::of(&spec.tools, &spec.policy, spec.limits)))
    }

    /// The same when the tools it was started with are read already.
    pub(crate) fn begin_with(event: &Event, tools: Arc<Tools>) -> Option<Self> {
        let Kind::RunStarted(spec) = &event.kind else { return None };
        Some(Self {
            rules: Arc::new(Rules::of(spec, tools)),
            head: event.seq,
            started_at_ms: event.at_ms,
            phase: Phase::BetweenTurns,
            session_held: false,
            turn: 0,
            history: spec.messages.clone().into(),
            batch: Batch::default(),
            budgets: Budgets::new(&spec.budgets),
            spin: spec.spin_threshold.map(SpinDetector::new),
            failures: spec.failure_threshold.map(IdenticalFailureTracker::new),
            stops: Stops::default(),
            records: Records::default(),
            words: Words::default(),
            remembered: BTreeMap::new(),
            summed_up_again_at: 0,
            heard: 0,
            ended: None,
            spec: spec.clone(),
        })
    }

    /// Folds a journal from its beginning. None when there is nothing, or not a run's beginning.
    pub fn fold<'a>(events: impl IntoIterator<Item = &'a Event>) -> Option<Self> {
        let mut events = events.into_iter();
        let mut state = Self::begin(events.next()?)?;
        for event in events {
            state.apply(event);
        }
        Some(state)
    }

    /// Takes in one more event. Total: whatever cannot be was refused before it was appended.
    pub fn apply(&mut self, event: &Event) {
        self.head = event.seq;
        apply::apply(self, event);
    }

    /// Whether somebody must be asked before a call runs: the host's hooks, or a person.
    pub fn asks_about(&self, declared: &CallDeclared) -> bool {
        let facts = self.rules.facts(&declared.name);
        let decided = facts.map(|facts| facts.decision.verdict);
        let by_person = decided == Some(ActionPolicy::Preview) && declared.unprepared.is_none();
        self.spec.asks.mediator
            || self.spec.asks.policy
            || (by_person && !facts.is_some_and(|facts| self.remembers(&declared.name, &facts.decision)))
    }

    /// Whether somebody said that this rule need not ask about this tool again. Another rule still asks.
    pub fn remembers(&self, tool: &str, decision: &Decision<ActionPolicy>) -> bool {
        self.remembered_by(tool, decision).is_some()
    }

    /// Who said so.
    pub fn remembered_by(&self, tool: &str, decision: &Decision<ActionPolicy>) -> Option<&str> {
        if self.remembered.is_empty() {
            return None;
        }
        let question = [tool, decision.layer, &decision.rule].map(str::to_owned);
        self.remembered.get(&question).map(String::as_str)
    }

    pub(super) fn remember(&mut self, tool: &str, (layer, rule): (&str, &str), by: &str) {
        self.remembered.insert([tool, layer, rule].map(str::to_owned), by.to_owned());
    }

    /// Whether the session must be taken before anything else is done.
    pub fn needs_session(&self) -> bool {
        self.spec.session.is_some() && self.spec.asks.lock && !self.session_held
    }

    /// Whether calls are carried out by the engine: there are tools, and somebody to execute them.
    pub fn mediates(&self) -> bool {
        self.spec.has_executor && !self.rules.tools.catalog.tools().is_empty()
    }

    /// Whether the transcript may be too long. Costs nothing as long as it is not.
    pub fn compaction_due(&self) -> bool {
        self.rules.compaction.as_ref().is_some_and(|policy| {
            let too_long = policy.enabled && self.history.len() > policy.max_messages();
            policy.overflow.enabled || (too_long && self.may_sum_up())
        })
    }

    /// Whether somebody is asked for a summary. One that failed, or was none, would be so again at once, and
    /// each costs as much as a turn.
    pub fn may_sum_up(&self) -> bool {
        self.history.len() >= self.summed_up_again_at
    }

    /// The caller's context as far as it was kept: without its secrets.
    pub fn kept_context(&self) -> Object {
        let context = Value::Object(self.spec.context.clone());
        sensitivity::without_redacted(&context).map(json::into_object).unwrap_or_default()
    }

    /// The caller's context with the number of the turn, as everybody who works for the turn gets it.
    pub fn turn_context(&self, context: &Object) -> Object {
        // With just the room it needs: many runs wait at once, each with its own.
        let mut turn_context = Object::with_capacity(context.len() + 1);
        turn_context.extend(context.clone());
        self.count_in(&mut turn_context);
        turn_context
    }

    /// Brings the number of the turn in such a context up to date.
    pub fn count_in(&self, turn_context: &mut Object) {
        match json::get_mut(turn_context, "turn") {
            Some(turn) => *turn = self.turn.into(),
            None => {
                turn_context.insert("turn".into(), self.turn.into());
            }
        }
    }
}
