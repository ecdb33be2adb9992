//! What a run did, turn by turn, as pieces that a door prints.

use std::collections::BTreeMap;
use std::sync::Arc;

use provost_contract::Message;
use provost_contract::json::Object;
use serde_json::Value;

use super::rest::{Rests, Woken};
use super::shown::{Called, Reader, Shown, called};
use crate::event::{
    ActionEnded, Answer, Decision, EndStatus, Event, EventKind, ModelFailed, Signal, Stop, WaitKind,
};
use crate::state::{Illegal, RunState};
use crate::{ActionId, Actor, Agent, Fault, Seq, Time};

/// What a run did.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Story {
    /// Its pieces, in order. Results of calls that ran at once stand in the order of the calls.
    pub lines: Vec<StoryLine>,
    /// How many turns began.
    pub turns: u32,
    /// How many calls have a result.
    pub results: u64,
    /// How many tokens were used.
    pub tokens: u64,
}

/// One piece of the story, and the event that it comes from.
#[derive(Clone, Debug, PartialEq)]
pub struct StoryLine {
    /// The event.
    pub seq: Seq,
    /// When it was recorded.
    pub at: Time,
    /// What happened.
    pub piece: Piece,
}

/// The call that a piece is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallName {
    /// The action.
    pub action: ActionId,
    /// The tool, or the verb of an action without one.
    pub tool: String,
    /// What the model or provider calls it.
    pub label: String,
}

/// Something that happened.
#[derive(Clone, Debug, PartialEq)]
pub enum Piece {
    /// A turn began.
    Turn {
        /// The turn.
        turn: u32,
    },
    /// A call was looked at for the first time.
    Called {
        /// The call.
        call: CallName,
        /// Its redacted arguments.
        arguments: Object,
    },
    /// A call has its result.
    Ended {
        /// The call.
        call: CallName,
        /// Whether it did its work.
        success: bool,
        /// What it says of itself: a summary, or the error.
        said: String,
    },
    /// A person is asked.
    Asks {
        /// The call.
        call: CallName,
        /// What is asked for: an approval, a doubt, a question, an input.
        kind: WaitKind,
        /// What would happen.
        preview: Value,
    },
    /// A client, a child run, the clock or a signal is waited for.
    Waits {
        /// The call.
        call: CallName,
        /// What is waited for.
        kind: WaitKind,
    },
    /// A call was allowed.
    Allowed {
        /// The call.
        call: CallName,
        /// Who allowed it.
        by: Actor,
        /// Whether with other arguments.
        edited: bool,
    },
    /// A model call gave no response.
    ModelFailed {
        /// What went wrong.
        fault: Fault,
        /// Whether the model is asked again by itself.
        again: bool,
    },
    /// The run stops. A fault of the model that stops it is reported once, as that.
    Stops {
        /// Why.
        stop: Stop,
    },
    /// A cancel of the whole run came.
    CancelAsked {
        /// Who sent it.
        by: Actor,
        /// Why.
        reason: String,
    },
    /// A message came.
    Message {
        /// Who sent it.
        by: Actor,
    },
    /// The run rests.
    Parked {
        /// What for: `approval_required`, `runtime_tool_pending` or `waiting`.
        status: &'static str,
    },
    /// It goes on.
    Resumed,
    /// It is over.
    RunEnded {
        /// How.
        status: EndStatus,
    },
}

/// Returns the story of a run.
///
/// # Errors
/// If an event cannot follow from the ones before it.
pub fn story(agent: &Arc<Agent>, history: &[Arc<Message>], events: &[Event]) -> Result<Story, Illegal> {
    let Some((first, others)) = events.split_first() else { return Ok(Story::default()) };
    let mut reader = Reader::begin(agent, history, first)?;
    let (mut teller, mut rests) = (Teller::default(), Rests::begin(first));
    for event in others {
        teller.woken(&reader.state, event, &mut rests);
        teller.of_event(&reader.state, event);
        for shown in reader.take(event)? {
            teller.take(event, shown);
        }
    }
    teller.flush();
    if let Some((at, status)) = rests.now(&reader.state) {
        teller.story.lines.push(StoryLine { seq: reader.state.seq, at, piece: Piece::Parked { status } });
    }
    let ledger = &reader.state.ledger;
    let (turns, tokens) = (reader.state.turn_number(), ledger.spent().get("tokens"));
    Ok(Story { turns, tokens, ..teller.story })
}

#[derive(Default)]
struct Teller {
    story: Story,
    /// Results that wait for those of earlier calls.
    ended: BTreeMap<ActionId, Vec<StoryLine>>,
    /// The fault of the newest model call that stops the run.
    fault: Option<Fault>,
}

impl Teller {
    fn push(&mut self, event: &Event, piece: Piece) {
        self.flush();
        self.story.lines.push(StoryLine { seq: event.seq, at: event.at, piece });
    }

    fn flush(&mut self) {
        self.story.lines.extend(std::mem::take(&mut self.ended).into_values().flatten());
    }

