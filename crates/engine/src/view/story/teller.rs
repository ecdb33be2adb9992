//! Puts the story of a run together, event by event.

use std::collections::BTreeMap;
use std::sync::Arc;

use provost_contract::Message;
use serde_json::Value;

use super::{CallName, Piece, Story, StoryLine};
use crate::event::{ActionEnded, Answer, Decision, Event, EventKind, ModelFailed, Signal, Stop, WaitKind};
use crate::state::{Illegal, RunState};
use crate::view::rest::{Rests, Woken};
use crate::view::shown::{Called, Reader, Shown, called};
use crate::view::waiting;
use crate::{ActionId, Agent, Fault};

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
                    false => Piece::Asks { call, kind, preview: waiting::preview(opened, &asked.value) },
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
