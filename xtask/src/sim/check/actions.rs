//! Attempts and actions: each ends once, and says what the world may have seen.

use std::sync::Arc;

use provost_contract::action::Idempotency;
use provost_engine::event::{
    ActionEnd, ActionEnded, ActionSpec, AttemptEnded, ExecutorKind, Next, Outcome, Phase, Probe,
};
use provost_engine::{ActionId, WorldEffect};

use super::{Came, Ended, Seen, Watched};

/// Calls that were never made count against no budget.
pub(super) const NOT_MADE: [&str; 3] = ["left_out", "superseded", "stopping"];
/// Ways in which a begun apply must not end.
const GIVEN_UP: [&str; 9] = [
    "denied",
    "rejected",
    "cancelled",
    "superseded",
    "denied_path",
    "expired",
    "stopping",
    "left_out",
    "aborted",
];

impl Watched {
    pub(super) fn new(spec: Arc<ActionSpec>) -> Self {
        Self {
            args: spec.args.raw,
            spec,
            attempts: 0,
            open: None,
            end: None,
            held: false,
            last: None,
            gate: None,
            again: false,
            change_set: None,
            set_gate: None,
            cancelled: false,
            effect: WorldEffect::None,
            ruled: None,
            wait: None,
            bridged: false,
            passed: false,
        }
    }

    pub(super) fn is_pipeline(&self) -> bool {
        self.spec.executor.kind == ExecutorKind::Pipeline
    }

    /// Whether the first phase of an attempt changes something outside by itself.
    pub(super) fn touches_world(&self) -> bool {
        let writes = !self.spec.only_reads();
        match self.spec.executor.kind {
            ExecutorKind::Tool | ExecutorKind::Service | ExecutorKind::Client => writes,
            ExecutorKind::Program => writes && self.spec.facts.idempotency != Idempotency::Transactional,
            _ => false,
        }
    }

    /// Whether another attempt does no harm.
    pub(super) fn is_repeatable(&self) -> bool {
        let keyed = matches!(self.spec.facts.idempotency, Idempotency::Pure | Idempotency::Keyed);
        match self.spec.executor.kind {
            ExecutorKind::Tool | ExecutorKind::Service | ExecutorKind::Client => {
                keyed || self.spec.only_reads()
            }
            ExecutorKind::Program => {
                self.spec.facts.idempotency == Idempotency::Transactional && !self.bridged
            }
            ExecutorKind::Agent => self.effect == WorldEffect::None,
            ExecutorKind::Human
            | ExecutorKind::Timer
            | ExecutorKind::Signal
            | ExecutorKind::Runtime
            | ExecutorKind::Pipeline => true,
        }
    }
}

fn came(outcome: &Outcome) -> Came {
    match outcome {
        Outcome::Stale { .. } | Outcome::NotStarted { .. } | Outcome::InputRequired { .. } => Came::Harmless,
        Outcome::Completed { .. } | Outcome::Proposed { .. } => Came::Harmless,
        Outcome::Lost { probe: Probe::NotDone, .. } => Came::Harmless,
        Outcome::Lost { .. } => Came::Lost,
        Outcome::Failed { .. } | Outcome::TimedOut { .. } | Outcome::Stopped | Outcome::Waits { .. } => {
            Came::Something
        }
    }
}

impl Seen {
    /// Closes the open attempt of an action.
    fn close(&mut self, id: ActionId, attempt: u32, came: Came) -> Result<(), String> {
        let action = self.actions.get_mut(&id).ok_or("an attempt of no action")?;
        let Some((open, phase, _)) = action.open.take() else { return Err("no attempt is open".into()) };
        if open != attempt {
            return Err(format!("attempt {open} is open"));
        }
        if action.wait.is_some() {
            return Err("it waits".into());
        }
        action.last = Some((phase, came));
        self.cancel_bridged(id);
        Ok(())
    }

    /// Calls out of a sandbox end with the attempt that made them.
    fn cancel_bridged(&mut self, id: ActionId) {
        let bridged = |part: &Watched| {
            part.spec.under == Some(id)
                && matches!(part.spec.origin, provost_engine::event::Origin::Bridge { .. })
        };
        let parts: Vec<ActionId> =
            self.actions.iter().filter(|(_, part)| bridged(part)).map(|(part, _)| *part).collect();
        parts.into_iter().for_each(|part| self.cancel(part));
    }

    pub(super) fn attempt_ended(&mut self, ended: &AttemptEnded) -> Result<(), String> {
        self.close(ended.action, ended.attempt, came(&ended.outcome))?;
        self.spent.add(&ended.usage);
        let action = self.actions.get_mut(&ended.action).ok_or("no action")?;
        match (&ended.next, &ended.outcome) {
            (Next::Judge, Outcome::Proposed { change_set }) => {
                (action.change_set, action.set_gate) = (Some(change_set.clone()), None);
            }
            (Next::Judge, _) => return Err("nothing to judge".into()),
            (Next::AskAgain, _) => action.gate = None,
            (Next::Retry { .. }, Outcome::Completed { .. }) => return Err("a retry of what is done".into()),
            _ => {}
        }
        Ok(())
    }

    pub(super) fn action_ended(&mut self, ended: &ActionEnded) -> Result<(), String> {
        let id = ended.action;
        let action = self.actions.get(&id).ok_or("the end of no action")?;
        if action.end.is_some() {
            return Err("it ended twice".into());
        }
        if action.wait.is_some() {
            return Err("it waits".into());
        }
        let open = action.open;
        let reason = ended.reason.as_str();
        let begun_apply = match (open, action.last) {
            (Some((_, phase, _)), _) => phase == Phase::Apply,
            (None, Some((Phase::Apply, came))) => came == Came::Lost,
            (None, _) => false,
        };
        if begun_apply && GIVEN_UP.contains(&reason) {
            return Err("a begun apply is given up".into());
        }
        match (open, ended.attempt) {
            (Some(_), Some(attempt)) => {
                let harmless = matches!(reason, "secrets_lost" | "stale" | "stopped" | "tool_gone");
                self.close(id, attempt, if harmless { Came::Harmless } else { Came::Something })?;
            }
            (None, None) => self.cancel_bridged(id),
            _ => return Err("its open attempt ends with it".into()),
        }
        if ended.status == ActionEnd::Completed && ended.effect == WorldEffect::Maybe {
            let agent =
                self.actions.get(&id).is_some_and(|action| action.spec.executor.kind == ExecutorKind::Agent);
            if !agent {
                return Err("completed, and it is not known whether it happened".into());
            }
        }
        if !NOT_MADE.contains(&reason) {
            self.calls += 1;
        }
        self.spent.add(&ended.usage);
        let action = self.actions.get_mut(&id).ok_or("no action")?;
        action.end =
            Some(Ended { status: ended.status, reason: ended.reason.clone(), satisfying: ended.satisfying });
        (action.held, action.effect) = (false, ended.effect);
        let failed = matches!(ended.status, ActionEnd::Failed | ActionEnd::Blocked);
        self.news |= action.spec.under.is_none() || failed;
        Ok(())
    }
}
