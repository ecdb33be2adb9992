//! What follows from what is known about the open actions: answers take effect, dependencies block,
//! cancels and stops close what is open.

use provost_contract::action::{ActionStatus, OnFailure};

use super::end::Ending;
use super::{Done, Reaction, words};
use crate::defect::{self, Defect};
use crate::event::{
    ActionEnd, Answer, EndedBy, ExecutorKind, Outcome, RunStopping, Settlement, Stop, WaitKind, WaitSettled,
};
use crate::state::{Action, Answered, RunState, Stage};
use crate::{ActionId, Actor, Fault, Payload, Usage, WorldEffect};

/// Where the dependencies of an action stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dependencies {
    /// Some have not ended, or wait for a decision.
    Open,
    /// It may start.
    Met,
    /// One did not complete.
    Broken,
    /// A condition does not hold, or everything it depends on was left out.
    Unwanted,
}

impl RunState {
    /// Returns where the dependencies of an action stand.
    pub(crate) fn dependencies(&self, action: &Action) -> Dependencies {
        let (mut open, mut met, mut unwanted) = (false, false, false);
        for id in &action.spec.depends_on {
            let Some(dependency) = self.action(*id) else { return Dependencies::Broken };
            let Some(end) = &dependency.end else {
                open = true;
                continue;
            };
            // A condition looks at how it ended, whatever is decided about that.
            let mut conditions = action.spec.when.iter().filter(|when| when.action == *id).peekable();
            if conditions.peek().is_some() {
                let holds = conditions.all(|when| ActionStatus::from(when.status) == dependency.status());
                met |= holds;
                unwanted |= !holds;
                continue;
            }
            if self.is_undecided(dependency) {
                open = true;
                continue;
            }
            if dependency.passed_over {
                met = true;
                continue;
            }
            let continues = dependency.spec.on_failure.on_failure == OnFailure::Continue
                || defect::is(Defect::FailureUnlocks);
            match end.status {
                ActionEnd::Completed if end.satisfying => met = true,
                ActionEnd::Cancelled
                    if matches!(end.reason.as_str(), "condition_not_met" | "skipped" | "revised") => {}
                ActionEnd::Failed if continues => met = true,
                ActionEnd::Completed | ActionEnd::Cancelled | ActionEnd::Failed | ActionEnd::Blocked => {
                    return Dependencies::Broken;
                }
            }
        }
        match () {
            () if open => Dependencies::Open,
            () if unwanted || (!action.spec.depends_on.is_empty() && !met) => Dependencies::Unwanted,
            () => Dependencies::Met,
        }
    }
}

