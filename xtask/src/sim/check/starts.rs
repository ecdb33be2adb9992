//! What may start: order, rulings, approvals, repetition, limits.

use provost_contract::action::{Access, ConditionStatus, OnFailure, Resource};
use provost_engine::event::{ActionEnd, ActionStarted, AllowedBy, Mode, Phase};
use provost_engine::{ActionId, Digest, Time, Verdict};

use super::{Came, Seen, Watched};

impl Seen {
    pub(super) fn started(&mut self, started: &ActionStarted, at: Time) -> Result<(), String> {
        let id = started.action;
        let action = self.actions.get(&id).ok_or("the start of no action")?;
        if action.open.is_some() || action.end.is_some() || action.wait.is_some() {
            return Err("it is open, waits or has ended".into());
        }
        if started.attempt != action.attempts + 1 {
            return Err(format!("attempt {} follows attempt {}", started.attempt, action.attempts));
        }
        if action.cancelled && started.phase == Phase::Run {
            return Err("it is cancelled".into());
        }
        match started.phase {
            Phase::Run => {
                if !action.held {
                    self.in_order(id, action)?;
                    self.within_calls(action)?;
                }
                self.allowed(action, started, at)?;
                repeats(action)?;
            }
            Phase::Apply => self.may_apply(action)?,
        }
        let epoch = self.epoch;
        let action = self.actions.get_mut(&id).ok_or("no action")?;
        (action.attempts, action.held, action.again) = (started.attempt, true, false);
        action.open = Some((started.attempt, started.phase, epoch));
        if started.phase == Phase::Run {
            action.bridged = false;
        }
        Ok(())
    }

    /// Dependencies, conditions and resources.
    fn in_order(&self, id: ActionId, action: &Watched) -> Result<(), String> {
        if self.readiness(action) == Some(false) {
            return Err("its dependencies are not satisfied".into());
        }
        for (other, rival) in &self.actions {
            let competes = *other != id
                && rival.end.is_none()
                && rival.spec.under == action.spec.under
                && conflict(&action.spec.resources, &rival.spec.resources);
            if !competes {
                continue;
            }
            if rival.held {
                return Err(format!("{other} holds what it needs"));
            }
            if *other < id && self.readiness(rival) == Some(true) {
                return Err(format!("{other} comes first"));
            }
        }
        let earlier = self.actions.range(..id).filter(|(other, _)| other.declaration == id.declaration);
        for (other, before) in earlier {
            let writes = !before.spec.only_reads() || !action.spec.only_reads();
            let plain = self.spec.mode == Mode::Plain && action.spec.under.is_none();
            if plain && writes && before.end.is_none() {
                return Err(format!("{other} was called before it"));
            }
        }
        Ok(())
    }

    /// Whether an action may start as far as others go; none when that depends on a decision.
    fn readiness(&self, action: &Watched) -> Option<bool> {
        let mut met = action.spec.depends_on.is_empty();
        for id in &action.spec.depends_on {
            let dependency = self.actions.get(id)?;
            let Some(end) = &dependency.end else { return Some(false) };
            let mut conditions = action.spec.when.iter().filter(|when| when.action == *id).peekable();
            if conditions.peek().is_some() {
                if !conditions.all(|when| end.status == wanted(when.status)) {
                    return Some(false);
                }
                met = true;
                continue;
            }
            if dependency.passed {
                met = true;
                continue;
            }
            let left_out = matches!(end.reason.as_str(), "condition_not_met" | "skipped" | "revised");
            let continues = dependency.spec.on_failure.on_failure == OnFailure::Continue;
            match end.status {
                ActionEnd::Completed if end.satisfying => met = true,
                ActionEnd::Cancelled if left_out => {}
                ActionEnd::Failed if continues => met = true,
                _ => return Some(false),
            }
        }
        if met && self.hangs(action) { None } else { Some(met) }
    }

    /// Whether a dependency may still wait for a decision of the model.
    fn hangs(&self, action: &Watched) -> bool {
        action.spec.depends_on.iter().any(|id| self.may_be_undecided(*id))
    }

