//! Reads the decisions of a run out of its events.

use std::collections::BTreeMap;
use std::sync::Arc;

use provost_contract::Message;

use super::{Decided, visibility};
use crate::event::{Event, EventKind};
use crate::state::{Illegal, RunState};
use crate::view::rest::{Rests, Woken, rests_for};
use crate::view::shown::called;
use crate::{ActionId, Agent, Time};

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
pub(super) struct Reader {
    pub(super) all: Vec<Decided>,
    pub(super) rests: Rests,
    /// The worker that has the run.
    pub(super) worker: String,
    /// What answers allowed, by wait.
    pub(super) allowed: BTreeMap<u32, Decided>,
    /// The same by action, until the action starts.
    pub(super) permitted: BTreeMap<ActionId, Decided>,
    /// The newest start of each action: its process is noted later.
    pub(super) starts: BTreeMap<ActionId, usize>,
}

impl Reader {
    fn begin(first: &Event) -> Self {
        Self {
            all: Vec::new(),
            rests: Rests::begin(first),
            worker: String::new(),
            allowed: BTreeMap::new(),
            permitted: BTreeMap::new(),
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
    pub(super) fn about(&self, state: &RunState, event: &Event, id: ActionId) -> Decided {
        let decided = Decided::at(state, event);
        let Some(action) = state.action(id) else { return decided };
        let call = called(state, action);
        Decided { tool: call.name, call: call.label, turn: call.turn.into(), action: Some(id), ..decided }
    }
}

fn parked(state: &RunState, since: Time, word: &str) -> Decided {
    let turn = state.turn_number().into();
    Decided { seq: state.seq.0, at_ms: since.0, turn, what: rests_for(word).to_owned(), ..Decided::default() }
}
