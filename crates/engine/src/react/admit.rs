//! Admission: what may start now, what must be asked first, and what is not allowed.
//!
//! It is repeated before every attempt, also after an answer, a retry or an input.

use provost_policy::Verdict as GateVerdict;
use provost_policy::tool_call_gate::evaluate_call;
use serde_json::json;

use super::consequence::Dependencies;
use super::end::Ending;
use super::ruling::{Leave, is_mediation_open, is_policy_open};
use super::{Done, Now, Reaction, words};
use crate::defect::{self, Defect};
use crate::event::{
    ActionStarted, AllowedBy, ChangeSet, EndedBy, ExecutorKind, HookAnswer, Phase, RunStopping,
};
use crate::state::{Action, Resolution, RunState, Stage};
use crate::{ActionId, AskStyle, Digest, Fault, Payload, Ruling, Verdict};

/// Returns whether an action could start, as far as dependencies and resources go.
pub(crate) fn is_startable(state: &RunState, id: ActionId, action: &Action) -> bool {
    action.stage == Stage::Pending
        && action.wait.is_none()
        && action.answered.is_none()
        && !state.has_open_parts(id)
        && (action.holds || state.dependencies(action) == Dependencies::Met)
        && is_first(state, id, action)
}

/// Whether nothing else has, or has an earlier claim to, what an action needs.
fn is_first(state: &RunState, id: ActionId, action: &Action) -> bool {
    if action.holds || defect::is(Defect::ResourcesIgnored) {
        return true;
    }
    let scope = action.spec.under;
    let blocks = |other: ActionId| {
        let Some(rival) = state.action(other) else { return false };
        rival.holds || (other < id && state.dependencies(rival) == Dependencies::Met)
    };
    let nested = defect::is(Defect::NestedCompetes) && scope.is_some();
    let outside = || state.resources.rivals(None, id, &action.spec.resources).any(blocks);
    let beaten = state.resources.rivals(scope, id, &action.spec.resources).any(blocks);
    !beaten && (!nested || !outside())
}

/// What a limit of calls says about another one.
enum CallLimit {
    /// It may begin.
    Room,
    /// Not beside those that have begun.
    Full,
    /// The run stops.
    Spent(crate::event::Stop),
}

