//! Puts the story of a run together, event by event: live, or from a stored journal, with the same pieces in the
//! same order.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use provost_contract::Message;
use provost_contract::policies::Audience;

use super::outcome::Known;
use super::{Allowance, CallEnd, CallName, CallOutcome, Piece, ProgramOutput, StoryLine, Totals};
use crate::event::{
    ActionEnded, ActionStarted, AllowedBy, Answer, Decision, Event, EventKind, Mode, ModelFailed,
    ModelRequested, ModelResponded, Purpose, RunEnded, Signal, SignalTaken, Stop, WaitKind, WaitOpened,
    WaitSettled,
};
use crate::state::{Illegal, RunState};
use crate::view::rest::{Rests, Woken};
use crate::view::waits;
use crate::{ActionId, Actor, Agent, Time};

/// What stands for a result that a policy keeps from people.
const WITHHELD: &str = "[withheld by the data_visibility policy]";

/// What a run did, and what it came to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Story {
    /// The pieces, in order. Results of calls that ran at once stand in the order of the calls.
    pub lines: Vec<StoryLine>,
    /// What it came to.
    pub totals: Totals,
    /// What it rests for, if it does: `approval_required`, `runtime_tool_pending` or `waiting`.
    pub rests: Option<&'static str>,
}

/// Returns the story of a stored run.
///
/// # Errors
/// If an event cannot follow from the ones before it.
pub fn story(agent: &Arc<Agent>, history: &[Arc<Message>], events: &[Event]) -> Result<Story, Illegal> {
    let Some((first, others)) = events.split_first() else { return Ok(Story::default()) };
    let (mut reader, mut lines) = StoryReader::begin(agent, history, first)?;
    for event in others {
        lines.extend(reader.take(event)?);
    }
    lines.extend(reader.flush());
    Ok(Story { lines, totals: reader.totals(), rests: reader.rests() })
}

/// Reads the events of one run.
#[derive(Debug)]
pub struct StoryReader {
    state: RunState,
    rests: Rests,
    began: Time,
    newest: Time,
    rested_ms: u64,
    /// The numbers of the calls.
    numbers: BTreeMap<ActionId, u32>,
    /// Calls without a result.
    open: BTreeSet<ActionId>,
    /// Results that wait for those of earlier calls.
    held: BTreeMap<ActionId, StoryLine>,
    /// When the open attempt of a call began.
    started: BTreeMap<ActionId, Time>,
    /// When the open question about a call was asked.
    asked: BTreeMap<ActionId, Time>,
    /// How long the last question about a call stood.
    answered_ms: BTreeMap<ActionId, u64>,
    allowed: BTreeMap<ActionId, Allowance>,
    /// When the model was asked, and the turn whose line is due.
    requested: Option<Time>,
    turn_due: Option<u32>,
    cancelled_by: Option<Actor>,
    totals: Totals,
}

impl StoryReader {
    /// Begins with the first event of a run.
    ///
    /// # Errors
    /// If the event does not begin a run.
    pub fn begin(
        agent: &Arc<Agent>,
        history: &[Arc<Message>],
        first: &Event,
    ) -> Result<(Self, Vec<StoryLine>), Illegal> {
        let state = RunState::begin(agent.clone(), history.to_vec(), first)?;
        let asked = state.spec.input.iter().filter(|message| message.role() == "user");
        let prompts = asked.filter_map(|message| Some(message.content.as_text()?.to_owned()));
        let line = |text| StoryLine { seq: first.seq, at: first.at, piece: Piece::Prompt { text } };
        let lines = prompts.map(line).collect();
        let reader = Self {
            state,
            rests: Rests::begin(first),
            began: first.at,
            newest: first.at,
            rested_ms: 0,
            numbers: BTreeMap::new(),
            open: BTreeSet::new(),
            held: BTreeMap::new(),
            started: BTreeMap::new(),
            asked: BTreeMap::new(),
            answered_ms: BTreeMap::new(),
            allowed: BTreeMap::new(),
            requested: None,
            turn_due: None,
            cancelled_by: None,
            totals: Totals::default(),
        };
        Ok((reader, lines))
    }

