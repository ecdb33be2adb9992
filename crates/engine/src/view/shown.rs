//! What the events of a run mean to its records and observers, in order.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use provost_contract::Message;
use provost_contract::json::{self, Object};
use provost_contract::tool::ToolDeclaration;
use serde_json::Value;

use super::waiting::{self, Asked};
use crate::event::{
    ActionEnded, Answer, Decision, Event, EventKind, Hook, HookAnswer, HookAnswered, ModelFailed,
    ModelRequested, ModelResponded, Purpose, RunEnded, Signal, SignalTaken, Stop, Subject, WaitOpened,
    WaitSettled,
};
use crate::state::{Action, Illegal, RunState};
use crate::{ActionId, Actor, Agent, hash_of};

/// A call as records name it.
#[derive(Clone, Debug)]
pub(super) struct Called {
    pub(super) action: ActionId,
    pub(super) turn: u32,
    pub(super) name: String,
    pub(super) label: String,
    pub(super) source: String,
    pub(super) parameters: Object,
    pub(super) parameters_sha256: String,
}

/// One thing that records and observers are shown.
#[derive(Clone, Debug)]
pub(super) enum Shown {
    Accepted,
    TurnStarted { turn: u32, messages: usize },
    Responded { turn: u32, declaration: u32, responded: Box<ModelResponded> },
    SummedUp(Object),
    ModelFailed(Box<ModelFailed>),
    Compacted(Vec<Value>),
    Called(Box<Called>),
    Ended(Box<Called>, Box<ActionEnded>),
    Noted(Box<Called>, Object),
    Nudged(Value),
    Waits(Box<Called>, Asked),
    WaitOver(ActionId),
    Approved(Box<Called>, Actor, Decision),
    CompletionStop(Object),
    CompletionContinue(Object),
    CompletionBlocked(Value),
    Continued { turn: u32, role: String },
    InterruptIgnored { turn: u32, reason: String },
    Interrupt(Object),
    Stopping(Stop),
    Signalled(Box<SignalTaken>),
    Resumed,
    Finished(Box<RunEnded>),
}

/// Folds a run, and says of each event what it means.
#[derive(Clone, Debug)]
pub(super) struct Reader {
    pub(super) state: RunState,
    /// Calls that were shown.
    called: BTreeSet<ActionId>,
    /// What a call waits for, as the transcript shows it.
    pub(super) waiting: BTreeMap<ActionId, Arc<Message>>,
    /// The roles of messages that follow the calls of the turn.
    continuation: Vec<String>,
    /// How long the transcript was before it was shortened for the next turn.
    messages: Option<usize>,
    /// Advice that is shown after what a hook notes about the result.
    nudges: BTreeMap<ActionId, Value>,
}

impl Reader {
    pub(super) fn begin(
        agent: &Arc<Agent>,
        history: &[Arc<Message>],
        event: &Event,
    ) -> Result<Self, Illegal> {
        Ok(Self {
            state: RunState::begin(agent.clone(), history.to_vec(), event)?,
            called: BTreeSet::new(),
            waiting: BTreeMap::new(),
            continuation: Vec::new(),
            messages: None,
            nudges: BTreeMap::new(),
        })
    }

    /// The transcript, with what stands in it for calls that wait.
    pub(super) fn transcript(&self) -> crate::state::Transcript {
        self.state.shown_with(&self.waiting)
    }

    /// Takes in the next event.
    pub(super) fn take(&mut self, event: &Event) -> Result<Vec<Shown>, Illegal> {
        let mut shown = Vec::new();
        self.continue_before(&event.kind, &mut shown);
        self.read(event, &mut shown);
        self.state.apply(event)?;
        Ok(shown)
    }

