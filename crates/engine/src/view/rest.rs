//! When a run rested, and what woke it. Parking is not an event: it follows from the state.

use super::status::{RunStatus, status};
use crate::Time;
use crate::event::{Event, EventKind, WaitKind};
use crate::react::Now;
use crate::state::RunState;

/// Finds the moments at which a run rested, event by event.
#[derive(Debug)]
pub(super) struct Rests {
    /// Whether the rest that the run is in was reported.
    reported: bool,
    /// When the newest event was recorded.
    at: Time,
}

/// What an event means to a run that rested, or worked, before it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Woken {
    /// It rested since then, for this, and goes on.
    FromRest(Time, &'static str),
    /// It was at work, and a worker goes on with what another began.
    TakenOver,
    /// Neither.
    No,
}

impl Rests {
    /// Begins with the first event of a run.
    pub(super) fn begin(event: &Event) -> Self {
        Self { reported: false, at: event.at }
    }

    /// Looks at the next event, before the state takes it in.
    pub(super) fn before(&mut self, state: &RunState, event: &Event) -> Woken {
        let wakes = match &event.kind {
            EventKind::RunClaimed(_) => state.claimed && state.ended.is_none(),
            EventKind::SignalTaken(taken) => taken.ignored.is_none(),
            EventKind::WaitSettled(settled) => settled.signal.is_some(),
            _ => false,
        };
        let rested = wakes.then(|| rests(state, event.at)).flatten();
        let since = std::mem::replace(&mut self.at, event.at);
        match (rested, self.reported) {
            (Some(_), true) => Woken::No,
            (Some(word), false) => {
                self.reported = true;
                Woken::FromRest(since, word)
            }
            (None, _) => {
                self.reported = false;
                let claims = wakes && matches!(event.kind, EventKind::RunClaimed(_));
                if claims { Woken::TakenOver } else { Woken::No }
            }
        }
    }

    /// When and for what a run rests after its newest event, if it does.
    pub(super) fn now(&self, state: &RunState) -> Option<(Time, &'static str)> {
        Some((self.at, rests(state, self.at)?))
    }
}

/// What a run rests for, in the word of lists; none when it is at work or over.
fn rests(state: &RunState, at: Time) -> Option<&'static str> {
    let now = Now { wall: at, ..Now::default() };
    if status(state, &now) != RunStatus::Waiting {
        return None;
    }
    Some(state.waits.values().map(|wait| word(&wait.kind)).max().map_or("waiting", |(_, word)| word))
}

/// The word for a kind of wait; among several the greatest is shown.
fn word(kind: &WaitKind) -> (u8, &'static str) {
    match kind {
        WaitKind::Client => (2, "runtime_tool_pending"),
        WaitKind::Approval { .. } | WaitKind::InDoubt { .. } | WaitKind::Question | WaitKind::Input => {
            (1, "approval_required")
        }
        WaitKind::Child { .. } | WaitKind::Timer | WaitKind::Signal { .. } => (0, "waiting"),
    }
}

/// Returns what a run that rests waits for, as people read the status of its result record.
pub fn rests_for(status: &str) -> &'static str {
    match status {
        "approval_required" => "waits for a person",
        "runtime_tool_pending" => "waits for a client",
        _ => "waits",
    }
}