impl Reaction<'_> {
    /// Brings every open action as far as what is known allows, without starting anything.
    pub(super) fn follow_up(&mut self) -> Done {
        let lively: Vec<ActionId> = self.state.lively().map(|(id, _)| id).collect();
        for id in lively {
            let Some(action) = self.state.action(id).filter(|action| !action.is_ended()) else { continue };
            if let Some(number) = action.wait {
                self.follow_wait(id, number)?;
            } else if action.stage == Stage::Running {
                self.follow_running(id)?;
            } else {
                self.follow_resting(id)?;
            }
        }
        self.stop_when_calls_are_spent()
    }

    fn follow_wait(&mut self, id: ActionId, number: u32) -> Done {
        let (Some(action), Some(wait)) = (self.state.action(id), self.state.waits.get(&number)) else {
            return Ok(());
        };
        // Nothing begins in a run that stops: an approval or an input would come to nothing.
        let is_gate = matches!(wait.kind, WaitKind::Approval { .. } | WaitKind::Input);
        let is_child = matches!(wait.kind, WaitKind::Child { .. });
        let withdraw =
            (self.state.is_cancelled(action) && !is_child) || (is_gate && !self.state.stops.is_empty());
        if withdraw {
            return self.settle(number, Settlement::Withdrawn, None);
        }
        let WaitKind::Signal { name } = &wait.kind else { return Ok(()) };
        let Some((_, payload)) = self.state.external.get(name).and_then(|queue| queue.front()) else {
            return Ok(());
        };
        let answer = Answer::Result {
            payload: Payload::inline(payload.clone()),
            status: ActionEnd::Completed,
            satisfying: true,
            effect: WorldEffect::None,
            usage: Usage::default(),
        };
        self.settle(number, Settlement::Answered, Some(answer))
    }

    /// The run settles a wait itself.
    pub(super) fn settle(&mut self, number: u32, how: Settlement, answer: Option<Answer>) -> Done {
        let wait = self.state.wait_id(number);
        let settled =
            WaitSettled { wait, how, by: Actor::runtime(), signal: None, answer, usage: Usage::default() };
        self.emit(settled)
    }

    fn follow_running(&mut self, id: ActionId) -> Done {
        let Some(action) = self.state.action(id) else { return Ok(()) };
        if let Some(Answered::Work { how, answer, by }) = action.answered.clone() {
            return self.work_answered(id, how, answer, by);
        }
        if !action.is_container() || self.state.has_open_parts(id) {
            return Ok(());
        }
        let cancelled = self.state.is_cancelled(action);
        let parts = self.state.parts(id);
        let all_done =
            parts.clone().all(|part| part.end.as_ref().is_some_and(|end| end.status == ActionEnd::Completed));
        let parts: Vec<ActionId> = parts.map(|part| part.spec.id).collect();
        let outcome = match (cancelled, all_done) {
            (true, _) => Outcome::Stopped,
            (false, true) => {
                let result = words::parts(action, &parts);
                Outcome::Completed { result, goal: true, satisfying: true }
            }
            (false, false) => Outcome::Failed {
                fault: Fault::new("step_failed", unfinished(&self.state.parts(id).collect::<Vec<_>>())),
                result: Payload::default(),
            },
        };
        self.close(id, outcome, Usage::default(), (EndedBy::Executor, Actor::runtime()))
    }

    /// Work that was waited for has ended, or its wait was settled otherwise.
    fn work_answered(&mut self, id: ActionId, how: Settlement, answer: Option<Answer>, by: Actor) -> Done {
        let Some(action) = self.state.action(id) else { return Ok(()) };
        let executor = action.executor();
        let cancelled = self.state.is_cancelled(action);
        let by_client = action.by_client;
        let from = match executor {
            _ if by_client => EndedBy::Client,
            ExecutorKind::Agent => EndedBy::Child,
            ExecutorKind::Client => EndedBy::Client,
            ExecutorKind::Human => EndedBy::Person,
            ExecutorKind::Timer => EndedBy::Clock,
            ExecutorKind::Tool
            | ExecutorKind::Program
            | ExecutorKind::Service
            | ExecutorKind::Runtime
            | ExecutorKind::Pipeline
            | ExecutorKind::Signal => EndedBy::Executor,
        };
        let outcome = match (how, answer) {
            (Settlement::Superseded, _) => {
                let ending = Ending::cancelled("superseded", EndedBy::Message);
                let result = words::superseded(action);
                return self.end(id, ending.result(result));
            }
            (Settlement::Withdrawn, _) => {
                let midway = by_client;
                let result = words::cancelled(action, self.state.cancelled_by.as_ref(), midway);
                return self.end(id, Ending::cancelled("cancelled", EndedBy::Cancel).result(result));
            }
            (Settlement::Expired, _) if executor == ExecutorKind::Timer => {
                let result = words::success(action, "the time has come".into(), serde_json::json!({}));
                Outcome::Completed { result, goal: true, satisfying: true }
            }
            (Settlement::Expired, _) if by_client => Outcome::TimedOut { ms: 0 },
            (Settlement::Expired, _) => Outcome::Failed {
                fault: Fault::new("expired", "No answer came in time."),
                result: Payload::default(),
            },
            (Settlement::Answered, Some(Answer::Result { payload, status, satisfying, .. })) => {
                answered_outcome(action, payload, status, satisfying, cancelled)
            }
            (Settlement::Answered, _) => Outcome::Failed {
                fault: Fault::new("unreadable_answer", "The answer is not a result."),
                result: Payload::default(),
            },
        };
        let by_clock = how == Settlement::Expired;
        let ended_by = if by_clock { EndedBy::Clock } else { from };
        self.close(id, outcome, Usage::default(), (ended_by, by))
    }

    fn follow_resting(&mut self, id: ActionId) -> Done {
        let Some(action) = self.state.action(id) else { return Ok(()) };
        let rolls_forward =
            action.stage == Stage::Proposed && action.applying && !defect::is(Defect::ApplyGivenUp);
        if rolls_forward || self.state.has_open_parts(id) {
            return Ok(());
        }
        if let Some(answered) = action.answered.clone() {
            return self.answer_takes_effect(id, answered);
        }
        let cancelled = self.state.is_cancelled(action);
        let stopping = !self.state.stops.is_empty();
        match action.stage {
            Stage::InDoubt if cancelled => {
                let result = words::in_doubt(action, None);
                self.end(id, Ending::blocked("in_doubt", EndedBy::Cancel).result(result))
            }
            Stage::InDoubt => Ok(()),
            _ if cancelled => {
                let reason = if action.replaced { "revised" } else { "cancelled" };
                let result = words::cancelled(action, self.state.cancelled_by.as_ref(), false);
                self.end(id, Ending::cancelled(reason, EndedBy::Cancel).result(result))
            }
            Stage::Pending if !action.holds => self.follow_waiting_to_begin(id, stopping),
            Stage::Proposed if stopping && self.state.is_change_set_asked(action) => {
                let result = words::cancelled(action, self.state.cancelled_by.as_ref(), false);
                self.end(id, Ending::cancelled("stopping", EndedBy::Stop).result(result))
            }
            Stage::Pending | Stage::Suspended if stopping => {
                let result = words::cancelled(action, self.state.cancelled_by.as_ref(), action.attempt > 0);
                self.end(id, Ending::cancelled("stopping", EndedBy::Stop).result(result))
            }
            Stage::Pending | Stage::Suspended | Stage::Proposed | Stage::Running | Stage::Ended => Ok(()),
        }
    }

    fn answer_takes_effect(&mut self, id: ActionId, answered: Answered) -> Done {
        let Some(action) = self.state.action(id) else { return Ok(()) };
        let ending = match answered {
            Answered::Superseded if action.stage == Stage::InDoubt => {
                Ending::blocked("in_doubt", EndedBy::Message).result(words::in_doubt(action, None))
            }
            Answered::Superseded => {
                Ending::cancelled("superseded", EndedBy::Message).result(words::superseded(action))
            }
            Answered::Refused { code, by, reason } => {
                let ended_by = if code == "expired" { EndedBy::Clock } else { EndedBy::Person };
                let result = words::refused(action, code, &by, &reason);
                Ending::blocked(code, ended_by).result(result).actor(by)
            }
            Answered::Leave { by, reason } => {
                let result = words::in_doubt(action, Some((&by, &reason)));
                Ending::blocked("in_doubt", EndedBy::Person).result(result).actor(by)
            }
            Answered::Happened { by, payload, reason } => {
                let result = words::attested(action, &by, &payload, &reason);
                let ending = Ending::new(ActionEnd::Completed, "attested", EndedBy::Attested);
                ending.result(result).actor(by)
            }
            Answered::Work { .. } => return Ok(()),
        };
        self.end(id, ending)
    }

    fn follow_waiting_to_begin(&mut self, id: ActionId, stopping: bool) -> Done {
        let Some(action) = self.state.action(id) else { return Ok(()) };
        if stopping {
            let result = words::left_out(action, self.state.cancelled_by.as_ref(), &self.state.stops);
            return self.end(id, Ending::cancelled("left_out", EndedBy::Stop).result(result));
        }
        if self.state.is_aborting(id.declaration) {
            let result = words::cancelled(action, self.state.cancelled_by.as_ref(), false);
            return self.end(id, Ending::cancelled("aborted", EndedBy::Abort).result(result));
        }
        match self.state.dependencies(action) {
            Dependencies::Open | Dependencies::Met => Ok(()),
            Dependencies::Broken => {
                let sentence = "Not run: something it depends on did not complete.";
                let result = words::failure(action, "dependency", sentence, serde_json::json!({}));
                self.end(id, Ending::blocked("dependency", EndedBy::Dependency).result(result))
            }
            Dependencies::Unwanted => {
                let sentence = "Not run: its condition does not hold.";
                let result = words::failure(action, "condition_not_met", sentence, serde_json::json!({}));
                self.end(id, Ending::cancelled("condition_not_met", EndedBy::Condition).result(result))
            }
        }
    }

    /// A limit of calls that is used up stops the run; so does a mediator that calls the work done.
    fn stop_when_calls_are_spent(&mut self) -> Done {
        // What is noted beside a result belongs to it, and comes first.
        if self.state.is_stopping() || self.state.is_note_open() {
            return Ok(());
        }
        if let Some(stop) = self.state.ledger.any_calls_spent() {
            return self.emit(RunStopping { stop });
        }
        let mut ended = self.state.actions.values().filter(|action| action.is_ended() && !action.seen);
        if self.state.spec.hooks.mediate && ended.any(|action| action.completes()) {
            return self.emit(RunStopping { stop: Stop::Completed { by: "mediator".into() } });
        }
        Ok(())
    }
}