    fn read(&mut self, event: &Event, shown: &mut Vec<Shown>) {
        match &event.kind {
            EventKind::RunAccepted(_) => {}
            EventKind::RunClaimed(_) if self.state.claimed => shown.push(Shown::Resumed),
            EventKind::RunClaimed(_) | EventKind::ActionNoted(_) | EventKind::AttemptEnded(_) => {}
            EventKind::SignalTaken(taken) => self.signal(taken, shown),
            EventKind::RunStopping(stopping) => shown.push(Shown::Stopping(stopping.stop.clone())),
            EventKind::RunEnded(ended) => shown.push(Shown::Finished(ended.clone())),
            EventKind::ModelRequested(requested) => self.requested(requested, shown),
            EventKind::ModelResponded(responded) => self.responded(responded, shown),
            EventKind::ModelFailed(failed) => shown.push(Shown::ModelFailed(failed.clone())),
            EventKind::DeclarationAccepted(accepted) => {
                let host = self.state.model.response.as_ref().and_then(|open| open.responded.host.as_ref());
                if let Some(host) = host.filter(|_| accepted.origin.is_response()) {
                    self.continuation =
                        host.continuation.iter().map(|message| message.role().to_owned()).collect();
                }
            }
            EventKind::ResponseRefused(refused) => {
                if refused.code == "completion_blocked" {
                    let rule = refused.violations.first().cloned().unwrap_or_default();
                    shown.push(Shown::CompletionBlocked(rule));
                }
            }
            EventKind::HistoryCompacted(compacted) => {
                self.remember_length();
                shown.push(Shown::Compacted(compacted.events.clone()));
            }
            EventKind::HookAnswered(answered) => self.hook(answered, shown),
            EventKind::ActionStarted(started) => {
                self.call(started.action, shown);
            }
            EventKind::ActionEnded(ended) => self.ended(ended, shown),
            EventKind::WaitOpened(opened) => self.opened(opened, event, shown),
            EventKind::WaitSettled(settled) => self.settled(settled, shown),
        }
    }

    /// Messages that follow the calls of a turn are added once the calls are over, unless the run stops in
    /// the middle of them.
    fn continue_before(&mut self, kind: &EventKind, shown: &mut Vec<Shown>) {
        let over = self.state.turn.is_some() && self.state.open.is_empty() && self.state.unjudged.is_empty();
        if self.continuation.is_empty() || !over {
            return;
        }
        let roles = std::mem::take(&mut self.continuation);
        let stops = matches!(kind, EventKind::RunStopping(stopping) if stopping.stop.is_midway());
        if !stops && self.state.waits.is_empty() {
            let turn = self.state.turn_number();
            shown.extend(roles.into_iter().map(|role| Shown::Continued { turn, role }));
        }
    }

    fn signal(&mut self, taken: &SignalTaken, shown: &mut Vec<Shown>) {
        if taken.ignored.is_none() {
            shown.push(Shown::Signalled(Box::new(taken.clone())));
        }
        if matches!(taken.body, Signal::Resume { .. }) {
            self.nudges.clear();
        }
    }

    fn remember_length(&mut self) {
        if self.messages.is_none() {
            self.messages = Some(self.state.shown().len());
        }
    }

    fn requested(&mut self, requested: &ModelRequested, shown: &mut Vec<Shown>) {
        self.remember_length();
        if requested.purpose == Purpose::Turn {
            let messages = self.messages.take().unwrap_or_default();
            if requested.attempt == 1 {
                shown.push(Shown::TurnStarted { turn: requested.turn, messages });
            }
        }
    }

    fn responded(&self, responded: &ModelResponded, shown: &mut Vec<Shown>) {
        let Some(open) = self.state.model.open else { return };
        match open.purpose {
            Purpose::Turn => {
                let declaration = self.state.declarations + 1;
                let responded = Box::new(responded.clone());
                shown.push(Shown::Responded { turn: open.turn, declaration, responded });
            }
            Purpose::Compaction | Purpose::Summary { .. } => {
                shown.push(Shown::SummedUp(json::object_or_empty(&responded.provider, "usage")));
            }
        }
    }

    /// A call is shown with the first event about it.
    fn call(&mut self, id: ActionId, shown: &mut Vec<Shown>) -> Option<Called> {
        let called = called(&self.state, self.state.action(id)?);
        if self.called.insert(id) {
            shown.push(Shown::Called(Box::new(called.clone())));
        }
        Some(called)
    }