    fn within_calls(&self, action: &Watched) -> Result<(), String> {
        let Some(limit) = self.budgets.get("tool_calls") else { return Ok(()) };
        let begun = self.actions.values().filter(|other| other.held && other.end.is_none()).count() as u64;
        let used = self.calls + begun;
        if used >= *limit {
            return Err(format!("call {} of {limit}: {}", used + 1, action.spec.operation));
        }
        Ok(())
    }

    /// What the names of tools, the policy in force and the policy hook say.
    fn ruling(&self, action: &Watched) -> Verdict {
        let rule = action.spec.operation.rsplit('-').next().unwrap_or_default();
        let strict = self.policy == crate::sim::agents::policy(true);
        let (named, word) = match (rule, strict) {
            ("deny", _) | ("flip" | "flop", true) => (true, Verdict::Deny),
            ("ask", _) | ("flip", false) => (true, Verdict::Ask),
            _ => (false, Verdict::Allow),
        };
        let said = action.ruled.filter(|(args, policy, _)| (*args, *policy) == (action.args, self.policy));
        match said.and_then(|(.., said)| said) {
            Some(Verdict::Deny) => Verdict::Deny,
            Some(said) if !named => said,
            _ => word,
        }
    }

    fn allowed(&self, action: &Watched, started: &ActionStarted, at: Time) -> Result<(), String> {
        if started.args != action.args {
            return Err("it runs with other arguments".into());
        }
        if self.spec.hooks.policy && action.spec.unprepared.is_none() {
            let about =
                |said: (Digest, Digest, Option<Verdict>)| (said.0, said.1) == (action.args, self.policy);
            if !action.ruled.is_some_and(about) {
                return Err("the policy hook was not asked about these arguments".into());
            }
        }
        let approved = action.gate == Some((action.args, self.policy));
        let tool = &action.spec.operation;
        let mut held = self.standing.values().chain(self.own_standing.values());
        let standing = held.any(|held| held.covers(tool, action.args, at));
        match (self.ruling(action), &started.allowed_by) {
            (Verdict::Deny, _) => Err("it is denied".into()),
            (_, AllowedBy::Wait { .. }) if !approved => Err("no such approval was given".into()),
            (Verdict::Ask, _) if !approved && !standing => Err("it was not approved".into()),
            _ => Ok(()),
        }
    }

    fn may_apply(&self, action: &Watched) -> Result<(), String> {
        let Some(set) = &action.change_set else { return Err("there is nothing to apply".into()) };
        let has = |wanted: Verdict| set.paths.iter().any(|path| path.ruling.decision == wanted);
        if has(Verdict::Deny) {
            return Err("a denied path is applied".into());
        }
        let begun = action.last.is_some_and(|(phase, _)| phase == Phase::Apply);
        if !begun && has(Verdict::Ask) && action.set_gate != Some((set.digest, self.policy)) {
            return Err("changes are applied without approval".into());
        }
        Ok(())
    }
}

/// Whether two lists of resources exclude each other.
fn conflict(mine: &[Resource], theirs: &[Resource]) -> bool {
    mine.iter().any(|one| {
        theirs.iter().any(|other| {
            one.name == other.name && (one.access == Access::Write || other.access == Access::Write)
        })
    })
}

/// What cannot be repeated gets another attempt only for a reason.
fn repeats(action: &Watched) -> Result<(), String> {
    match action.last {
        Some((Phase::Run, Came::Lost | Came::Something)) if !action.is_repeatable() && !action.again => {
            Err("a silent repetition".into())
        }
        _ => Ok(()),
    }
}

/// How a dependency must have ended for a condition to hold.
fn wanted(status: ConditionStatus) -> ActionEnd {
    match status {
        ConditionStatus::Completed => ActionEnd::Completed,
        ConditionStatus::Failed => ActionEnd::Failed,
        ConditionStatus::Blocked => ActionEnd::Blocked,
    }
}