impl Reaction<'_> {
    /// Starts what may start, and asks where a person must be asked.
    pub(super) fn admit(&mut self) -> Done {
        if self.now.draining {
            return Ok(());
        }
        let lively: Vec<ActionId> = self.state.lively().map(|(id, _)| id).collect();
        let (mut asks, count) = (Vec::new(), self.state.open.len());
        for id in lively {
            // What an end means for the rest comes first: a limit may be spent by it.
            if self.state.open.len() < count {
                return Ok(());
            }
            let Some(action) = self.state.action(id).filter(|action| action.wait.is_none()) else { continue };
            let rolls_forward = action.stage == Stage::Proposed && action.applying;
            if self.state.is_cancelled(action) && !rolls_forward {
                continue;
            }
            match action.stage {
                Stage::InDoubt if action.answered.is_none() => self.ask_about_doubt(id)?,
                Stage::Proposed => self.admit_change_set(id)?,
                Stage::Suspended if self.state.stops.is_empty() => self.ask_for_input(id)?,
                Stage::Pending if self.state.stops.is_empty() => self.admit_pending(id, &mut asks)?,
                Stage::InDoubt | Stage::Suspended | Stage::Pending | Stage::Running | Stage::Ended => {}
            }
        }
        self.ask(asks)
    }

    fn admit_change_set(&mut self, id: ActionId) -> Done {
        let Some(action) = self.state.action(id) else { return Ok(()) };
        if self.state.has_open_parts(id) || self.now.wall < action.not_before {
            return Ok(());
        }
        let Some(change_set) = action.change_set.clone() else { return Ok(()) };
        let begun = action.applying && !defect::is(Defect::ApplyJudgedAgain);
        let strictest = strictest(&change_set);
        let mut allowed_by = if action.applying { AllowedBy::RollForward } else { AllowedBy::Rule };
        if !begun && strictest.decision == Verdict::Deny {
            let result = words::denied(action, &strictest);
            return self.end(id, Ending::blocked("denied_path", EndedBy::Rule).result(result));
        }
        if !begun && strictest.decision == Verdict::Ask {
            let Some(wait) = self.state.change_set_approval(action, &change_set) else {
                return self.ask_about_change_set(id, &change_set, &strictest);
            };
            allowed_by = AllowedBy::Wait { wait: self.state.wait_id(wait) };
        }
        if !self.has_room(id) {
            return Ok(());
        }
        self.start(id, Phase::Apply, strictest, allowed_by)
    }

    fn admit_pending(&mut self, id: ActionId, asks: &mut Vec<(ActionId, Ruling)>) -> Done {
        let Some(action) = self.state.action(id) else { return Ok(()) };
        let waits = self.now.wall < action.not_before || self.state.is_judging();
        if waits || !is_startable(self.state, id, action) {
            return Ok(());
        }
        if !action.holds
            && action.spec.under.is_none()
            && let Some(stop) = self.state.ledger.fan_out_stop(u64::from(id.index) + 1)
        {
            return self.emit(RunStopping { stop });
        }
        if action.erased && action.attempt == 0 {
            let sentence = "Not run: its arguments were erased.";
            let result = words::failure(action, "erased", sentence, json!({}));
            return self.end(id, Ending::failed("erased", EndedBy::Engine).result(result));
        }
        match &action.resolution {
            Resolution::Known => {}
            Resolution::Open => return Ok(()),
            Resolution::Failed(fault) => {
                let more = serde_json::Value::Object(fault.fields.clone());
                let result = words::failure(action, &fault.code, &fault.message, more);
                let ending = Ending::blocked(fault.code.clone(), EndedBy::Preparation);
                return self.end(id, ending.result(result));
            }
        }
        if action.spec.each.is_some() {
            return self.begin_each(id);
        }
        if let Some(ending) = self.refused_by_call_rules(id, action) {
            return self.end(id, ending);
        }
        let hooks = self.state.spec.hooks;
        if is_policy_open(self.state, hooks, action) {
            return Ok(());
        }
        let leave = self.state.leave(action, self.now.wall);
        let unjudged = defect::is(Defect::InputUnjudged) && action.input.is_some();
        let leave = match leave {
            Leave::Denied(ruling) | Leave::Needed(ruling) if unjudged => {
                Leave::Given(ruling, AllowedBy::Rule)
            }
            leave => leave,
        };
        if let Leave::Denied(ruling) = &leave {
            let result = words::denied(action, ruling);
            let reason = if action.doubt.is_some() { "in_doubt" } else { "denied" };
            return self.end(id, Ending::blocked(reason, EndedBy::Rule).result(result));
        }
        if is_mediation_open(self.state, hooks, action) {
            return Ok(());
        }
        if self.mediate(id)? {
            return Ok(());
        }
        self.admit_judged(id, leave, asks)
    }

    fn admit_judged(&mut self, id: ActionId, leave: Leave, asks: &mut Vec<(ActionId, Ruling)>) -> Done {
        let Some(action) = self.state.action(id) else { return Ok(()) };
        let said = self.state.bound(action.mediated.as_ref(), action);
        let waits = matches!(said, Some(HookAnswer::Wait { .. }));
        if let Some(unprepared) = action.spec.unprepared.as_ref().filter(|_| !waits) {
            let result = match unprepared.result.is_empty() {
                true => words::failure(action, &unprepared.code, "It cannot be run.", json!({})),
                false => Payload::inline(unprepared.result.clone()),
            };
            return self.end(id, Ending::failed("unprepared", EndedBy::Preparation).result(result));
        }
        let waits = matches!(leave, Leave::Needed(_)) || action.executor().waits().is_some();
        if waits && action.args.hides && !self.now.can_seal {
            let result = words::not_started(action, "seal_unavailable");
            return self.end(id, Ending::failed("seal_unavailable", EndedBy::Preparation).result(result));
        }
        match leave {
            Leave::Denied(_) => Ok(()),
            Leave::Needed(ruling) if action.is_bridged() => {
                let sentence = "Not run: it needs an approval, and a program must not wait for a person.";
                let more = json!({ "decision": words::ruling_record(&ruling) });
                let result = words::failure(action, "approval_required", sentence, more);
                self.end(id, Ending::blocked("approval_required", EndedBy::Rule).result(result))
            }
            Leave::Needed(ruling) => {
                // What cannot be prepared has no preview; a client may still answer it.
                if !self.state.spec.hooks.preview || action.spec.unprepared.is_some() {
                    asks.push((id, *ruling));
                }
                Ok(())
            }
            Leave::Given(ruling, allowed_by) => self.begin(id, *ruling, allowed_by),
        }
    }

    /// Starts a fan-out: each entry becomes an action of its own, and is judged as one.
    fn begin_each(&mut self, id: ActionId) -> Done {
        let ruling = Ruling::new(Verdict::Allow, "each_entry_is_judged", "engine");
        self.start(id, Phase::Run, ruling, AllowedBy::Rule)?;
        self.declare_items(id)
    }

    /// Starts an action that may run, as its kind of executor does.
    fn begin(&mut self, id: ActionId, ruling: Ruling, allowed_by: AllowedBy) -> Done {
        let Some(action) = self.state.action(id) else { return Ok(()) };
        match self.call_limit(action) {
            CallLimit::Room => {}
            CallLimit::Full => return Ok(()),
            CallLimit::Spent(stop) => return self.emit(RunStopping { stop }),
        }
        if let Some(HookAnswer::Wait { result }) = self.state.bound(action.mediated.as_ref(), action) {
            let result = result.clone();
            return self.begin_client_wait(id, result, ruling, allowed_by);
        }
        if action.executor().waits().is_some() {
            return self.begin_waiting(id, ruling, allowed_by);
        }
        match action.executor() {
            ExecutorKind::Pipeline => {
                self.start(id, Phase::Run, ruling, allowed_by)?;
                self.declare_steps(id)
            }
            _ if self.has_room(id) || defect::is(Defect::ParallelIgnored) => {
                self.start(id, Phase::Run, ruling, allowed_by)
            }
            _ => Ok(()),
        }
    }

    /// Whether another task may run beside those that do: in the run, and in its declaration.
    fn has_room(&self, id: ActionId) -> bool {
        let room = self.state.running_tasks() < self.state.spec.limits.parallel;
        let own = self.state.action(id).and_then(|action| action.policies.budget_policy.max_parallel);
        let Some(most) = own.filter(|_| room) else { return room };
        let beside = self.state.tasks().filter(|(other, _)| other.declaration == id.declaration);
        (beside.count() as u64) < most
    }

    /// Whether the limit of calls has room for another beside those that have begun.
    fn call_limit(&self, action: &Action) -> CallLimit {
        if action.holds || self.state.spec.budgets.is_empty() {
            return CallLimit::Room;
        }
        let tool = action.spec.operation.as_str();
        let begun = self.state.lively().filter(|(_, other)| other.holds);
        let (mut all, mut of_tool) = (0, 0);
        for (_, other) in begun {
            all += 1;
            of_tool += u64::from(other.spec.operation == tool);
        }
        let ledger = &self.state.ledger;
        match (ledger.calls_spent(tool, 0, 0), ledger.calls_spent(tool, all, of_tool)) {
            // A part does not wait for the whole that it is a part of.
            (None, Some(stop)) if action.spec.under.is_some() => CallLimit::Spent(stop),
            (Some(stop), _) => CallLimit::Spent(stop),
            (None, Some(_)) => CallLimit::Full,
            (None, None) => CallLimit::Room,
        }
    }

    /// Opens an attempt.
    pub(super) fn start(
        &mut self,
        id: ActionId,
        phase: Phase,
        ruling: Ruling,
        allowed_by: AllowedBy,
    ) -> Done {
        let Some(action) = self.state.action(id) else { return Ok(()) };
        let started = ActionStarted {
            action: id,
            attempt: action.attempt + 1,
            round: action.round,
            phase,
            key: self.state.key_for(action, phase),
            args: action.args.raw,
            resolved: None,
            ruling,
            allowed_by,
            expect: action.expect.clone(),
            input: action.input.clone(),
        };
        self.emit(started)
    }

    fn refused_by_call_rules(&self, id: ActionId, action: &Action) -> Option<Ending> {
        let rules = &self.state.agent.call_rules;
        if rules.is_empty() || action.holds || action.spec.under.is_some() {
            return None;
        }
        let decision = evaluate_call(rules, &action.spec.operation, &self.state.tools_called(Some(id)));
        if decision.verdict == GateVerdict::Allow {
            return None;
        }
        let more = json!({ "tool_call_gate": decision.inputs });
        let result = words::failure(action, "tool_call_gate_rejected", &decision.reason, more);
        Some(Ending::blocked("call_rule", EndedBy::Rule).result(result))
    }

    /// What the mediator said about an action takes effect. Returns whether it ended.
    fn mediate(&mut self, id: ActionId) -> Result<bool, crate::state::Illegal> {
        let Some(action) = self.state.action(id) else { return Ok(true) };
        let Some(said) = self.state.bound(action.mediated.as_ref(), action).cloned() else {
            return Ok(false);
        };
        let said = decision(said);
        let ending = match said {
            HookAnswer::Reject { result: Some(result), .. } => {
                Ending::blocked("mediator", EndedBy::Mediator).result(Payload::inline(result))
            }
            HookAnswer::Reject { fault, .. } | HookAnswer::Failed { fault } => {
                let more = serde_json::Value::Object(fault.fields.clone());
                let result = words::failure(action, &fault.code, &fault.message, more);
                Ending::blocked("mediator", EndedBy::Mediator).result(result)
            }
            HookAnswer::Replace { payload, .. } => {
                let wire = payload.shown().as_object();
                let done = wire.and_then(|wire| wire.get("success")) == Some(&true.into());
                let ending = match done {
                    true => Ending::new(crate::event::ActionEnd::Completed, "replaced", EndedBy::Mediator),
                    false => Ending::failed("replaced", EndedBy::Mediator),
                };
                ending.result(payload)
            }
            HookAnswer::Message { .. } | HookAnswer::Note { .. } => {
                let sentence = "Not run: the mediator gave an answer that decides nothing.";
                let result = words::failure(action, "pre_tool_mediation_failed", sentence, json!({}));
                Ending::blocked("mediator", EndedBy::Mediator).result(result)
            }
            HookAnswer::NoOpinion
            | HookAnswer::Wait { .. }
            | HookAnswer::Proceed { .. }
            | HookAnswer::Resolved { .. }
            | HookAnswer::Complete { .. } => return Ok(false),
        };
        self.end(id, ending)?;
        Ok(true)
    }

    /// Asks for approvals: one question each, or one for all.
    fn ask(&mut self, asks: Vec<(ActionId, Ruling)>) -> Done {
        match self.state.agent.spec.ask {
            AskStyle::Each => {
                for ask in asks {
                    self.ask_for_approval(vec![ask], None, Vec::new())?;
                }
                Ok(())
            }
            AskStyle::Together if asks.is_empty() => Ok(()),
            AskStyle::Together => self.ask_for_approval(asks, None, Vec::new()),
        }
    }
}

