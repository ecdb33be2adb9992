//! Applies events to a schedule.

use provost_contract::action::{ActionStatus, OnFailure};

use super::checked_graph::Fixed;
use super::event::{Ending, Event, Illegal, Wait};
use super::judge::{count_attempt, judged};
use super::state::{Cell, Schedule, Stop};
use super::transition::{Trigger, follow};

impl Schedule {
    /// Applies an event and its consequences.
    ///
    /// # Errors
    /// If the event is not legal in the current state; the schedule is unchanged.
    pub fn apply(&mut self, event: Event) -> Result<(), Illegal> {
        self.record(event)?;
        self.settle();
        Ok(())
    }

    /// Applies an event without notifying dependents, so that a batch is judged together.
    pub(super) fn record(&mut self, event: Event) -> Result<(), Illegal> {
        match event {
            Event::Started(at) => self.started(at),
            Event::Ended(at, ending) => self.ended(at, ending),
            Event::Parked(at, wait) => self.parked(at, wait),
            Event::Resumed(at) => self.resumed(at),
            Event::CancelAsked => {
                self.cancel();
                Ok(())
            }
            Event::Decided(at, choice) => self.decided(at, choice),
        }
    }

    fn started(&mut self, at: usize) -> Result<(), Illegal> {
        self.allows(at, Trigger::Start)?;
        if !self.is_ready(at) {
            return Err(self.not_ready(at));
        }
        if !self.again.remove(&at) {
            self.contention.take(&self.graph.uses, at, &mut self.startable);
            self.places += 1;
        }
        if let Some(cell) = self.cells.get_mut(at) {
            cell.has_place = true;
            cell.has_resources = true;
            cell.attempts += 1;
        }
        self.shift(at, Trigger::Start, None);
        Ok(())
    }

    fn ended(&mut self, at: usize, ending: Ending) -> Result<(), Illegal> {
        let (cell, node) = self.entry(at)?;
        let (trigger, reason) = self.unless_stopped(cell, judged(cell, node, ending));
        let aborts = trigger == Trigger::Fail && node.failure.on_failure == OnFailure::Abort;
        let goes_on = trigger == Trigger::Fail && node.failure.on_failure == OnFailure::Continue;
        // An action that waits at a gate has done nothing yet: it can be refused, but it cannot end.
        if cell.attempts == 0 && ending != Ending::Denied {
            return Err(self.not_ready(at));
        }
        self.allows(at, trigger)?;
        self.shift(at, trigger, reason);
        if let Some(cell) = self.cells.get_mut(at) {
            cell.passed_over = goes_on;
            count_attempt(cell, trigger, ending);
        }
        if trigger == Trigger::Retry || trigger == Trigger::AnotherRound {
            self.go_on(at);
            return Ok(());
        }
        // A refusal may come before the start, or between two attempts.
        if trigger == Trigger::Block && !self.again.remove(&at) {
            self.contention.leave(&self.graph.uses, at, &mut self.startable);
        }
        self.release(at);
        self.untold.push(at);
        if aborts {
            self.stop_by(self.stop.unwrap_or(Stop::Aborted));
        }
        Ok(())
    }

    fn parked(&mut self, at: usize, wait: Wait) -> Result<(), Illegal> {
        self.allows(at, Trigger::Park)?;
        let pending = self.status(at) == Some(ActionStatus::Pending);
        if pending && (wait == Wait::Work || !self.startable.contains(&at)) {
            return Err(self.not_ready(at));
        }
        self.shift(at, Trigger::Park, None);
        if pending {
            self.contention.leave(&self.graph.uses, at, &mut self.startable);
        }
        match wait {
            Wait::Gate => self.release(at),
            Wait::Work => self.give_up_place(at),
        }
        Ok(())
    }

    fn resumed(&mut self, at: usize) -> Result<(), Illegal> {
        self.allows(at, Trigger::Resume)?;
        self.release(at);
        if let Some(stop) = self.stop {
            self.end_by_stop(at, stop);
            return Ok(());
        }
        self.shift(at, Trigger::Resume, None);
        if self.cells.get(at).is_some_and(|cell| cell.attempts == 0) {
            self.judge_start(at);
        } else {
            self.contention.wait(&self.graph.uses, at, &mut self.startable);
        }
        Ok(())
    }

    /// Queues the next attempt or round: first if the action still has its slot, else behind the others.
    fn go_on(&mut self, at: usize) {
        if self.cells.get(at).is_some_and(|cell| cell.has_place) {
            self.again.insert(at);
            return;
        }
        self.release(at);
        self.contention.wait(&self.graph.uses, at, &mut self.startable);
    }

    /// Releases slot and resources.
    pub(super) fn release(&mut self, at: usize) {
        self.give_up_place(at);
        let Some(cell) = self.cells.get_mut(at) else { return };
        if std::mem::take(&mut cell.has_resources) {
            self.contention.give_back(&self.graph.uses, at, &mut self.startable);
        }
    }

    fn give_up_place(&mut self, at: usize) {
        let Some(cell) = self.cells.get_mut(at) else { return };
        if std::mem::take(&mut cell.has_place) {
            self.places -= 1;
        }
    }

    pub(super) fn entry(&self, at: usize) -> Result<(&Cell, &Fixed), Illegal> {
        self.cells.get(at).zip(self.graph.nodes.get(at)).ok_or(Illegal::Unknown { at })
    }

    fn allows(&self, at: usize, trigger: Trigger) -> Result<(), Illegal> {
        let (cell, node) = self.entry(at)?;
        if follow(cell.status, trigger).is_some() {
            return Ok(());
        }
        let id = node.id.to_string();
        Err(Illegal::Transition { id, status: cell.status.into(), trigger: trigger.into() })
    }

    fn not_ready(&self, at: usize) -> Illegal {
        match self.entry(at) {
            Ok((cell, node)) => Illegal::NotReady { id: node.id.to_string(), status: cell.status.into() },
            Err(unknown) => unknown,
        }
    }
}
