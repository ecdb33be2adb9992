//! A stop from outside: an abort, or a cancel by the owner of the run.

use provost_contract::action::{ActionStatus, Idempotency, OutcomeReason};
use provost_contract::policies::CancellationPolicy;

use super::checked_graph::Rules;
use super::judge::Judged;
use super::state::{Cell, Schedule, Stop};
use super::transition::Trigger;

impl Schedule {
    pub(super) fn stop_by(&mut self, stop: Stop) {
        self.stop = Some(stop);
        self.stop_is_new = true;
    }

    /// Nothing new starts; running actions follow their cancellation policy.
    pub(super) fn cancel(&mut self) {
        self.stop_by(Stop::Canceled);
        for at in 0..self.cells.len() {
            let Ok((cell, node)) = self.entry(at) else { continue };
            match cell.status {
                ActionStatus::Running | ActionStatus::Waiting => self.cancel_started(at, node.rules),
                ActionStatus::Pending if cell.has_place => {
                    self.again.remove(&at);
                    self.end_by_stop(at, Stop::Canceled);
                }
                ActionStatus::Pending
                | ActionStatus::Completed
                | ActionStatus::Failed
                | ActionStatus::Blocked
                | ActionStatus::Canceled => {}
            }
        }
    }

    fn cancel_started(&mut self, at: usize, rules: Rules) {
        let never_began = self.cells.get(at).is_some_and(|cell| cell.attempts == 0);
        match rules.on_cancel {
            CancellationPolicy::LetFinish if !never_began => {}
            CancellationPolicy::StopAndMarkInDoubt
                if !never_began && rules.idempotency != Idempotency::Pure =>
            {
                self.shift(at, Trigger::Doubt, Some(OutcomeReason::InDoubt));
                self.release(at);
                self.untold.push(at);
            }
            CancellationPolicy::LetFinish
            | CancellationPolicy::Stop
            | CancellationPolicy::StopAndMarkInDoubt => self.end_by_stop(at, Stop::Canceled),
        }
    }

    /// Cancels what was not started; actions that run, or are between two attempts, end by themselves.
    pub(super) fn end_what_never_began(&mut self, stop: Stop) {
        for at in 0..self.cells.len() {
            let Some(cell) = self.cells.get(at) else { continue };
            let at_the_gate = cell.status == ActionStatus::Waiting && cell.attempts == 0;
            if at_the_gate || (cell.status == ActionStatus::Pending && !cell.has_place) {
                self.end_by_stop(at, stop);
            }
        }
    }

    pub(super) fn end_by_stop(&mut self, at: usize, stop: Stop) {
        self.contention.leave(&self.graph.uses, at, &mut self.startable);
        self.shift(at, Trigger::Stop, Some(stop.reason()));
        self.release(at);
        self.untold.push(at);
    }

    /// After a cancel nothing starts again; after an abort only actions that still have their slot do. A
    /// failure is then final.
    pub(super) fn unless_stopped(&self, cell: &Cell, judged: Judged) -> Judged {
        let stop = match self.stop {
            None => return judged,
            Some(Stop::Aborted) if cell.has_place => return judged,
            Some(stop) => stop,
        };
        if judged.0 == Trigger::Retry {
            (Trigger::Fail, None)
        } else if judged.0 == Trigger::AnotherRound {
            (Trigger::Stop, Some(stop.reason()))
        } else {
            judged
        }
    }
}