/// The strictest ruling about a path of a change set.
fn strictest(change_set: &ChangeSet) -> Ruling {
    let rulings = change_set.paths.iter().map(|path| path.ruling.clone());
    rulings.reduce(Ruling::stricter).unwrap_or_else(|| Ruling::new(Verdict::Allow, "no_changes", "engine"))
}

/// What a mediator decided. One that says what decides nothing has failed.
fn decision(said: HookAnswer) -> HookAnswer {
    match said {
        HookAnswer::Message { .. } | HookAnswer::Note { .. } => {
            let sentence = "Not run: the mediator gave an answer that decides nothing.";
            HookAnswer::Failed { fault: Fault::new("pre_tool_mediation_failed", sentence) }
        }
        said => said,
    }
}

impl RunState {
    /// Returns the wait whose answer approved exactly this change set under this policy.
    fn change_set_approval(&self, action: &Action, change_set: &ChangeSet) -> Option<u32> {
        let gate = action.change_set_gate.as_ref()?;
        (gate.about == change_set.digest && gate.policy == self.policy).then_some(gate.value)
    }

    /// Returns whether a change set needs an approval that it does not have.
    pub(super) fn is_change_set_asked(&self, action: &Action) -> bool {
        action.change_set.as_ref().is_some_and(|change_set| {
            strictest(change_set).decision == Verdict::Ask
                && self.change_set_approval(action, change_set).is_none()
        })
    }