    /// Takes in the next event, and returns what people read of it.
    ///
    /// # Errors
    /// If the event cannot follow from the ones before it.
    pub fn take(&mut self, event: &Event) -> Result<Vec<StoryLine>, Illegal> {
        let mut pieces = self.woken(event);
        pieces.extend(self.before(event));
        self.state.apply(event)?;
        self.newest = event.at;
        pieces.extend(self.after(event));
        let mut lines = Vec::new();
        for piece in pieces {
            let line = StoryLine { seq: event.seq, at: event.at, piece };
            match &line.piece {
                Piece::Ended(end) => {
                    self.open.remove(&end.call.action);
                    self.held.insert(end.call.action, line);
                    lines.extend(self.in_order());
                }
                _ => {
                    lines.extend(self.flush());
                    lines.push(line);
                }
            }
        }
        Ok(lines)
    }

    /// Returns the results that were held back for earlier calls.
    pub fn flush(&mut self) -> Vec<StoryLine> {
        std::mem::take(&mut self.held).into_values().collect()
    }

    /// Returns the state that the events lead to.
    pub fn state(&self) -> &RunState {
        &self.state
    }

    /// Returns the calls that run now, with the time at which each began, in their order.
    pub fn running(&self) -> impl Iterator<Item = (CallName, Time)> {
        self.started.iter().filter_map(|(id, at)| Some((self.name(*id)?, *at)))
    }

    /// Returns when the open model call began.
    pub fn asks_model_since(&self) -> Option<Time> {
        self.requested
    }

    /// Returns what the run came to so far.
    pub fn totals(&self) -> Totals {
        let spent = self.state.ledger.spent();
        let passed = u64::try_from(self.newest.0.saturating_sub(self.began.0)).unwrap_or_default();
        Totals {
            turns: self.state.turn_number(),
            tokens: spent.get("tokens"),
            cost_microusd: spent.0.get("cost_microusd").copied(),
            ms: passed.saturating_sub(self.rested_ms),
            ..self.totals.clone()
        }
    }

