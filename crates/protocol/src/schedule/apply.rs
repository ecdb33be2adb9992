//! Events in, transitions out.

use provost_contract::action::{ActionStatus, Idempotency, OnFailure, OutcomeReason};
use provost_contract::policies::CancellationPolicy;

use super::event::{Ending, Event, Goal, Illegal, Wait};
use super::plan::Fixed;
use super::state::{Cell, Schedule, Stop};
use super::transition::{Trigger, follow};
use crate::Choice;

/// What an ending leads to, and why.
type Judged = (Trigger, Option<OutcomeReason>);

/// How often an action may lose its process before it counts as failed.
const INTERRUPTIONS_MAX: u32 = 3;

impl Schedule {
    /// Applies an event and everything that follows from it.
    ///
    /// # Errors
    /// The event does not fit; the schedule is as it was.
    pub fn apply(&mut self, event: Event) -> Result<(), Illegal> {
        self.record(event)?;
        self.settle();
        Ok(())
    }

    /// Applies an event without telling dependents yet, so that a batch is judged together.
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
            self.contention.take(&self.plan.uses, at, &mut self.startable);
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
        // Whoever waits at a gate has done nothing yet: it can be refused, not end.
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
            self.contention.leave(&self.plan.uses, at, &mut self.startable);
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
            self.contention.leave(&self.plan.uses, at, &mut self.startable);
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
            self.contention.wait(&self.plan.uses, at, &mut self.startable);
        }
        Ok(())
    }

    fn stop_by(&mut self, stop: Stop) {
        self.stop = Some(stop);
        self.stop_is_new = true;
    }

    /// Nothing new starts; what has been started is treated as its policy says.
    fn cancel(&mut self) {
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

    fn cancel_started(&mut self, at: usize, rules: super::plan::Rules) {
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

    fn decided(&mut self, at: usize, choice: Choice) -> Result<(), Illegal> {
        let (cell, node) = self.entry(at)?;
        let id = node.id.to_string();
        if self.stop.is_some() {
            return Err(Illegal::Stopped { id });
        }
        if !cell.needs_decision() {
            let trigger = <&str>::from(choice);
            return Err(Illegal::Transition { id, status: cell.status.into(), trigger });
        }
        match choice {
            // Asking somebody decides nothing yet.
            Choice::AskUser => {}
            Choice::Abort => self.stop_by(Stop::Aborted),
            Choice::Retry => {
                self.take_back(at);
                self.shift(at, Trigger::Reopen, None);
                self.forget_failures(at);
                self.contention.wait(&self.plan.uses, at, &mut self.startable);
            }
            Choice::Skip => {
                self.take_back(at);
                self.shift(at, Trigger::Skip, Some(OutcomeReason::Skipped));
                self.untold.push(at);
            }
            Choice::Continue => {
                self.take_back(at);
                if let Some(cell) = self.cells.get_mut(at) {
                    cell.passed_over = true;
                }
                self.untold.push(at);
            }
        }
        Ok(())
    }

    fn forget_failures(&mut self, at: usize) {
        if let Some(cell) = self.cells.get_mut(at) {
            cell.failures = 0;
            cell.interruptions = 0;
            cell.passed_over = false;
        }
    }

    /// The next attempt or round: in the place it has, or behind the others when it gave it up.
    fn go_on(&mut self, at: usize) {
        if self.cells.get(at).is_some_and(|cell| cell.has_place) {
            self.again.insert(at);
            return;
        }
        self.release(at);
        self.contention.wait(&self.plan.uses, at, &mut self.startable);
    }

    /// After a cancel nothing begins again; after an abort only what kept its place does. What failed
    /// then has failed for good.
    fn unless_stopped(&self, cell: &Cell, judged: Judged) -> Judged {
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

    /// Gives back place and resources.
    pub(super) fn release(&mut self, at: usize) {
        self.give_up_place(at);
        let Some(cell) = self.cells.get_mut(at) else { return };
        if std::mem::take(&mut cell.has_resources) {
            self.contention.give_back(&self.plan.uses, at, &mut self.startable);
        }
    }

    fn give_up_place(&mut self, at: usize) {
        let Some(cell) = self.cells.get_mut(at) else { return };
        if std::mem::take(&mut cell.has_place) {
            self.places -= 1;
        }
    }

    fn entry(&self, at: usize) -> Result<(&Cell, &Fixed), Illegal> {
        self.cells.get(at).zip(self.plan.nodes.get(at)).ok_or(Illegal::Unknown { at })
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

/// What an ending means for this action.
fn judged(cell: &Cell, node: &Fixed, ending: Ending) -> Judged {
    let may_repeat = node.rules.idempotency.may_repeat();
    let in_doubt = (Trigger::Doubt, Some(OutcomeReason::InDoubt));
    let tried_enough = cell.failures + 1 >= node.attempts_max();
    match ending {
        Ending::Completed(goal) => round_done(cell, node, goal),
        Ending::Denied => (Trigger::Block, Some(OutcomeReason::Denied)),
        // Whoever cannot be repeated may have had its effect: nobody knows.
        Ending::TimedOut | Ending::Interrupted if !may_repeat => in_doubt,
        Ending::Interrupted if cell.interruptions + 1 < INTERRUPTIONS_MAX => (Trigger::Retry, None),
        Ending::Failed | Ending::TimedOut if may_repeat && !tried_enough => (Trigger::Retry, None),
        Ending::Failed | Ending::TimedOut | Ending::Interrupted => (Trigger::Fail, None),
    }
}

fn round_done(cell: &Cell, node: &Fixed, goal: Goal) -> Judged {
    let last = cell.rounds + 1 >= node.rounds_max();
    match (node.has_goal(), goal, last) {
        (true, Goal::Reached, _) | (false, _, true) => (Trigger::Complete, None),
        // Going on as if the goal were reached would start what must not start.
        (true, Goal::NotReached, true) => (Trigger::Fail, Some(OutcomeReason::RoundsExhausted)),
        (true, Goal::NotReached, false) | (false, _, false) => (Trigger::AnotherRound, None),
    }
}

fn count_attempt(cell: &mut Cell, trigger: Trigger, ending: Ending) {
    if trigger == Trigger::AnotherRound {
        cell.rounds += 1;
        cell.failures = 0;
    } else if trigger == Trigger::Retry && ending == Ending::Interrupted {
        cell.interruptions += 1;
    } else if trigger == Trigger::Retry {
        cell.failures += 1;
    }
}