    /// Returns the key of an action's last attempt.
    pub fn key(&self, action: &Action) -> Digest {
        self.key_for(action, action.phase)
    }

    /// The key of an attempt: the same for every attempt of a round, another for the next round.
    fn key_for(&self, action: &Action, phase: Phase) -> Digest {
        let (run, id, round) = (self.spec.run.as_str(), action.spec.id.to_string(), action.round.to_string());
        match (phase, &action.change_set) {
            (Phase::Apply, Some(set)) => Digest::of_fields(&[run, &id, &round, &set.digest.to_string()]),
            (Phase::Apply, None) | (Phase::Run, _) => Digest::of_fields(&[run, &id, &round]),
        }
    }
}

/// Returns the actions whose question waits for a preview.
pub(crate) fn wanted_previews(state: &RunState, now: &Now) -> Vec<ActionId> {
    let hooks = state.spec.hooks;
    if !hooks.preview || state.is_stopping() || now.draining {
        return Vec::new();
    }
    let wanted = |(id, action): &(ActionId, &Action)| {
        !action.cancel
            && now.wall >= action.not_before
            && action.spec.unprepared.is_none()
            && action.resolution == Resolution::Known
            && action.spec.each.is_none()
            && !action.is_bridged()
            && is_startable(state, *id, action)
            && !(hooks.policy && state.bound(action.ruled.as_ref(), action).is_none())
            && !(hooks.mediate && state.bound(action.mediated.as_ref(), action).is_none())
            && matches!(state.leave(action, now.wall), Leave::Needed(_))
    };
    state.lively().filter(wanted).map(|(id, _)| id).collect()
}