/// Which parts of an action did not complete.
fn unfinished(parts: &[&Action]) -> String {
    let done = |part: &Action| part.end.as_ref().is_some_and(|end| end.status == ActionEnd::Completed);
    let left: Vec<&str> =
        parts.iter().filter(|part| !done(part)).map(|part| part.spec.label.as_str()).collect();
    format!("{} of {} did not complete: {}.", left.len(), parts.len(), left.join(", "))
}

/// The outcome that an answer to waiting work means.
fn answered_outcome(
    action: &Action,
    payload: Payload,
    status: ActionEnd,
    satisfying: bool,
    cancelled: bool,
) -> Outcome {
    let wrapped = match &payload {
        Payload::Inline { value } if !value.is_object() => {
            words::success(action, value.clone(), serde_json::json!({}))
        }
        Payload::Inline { .. } | Payload::Artifact(_) => payload.clone(),
    };
    match status {
        ActionEnd::Completed => Outcome::Completed { result: wrapped, goal: true, satisfying },
        ActionEnd::Failed | ActionEnd::Blocked | ActionEnd::Cancelled if cancelled => Outcome::Stopped,
        ActionEnd::Failed | ActionEnd::Blocked | ActionEnd::Cancelled => Outcome::Failed {
            fault: Fault::new("failed", "It did not complete."),
            result: if payload.shown().is_object() { payload } else { Payload::default() },
        },
    }
}