    /// Returns what the run rests for, if it does.
    pub fn rests(&self) -> Option<&'static str> {
        self.rests.now(&self.state).map(|(_, status)| status)
    }

    /// The held results whose earlier calls have all ended.
    fn in_order(&mut self) -> Vec<StoryLine> {
        let first = self.open.first().copied();
        let mut ready = Vec::new();
        while let Some(entry) = self.held.first_entry() {
            if first.is_some_and(|open| open < *entry.key()) {
                break;
            }
            ready.push(entry.remove());
        }
        ready
    }

    fn woken(&mut self, event: &Event) -> Vec<Piece> {
        match self.rests.before(&self.state, event) {
            Woken::FromRest(since, _) => {
                let ms = u64::try_from(event.at.0.saturating_sub(since.0)).unwrap_or_default();
                self.rested_ms = self.rested_ms.saturating_add(ms);
                Vec::new()
            }
            Woken::TakenOver => vec![Piece::TakenOver],
            Woken::No => Vec::new(),
        }
    }

    /// What is read before the state takes the event in: afterwards its wait is gone.
    fn before(&mut self, event: &Event) -> Vec<Piece> {
        match &event.kind {
            EventKind::WaitSettled(settled) => self.settled(event, settled),
            EventKind::ModelResponded(responded) => self.responded(event, responded),
            EventKind::ModelFailed(failed) => self.model_failed(failed),
            _ => Vec::new(),
        }
    }

    fn after(&mut self, event: &Event) -> Vec<Piece> {
        match &event.kind {
            EventKind::ModelRequested(requested) => {
                self.requested(event, requested);
                Vec::new()
            }
            EventKind::DeclarationAccepted(accepted) => {
                let top = accepted.add.iter().filter(|spec| spec.under.is_none());
                for spec in top {
                    let number = u32::try_from(self.numbers.len()).unwrap_or(u32::MAX).saturating_add(1);
                    self.numbers.insert(spec.id, number);
                    self.open.insert(spec.id);
                }
                let answer = accepted.answer.as_ref().and_then(|answer| answer.shown().as_str());
                words(answer.unwrap_or_default()).into_iter().collect()
            }
            EventKind::ResponseRefused(refused) => {
                vec![Piece::ResponseRefused { code: refused.code.clone(), reasons: refused.reasons.clone() }]
            }
            EventKind::HistoryCompacted(compacted) if compacted.upto > 0 => vec![Piece::Compacted],
            EventKind::ActionStarted(started) => {
                self.started(event, started);
                Vec::new()
            }
            EventKind::ActionEnded(ended) => self.ended(event, ended).into_iter().collect(),
            EventKind::WaitOpened(opened) => self.opened(event, opened),
            EventKind::SignalTaken(taken) => self.signalled(taken).into_iter().collect(),
            EventKind::RunEnded(ended) => vec![self.run_ended(ended)],
            EventKind::RunAccepted(_)
            | EventKind::RunClaimed(_)
            | EventKind::RunStopping(_)
            | EventKind::ModelResponded(_)
            | EventKind::ModelFailed(_)
            | EventKind::HistoryCompacted(_)
            | EventKind::HookAnswered(_)
            | EventKind::ActionNoted(_)
            | EventKind::AttemptEnded(_)
            | EventKind::WaitSettled(_) => Vec::new(),
        }
    }

    fn requested(&mut self, event: &Event, requested: &ModelRequested) {
        self.requested = Some(event.at);
        if requested.purpose == Purpose::Turn && requested.attempt == 1 {
            self.turn_due = Some(requested.turn);
        }
    }

    fn responded(&mut self, event: &Event, responded: &ModelResponded) -> Vec<Piece> {
        let since = self.requested.take();
        if !self.state.model.open.is_some_and(|open| open.purpose == Purpose::Turn) {
            return Vec::new();
        }
        let ms = since.and_then(|since| u64::try_from(event.at.0.saturating_sub(since.0)).ok());
        let tokens = responded.usage.get("tokens");
        let turn = self.turn_due.take().map(|turn| Piece::Turn { turn, ms, tokens });
        let texts = responded.messages.iter().filter_map(|message| message.content.as_text());
        let said = texts.collect::<Vec<_>>().join("\n");
        // A declaration is no text for people: what it says to them stands in its answer.
        let said = words(&said).filter(|_| self.state.spec.mode == Mode::Plain);
        turn.into_iter().chain(said).collect()
    }

    fn model_failed(&mut self, failed: &ModelFailed) -> Vec<Piece> {
        self.requested = None;
        let attempt = self.state.model.open.map_or(1, |open| open.attempt);
        let turn = self.turn_due.take().map(|turn| Piece::Turn { turn, ms: None, tokens: 0 });
        let (fault, again) = (failed.fault.clone(), failed.next.is_some());
        turn.into_iter().chain([Piece::ModelFailed { fault, attempt, again }]).collect()
    }

    fn started(&mut self, event: &Event, started: &ActionStarted) {
        self.started.insert(started.action, event.at);
        if let AllowedBy::Standing { scope } = &started.allowed_by {
            let granted = self.state.remembered.get(scope).or_else(|| self.state.standing.get(scope));
            if let Some(approval) = granted {
                let allowance =
                    Allowance { by: approval.by.clone(), after_ms: 0, edited: false, standing: true };
                self.allowed.insert(started.action, allowance);
            }
        }
    }

    fn ended(&mut self, event: &Event, ended: &ActionEnded) -> Option<Piece> {
        let id = ended.action;
        let began = self.started.remove(&id).filter(|_| ended.attempt.is_some());
        let call = self.name(id)?;
        let action = self.state.action(id)?;
        let (arguments, reads) = (action.args.redacted.clone(), action.spec.only_reads());
        let after_ms = self.answered_ms.get(&id).copied().unwrap_or_default();
        let known = Known { actor: &event.actor, cancelled_by: self.cancelled_by.as_ref(), after_ms };
        // What a policy keeps with the runtime is kept from people too.
        let shows = action.policies.data_visibility.shows(Audience::User);
        let end = CallEnd {
            outcome: CallOutcome::of(ended, &known),
            allowed: self.allowed.remove(&id),
            output: ProgramOutput::of(ended.result.shown()).filter(|_| shows),
            result: if shows { ended.result.shown().clone() } else { WITHHELD.into() },
            ms: began.and_then(|began| u64::try_from(event.at.0.saturating_sub(began.0)).ok()),
            call,
            arguments,
            reads,
        };
        self.totals.count(&end);
        Some(Piece::Ended(Box::new(end)))
    }

    fn opened(&mut self, event: &Event, opened: &WaitOpened) -> Vec<Piece> {
        let mut pieces = Vec::new();
        for id in &opened.actions {
            let (Some(call), Some(action)) = (self.name(*id), self.state.action(*id)) else { continue };
            let pending = waits::pending(&self.state, action, opened, event.at);
            pieces.push(match &opened.kind {
                WaitKind::Approval { .. }
                | WaitKind::InDoubt { .. }
                | WaitKind::Question
                | WaitKind::Input => Piece::Asks { call, pending: Box::new(pending) },
                kind @ (WaitKind::Client
                | WaitKind::Child { .. }
                | WaitKind::Timer
                | WaitKind::Signal { .. }) => {
                    Piece::Waits { call, arguments: pending.arguments, kind: kind.clone() }
                }
            });
            self.asked.insert(*id, event.at);
        }
        pieces
    }

    fn settled(&mut self, event: &Event, settled: &WaitSettled) -> Vec<Piece> {
        let wait = self.state.waits.get(&settled.wait.number);
        let actions = wait.map(|wait| wait.actions.clone()).unwrap_or_default();
        let mut pieces = Vec::new();
        for id in actions {
            let asked = self.asked.remove(&id).unwrap_or(event.at);
            let after_ms = u64::try_from(event.at.0.saturating_sub(asked.0)).unwrap_or_default();
            self.answered_ms.insert(id, after_ms);
            match &settled.answer {
                Some(Answer::Verdicts { verdicts, .. }) => {
                    if let Some(Decision::Approve { edit }) = verdicts.get(&id) {
                        let (by, edited) = (settled.by.clone(), edit.is_some());
                        self.allowed.insert(id, Allowance { by, after_ms, edited, standing: false });
                    }
                }
                Some(Answer::Again { .. }) => {
                    let arguments = self.state.action(id).map(|action| action.args.redacted.clone());
                    if let (Some(call), Some(arguments)) = (self.name(id), arguments) {
                        pieces.push(Piece::RunsAgain { call, arguments, by: settled.by.clone() });
                    }
                }
                _ => {}
            }
        }
        pieces
    }

    fn signalled(&mut self, taken: &SignalTaken) -> Option<Piece> {
        if taken.ignored.is_some() {
            let is_answer = matches!(taken.body, Signal::Answer { .. });
            return is_answer.then(|| Piece::AnswerIgnored { by: taken.from.clone() });
        }
        match &taken.body {
            Signal::Cancel { actions: None, reason } => {
                self.cancelled_by = Some(taken.from.clone());
                Some(Piece::CancelAsked { by: taken.from.clone(), reason: reason.clone() })
            }
            Signal::Message { message, .. } => {
                let text = message.content.as_text().unwrap_or_default().to_owned();
                Some(Piece::Message { by: taken.from.clone(), text })
            }
            Signal::Resume { .. } => {
                self.cancelled_by = None;
                Some(Piece::Resumed { by: taken.from.clone() })
            }
            Signal::Cancel { .. }
            | Signal::Submit { .. }
            | Signal::Decide { .. }
            | Signal::External { .. }
            | Signal::Standing { .. }
            | Signal::Answer { .. } => None,
        }
    }

    fn run_ended(&mut self, ended: &RunEnded) -> Piece {
        let of_status = |stop: &&Stop| stop.status() == ended.status;
        let stop = self.state.stops.iter().find(of_status).cloned().map(Box::new);
        Piece::RunEnded { status: ended.status, stop }
    }

    fn name(&self, id: ActionId) -> Option<CallName> {
        let (number, action) = (*self.numbers.get(&id)?, self.state.action(id)?);
        let (tool, label) = (action.spec.operation.clone(), action.spec.label.clone());
        Some(CallName { action: id, number, tool, label })
    }
}

fn words(text: &str) -> Option<Piece> {
    let text = text.trim();
    (!text.is_empty()).then(|| Piece::Words { text: text.to_owned() })
}