    fn ended(&mut self, ended: &ActionEnded, shown: &mut Vec<Shown>) {
        self.waiting.remove(&ended.action);
        if ended.reason == "left_out" {
            return;
        }
        let Some(called) = self.call(ended.action, shown) else { return };
        shown.push(Shown::Ended(Box::new(called), Box::new(ended.clone())));
        let nudge = ended.nudge.as_ref().and_then(|nudge| nudge.metadata.get("identical_failure_signature"));
        let Some(nudge) = nudge.cloned() else { return };
        if self.state.spec.hooks.after_tool {
            self.nudges.insert(ended.action, nudge);
        } else {
            shown.push(Shown::Nudged(nudge));
        }
    }

    fn opened(&mut self, opened: &WaitOpened, event: &Event, shown: &mut Vec<Shown>) {
        for id in &opened.actions {
            let Some(called) = self.call(*id, shown) else { continue };
            let Some(action) = self.state.action(*id) else { continue };
            let Some(asked) = waiting::asked(&self.state, action, &called, opened, event.at) else {
                continue;
            };
            self.waiting.insert(*id, asked.message.clone());
            shown.push(Shown::Waits(Box::new(called), asked));
        }
    }

    fn settled(&mut self, settled: &WaitSettled, shown: &mut Vec<Shown>) {
        let Some(wait) = self.state.waits.get(&settled.wait.number) else { return };
        for id in wait.actions.clone() {
            self.waiting.remove(&id);
            shown.push(Shown::WaitOver(id));
            let Some(Answer::Verdicts { verdicts, .. }) = &settled.answer else { continue };
            let Some(decision @ Decision::Approve { .. }) = verdicts.get(&id) else { continue };
            if let Some(action) = self.state.action(id) {
                let called = Box::new(called(&self.state, action));
                shown.push(Shown::Approved(called, settled.by.clone(), decision.clone()));
            }
        }
    }

    fn hook(&mut self, answered: &HookAnswered, shown: &mut Vec<Shown>) {
        let turn = self.state.turn_number();
        match (answered.hook, &answered.answer) {
            (Hook::Policy | Hook::Mediate, _) => {
                if let Subject::Action { action } = answered.subject {
                    self.call(action, shown);
                }
            }
            (Hook::AfterTool, answer) => self.noted(answered.subject, answer, shown),
            (Hook::Completion, HookAnswer::Complete { record, .. }) => {
                shown.push(Shown::CompletionStop(json::object_or_empty(record, "record")));
            }
            (Hook::Completion, HookAnswer::Message { record, .. }) => {
                shown.push(Shown::CompletionContinue(record.clone()));
            }
            (Hook::Interrupt, HookAnswer::Note { value }) => {
                let reason = value.get("ignored").and_then(Value::as_str).unwrap_or_default().to_owned();
                shown.push(Shown::InterruptIgnored { turn, reason });
            }
            (Hook::Interrupt, HookAnswer::Message { record, .. } | HookAnswer::Complete { record, .. }) => {
                shown.push(Shown::Interrupt(record.clone()));
            }
            _ => {}
        }
    }

    fn noted(&mut self, subject: Subject, answer: &HookAnswer, shown: &mut Vec<Shown>) {
        let Subject::Action { action: id } = subject else { return };
        if let (HookAnswer::Note { value: Value::Object(notes) }, Some(action)) =
            (answer, self.state.action(id))
            && !notes.is_empty()
        {
            shown.push(Shown::Noted(Box::new(called(&self.state, action)), notes.clone()));
        }
        shown.extend(self.nudges.remove(&id).map(Shown::Nudged));
    }
}

/// A call as records name it.
pub(super) fn called(state: &RunState, action: &Action) -> Called {
    let turn = state.turn.as_ref().filter(|turn| turn.declaration == action.spec.id.declaration);
    let declaration = state.agent.catalog.get(&action.spec.operation);
    Called {
        action: action.spec.id,
        turn: turn.map_or(state.turn_number(), |turn| turn.turn),
        name: action.spec.operation.clone(),
        label: action.spec.label.clone(),
        source: declaration.map_or("", ToolDeclaration::source).to_owned(),
        parameters: action.args.redacted.clone(),
        parameters_sha256: hash_of(&action.args.redacted).to_string(),
    }
}