    fn woken(&mut self, state: &RunState, event: &Event, rests: &mut Rests) {
        let woken = rests.before(state, event);
        if let Woken::FromRest(at, status) = woken {
            self.flush();
            self.story.lines.push(StoryLine { seq: state.seq, at, piece: Piece::Parked { status } });
        }
        if woken != Woken::No {
            self.push(event, Piece::Resumed);
        }
    }

    /// What no reader of records is shown.
    fn of_event(&mut self, state: &RunState, event: &Event) {
        match &event.kind {
            EventKind::WaitOpened(opened) => {
                let asks_no_one =
                    matches!(opened.kind, WaitKind::Child { .. } | WaitKind::Timer | WaitKind::Signal { .. });
                for action in opened.actions.iter().filter_map(|id| state.action(*id)).filter(|_| asks_no_one)
                {
                    let call = CallName::of(&called(state, action));
                    self.push(event, Piece::Waits { call, kind: opened.kind.clone() });
                }
            }
            EventKind::WaitSettled(settled) if matches!(settled.answer, Some(Answer::Again { .. })) => {
                let actions = state.waits.get(&settled.wait.number).map(|wait| wait.actions.as_slice());
                for action in actions.unwrap_or_default().iter().filter_map(|id| state.action(*id)) {
                    let (call, by) = (CallName::of(&called(state, action)), settled.by.clone());
                    self.push(event, Piece::Allowed { call, by, edited: false });
                }
            }
            _ => {}
        }
    }

    fn take(&mut self, event: &Event, shown: Shown) {
        let piece = match shown {
            Shown::TurnStarted { turn, .. } => Piece::Turn { turn },
            Shown::Called(call) => Piece::Called { call: CallName::of(&call), arguments: call.parameters },
            Shown::Ended(call, ended) => return self.ended(event, &call, &ended),
            Shown::Waits(call, asked) => {
                let EventKind::WaitOpened(opened) = &event.kind else { return };
                let (call, kind) = (CallName::of(&call), opened.kind.clone());
                match asked.client {
                    true => Piece::Waits { call, kind },
                    false => Piece::Asks { call, kind, preview: preview(&asked.value) },
                }
            }
            Shown::Approved(call, by, decision) => {
                let edited = matches!(decision, Decision::Approve { edit: Some(_) });
                Piece::Allowed { call: CallName::of(&call), by, edited }
            }
            Shown::ModelFailed(failed) => self.model_failed(*failed),
            Shown::Stopping(stop) => match stop {
                Stop::Failed { fault } if self.fault.as_ref() == Some(&fault) => return,
                // The signal and the end say so.
                Stop::Cancelled { .. } | Stop::Completed { .. } => return,
                stop => Piece::Stops { stop },
            },
            Shown::Signalled(taken) => match taken.body {
                Signal::Cancel { actions: None, reason } => Piece::CancelAsked { by: taken.from, reason },
                Signal::Message { .. } => Piece::Message { by: taken.from },
                Signal::Resume { .. } => Piece::Resumed,
                Signal::Cancel { .. }
                | Signal::Decide { .. }
                | Signal::External { .. }
                | Signal::Standing { .. }
                | Signal::Answer { .. } => return,
            },
            Shown::Finished(ended) => Piece::RunEnded { status: ended.status },
            // These are in the records; a rest and its end come from the state.
            Shown::Accepted
            | Shown::Responded { .. }
            | Shown::SummedUp(_)
            | Shown::Compacted(_)
            | Shown::Noted(..)
            | Shown::Nudged(_)
            | Shown::WaitOver(_)
            | Shown::CompletionStop(_)
            | Shown::CompletionContinue(_)
            | Shown::CompletionBlocked(_)
            | Shown::Continued { .. }
            | Shown::InterruptIgnored { .. }
            | Shown::Interrupt(_)
            | Shown::Resumed => return,
        };
        self.push(event, piece);
    }

    fn model_failed(&mut self, failed: ModelFailed) -> Piece {
        let (fault, again) = (failed.fault, failed.next.is_some());
        self.fault = (!again).then(|| fault.clone());
        Piece::ModelFailed { fault, again }
    }

    fn ended(&mut self, event: &Event, call: &Called, ended: &ActionEnded) {
        self.story.results += 1;
        let result = ended.result.shown();
        let said = ended.summary.as_deref();
        let said = said.or_else(|| result.pointer("/metadata/summary").and_then(Value::as_str));
        let said = said.or_else(|| result.get("error").and_then(Value::as_str)).unwrap_or_default();
        let success = result.get("success") == Some(&Value::Bool(true));
        let piece = Piece::Ended { call: CallName::of(call), success, said: said.to_owned() };
        let line = StoryLine { seq: event.seq, at: event.at, piece };
        self.ended.entry(call.action).or_default().push(line);
    }
}

impl CallName {
    fn of(call: &Called) -> Self {
        Self { action: call.action, tool: call.name.clone(), label: call.label.clone() }
    }
}

fn preview(proposal: &Value) -> Value {
    proposal.pointer("/payload/preview").cloned().unwrap_or_default()
}
