//! Between turns: whether another follows, whether the run ends, and which hooks are asked.

use provost_policy::Verdict as GateVerdict;
use provost_policy::tool_call_gate::evaluate_completion;

use super::{Done, Now, Reaction};
use crate::defect::{self, Defect};
use crate::event::{
    ActionEnd, Continuation, Hook, HookAnswer, ModelRequested, Purpose, ResponseRefused, RunEnded,
    RunStopping, Stop, Subject,
};
use crate::react::is_startable;
use crate::react::ruling::{is_mediation_open, is_policy_open};
use crate::state::{Action, Resolution, RunState, Stage};
use crate::{ActionId, Fault, OnWait, Payload};

/// Returns whether the model is to be asked.
pub(crate) fn is_turn_wanted(state: &RunState, now: &Now) -> bool {
    let busy = state.model.open.is_some() || state.model.response.is_some() || state.is_stopping();
    if busy || state.ended.is_some() || !state.has_model() || !state.unjudged.is_empty() {
        return false;
    }
    if state.open.is_empty() {
        return state.unseen > 0;
    }
    if !state.is_protocol() {
        return defect::is(Defect::TurnWithOpenCalls) && state.unseen > 0;
    }
    let owed = state.owed && !defect::is(Defect::NoOwedTurn);
    if state.steer || owed {
        return true;
    }
    let resting = !is_working(state, now);
    let undecided = || state.actions.values().any(|action| !action.seen && state.is_undecided(action));
    let asks_while_waiting = state.agent.spec.on_wait == OnWait::AskModel && state.unseen > 0;
    resting && (asks_while_waiting || undecided())
}

/// Whether something runs or may start by itself.
fn is_working(state: &RunState, _now: &Now) -> bool {
    state.lively().any(|(id, action)| {
        let rests = action.wait.is_some() || (action.is_container() && action.stage == Stage::Running);
        let cannot_begin =
            action.stage == Stage::Pending && !action.holds && !is_startable(state, id, action);
        !rests && !cannot_begin
    })
}

/// Whether nothing goes on until work outside is answered.
fn is_left_waiting(state: &RunState) -> bool {
    state.lively().all(|(id, action)| match action.wait.and_then(|number| state.waits.get(&number)) {
        Some(wait) => wait.kind.is_work(),
        None => action.stage == Stage::Pending && !action.holds && !is_startable(state, id, action),
    })
}

/// Returns the hooks that `advance` waits for.
pub(crate) fn wanted_hooks(state: &RunState, now: &Now) -> Vec<(Hook, Subject)> {
    let mut wanted = Vec::new();
    if state.ended.is_some() || !state.claimed {
        return wanted;
    }
    let hooks = state.spec.hooks;
    wanted.extend(unresolved(state, now).map(|id| (Hook::Resolve, Subject::Action { action: id })));
    for id in &state.unjudged {
        let subject = Subject::Action { action: *id };
        let noted = !hooks.after_tool || state.hooks.contains_key(&(Hook::AfterTool, subject));
        wanted.push((if noted { Hook::Completion } else { Hook::AfterTool }, subject));
    }
    if judges(state) {
        wanted.extend(state.lively().filter_map(|(id, action)| {
            Some((judging_hook(state, now, id, action)?, Subject::Action { action: id }))
        }));
    }
    if let Some(response) = state.model.response.as_ref().filter(|response| response.purpose == Purpose::Turn)
    {
        let subject = Subject::Turn { turn: response.turn };
        if hooks.after_model && !state.hooks.contains_key(&(Hook::AfterModel, subject)) {
            wanted.push((Hook::AfterModel, subject));
        }
    }
    wanted.extend(turn_hook(state, now));
    wanted
}

/// Returns whether `advance` waits for a hook.
pub(super) fn is_hook_wanted(state: &RunState, now: &Now, hook: Hook, subject: Subject) -> bool {
    match (hook, subject) {
        (Hook::Policy | Hook::Mediate, Subject::Action { action: id }) => {
            let judging = |action| judging_hook(state, now, id, action) == Some(hook);
            state.claimed && state.ended.is_none() && judges(state) && state.action(id).is_some_and(judging)
        }
        _ => wanted_hooks(state, now).contains(&(hook, subject)),
    }
}

/// Whether hooks have a say before an action begins.
fn judges(state: &RunState) -> bool {
    let hooks = state.spec.hooks;
    !state.is_stopping() && !state.is_judging() && (hooks.policy || hooks.mediate)
}

/// The hook that has to speak next about an action that could begin.
fn judging_hook(state: &RunState, now: &Now, id: ActionId, action: &Action) -> Option<Hook> {
    let known = action.resolution == Resolution::Known && action.spec.each.is_none();
    if action.cancel || !known || now.wall < action.not_before || !is_startable(state, id, action) {
        return None;
    }
    let hooks = state.spec.hooks;
    if is_policy_open(state, hooks, action) {
        return Some(Hook::Policy);
    }
    is_mediation_open(state, hooks, action).then_some(Hook::Mediate)
}

/// The actions that are ready but for the values of their references.
fn unresolved<'a>(state: &'a RunState, now: &'a Now) -> impl Iterator<Item = ActionId> + 'a {
    let ids = state.unresolved.iter().copied().filter(|_| !state.is_stopping() && !now.draining);
    ids.filter(|id| {
        state.action(*id).is_some_and(|action| !action.cancel && is_startable(state, *id, action))
    })
}

/// What the references of an action come to. An answer that says neither their values nor why there are none has
/// failed.
pub(super) fn resolving(answer: HookAnswer) -> HookAnswer {
    match answer {
        HookAnswer::Resolved { .. } | HookAnswer::Reject { .. } | HookAnswer::Failed { .. } => answer,
        HookAnswer::NoOpinion
        | HookAnswer::Proceed { .. }
        | HookAnswer::Replace { .. }
        | HookAnswer::Wait { .. }
        | HookAnswer::Message { .. }
        | HookAnswer::Complete { .. }
        | HookAnswer::Note { .. } => {
            let sentence = "Not run: what its input refers to could not be looked up.";
            HookAnswer::Failed { fault: Fault::new("unresolved_input", sentence) }
        }
    }
}

/// The hook that the next turn, or the end of the run, waits for.
fn turn_hook(state: &RunState, now: &Now) -> Option<(Hook, Subject)> {
    if now.draining {
        return None;
    }
    let unanswered =
        |hook: Hook, subject| (!state.hooks.contains_key(&(hook, subject))).then_some((hook, subject));
    if !is_turn_wanted(state, now) {
        let ends = state.spec.hooks.on_stop && may_end(state) && state.stops.is_empty() && state.has_model();
        return ends.then(|| unanswered(Hook::OnStop, Subject::Run)).flatten();
    }
    let (hooks, next) = (state.spec.hooks, Subject::Turn { turn: state.turn_number() + 1 });
    let is_retry = state.model.retry.is_some();
    if is_retry && state.model.retry.is_some_and(|retry| now.wall < retry.not_before) {
        return None;
    }
    let later = state.turn_number() > 0 && !is_retry;
    if later
        && hooks.interrupt
        && let Some(hook) = unanswered(Hook::Interrupt, next)
    {
        return Some(hook);
    }
    let interrupted = state.hooks.get(&(Hook::Interrupt, next));
    if matches!(interrupted, Some(HookAnswer::Complete { .. } | HookAnswer::Reject { .. })) {
        return None;
    }
    if state.ledger.turns_spent().is_some() && !is_retry {
        return None;
    }
    let asked = later && hooks.continuation == Continuation::Asked && !state.is_spoken_to();
    if asked && let Some(hook) = unanswered(Hook::Continue, next) {
        return Some(hook);
    }
    if hooks.before_model { unanswered(Hook::BeforeModel, next) } else { None }
}

/// Whether nothing is open that keeps a run from ending.
fn may_end(state: &RunState) -> bool {
    state.open.is_empty()
        && state.waits.is_empty()
        && state.unjudged.is_empty()
        && state.model.open.is_none()
        && state.model.response.is_none()
        && (!state.stops.is_empty() || !state.has_model() || state.unseen == 0)
}

impl Reaction<'_> {
    /// Asks the model, stops, or ends the run.
    pub(super) fn take_turn(&mut self) -> Done {
        if let Some(signal) = self.state.cancel
            && !self.state.stops.iter().any(|stop| matches!(stop, Stop::Cancelled { .. }))
        {
            return self.emit(RunStopping { stop: Stop::Cancelled { signal } });
        }
        if let (Some(open), true) = (self.state.model.open, self.state.cancel.is_some()) {
            let fault = super::ModelFault::new("cancelled", "The run was cancelled.");
            return self.model_failed(open, fault);
        }
        if let Some(stop) = self.stop_between_turns() {
            return self.emit(RunStopping { stop });
        }
        if is_turn_wanted(self.state, self.now) { self.ask_model() } else { self.end_run() }
    }

    /// What stops a run whatever comes next: its time, repetition, or a policy that calls the work done.
    fn stop_between_turns(&self) -> Option<Stop> {
        let state = &self.state;
        let resting = state.open.is_empty() && state.unjudged.is_empty();
        let only_waits = !state.is_protocol() && state.unjudged.is_empty() && is_left_waiting(state);
        let stalled = state.stops.iter().any(|stop| matches!(stop, Stop::Stalled { .. }));
        let repeats = state.repetition.found.as_ref().filter(|_| (resting || only_waits) && !stalled);
        if let Some((signature, count)) = repeats.filter(|_| state.cancel.is_none()) {
            return Some(Stop::Stalled { signature: signature.clone(), count: *count });
        }
        if state.is_stopping() {
            return None;
        }
        let at_work = !state.open.is_empty() || state.model.open.is_some();
        if at_work && let Some(stop) = state.ledger.wall_clock_stop(self.now.active_ms) {
            return Some(stop);
        }
        if state.seq.0 >= state.spec.limits.events {
            let (used, limit) = (state.seq.0, state.spec.limits.events);
            return Some(Stop::Budget { name: "events".into(), dimension: "events".into(), used, limit });
        }
        // A report is the answer: nothing is asked after it.
        let reported = || resting && state.has_model() && state.report().is_some_and(|report| !report.seen);
        if reported() {
            return Some(Stop::Completed { by: "report".into() });
        }
        let complete =
            resting && (state.is_called_done() || state.turn.as_ref().is_some_and(|turn| turn.completes));
        complete.then(|| Stop::Completed { by: "completion_policy".into() })
    }

    fn ask_model(&mut self) -> Done {
        let retry = self.state.model.retry;
        if self.now.draining || retry.is_some_and(|retry| self.now.wall < retry.not_before) {
            return Ok(());
        }
        if let Some((hook, _)) = turn_hook(self.state, self.now)
            && hook != Hook::BeforeModel
        {
            return Ok(());
        }
        let later = self.state.turn_number() > 0 && retry.is_none();
        let late = || self.state.ledger.wall_clock_stop(self.now.active_ms);
        if let Some(stop) = self.stop_before_turn(later).or_else(late) {
            return self.emit(RunStopping { stop });
        }
        if self.compact()? {
            return Ok(());
        }
        let next = Subject::Turn { turn: self.state.turn_number() + u32::from(retry.is_none()) };
        if self.state.spec.hooks.before_model {
            let subject = Subject::Turn { turn: self.state.turn_number() + 1 };
            match self.state.hooks.get(&(Hook::BeforeModel, subject)) {
                None => return Ok(()),
                Some(HookAnswer::Reject { fault, .. } | HookAnswer::Failed { fault }) => {
                    let stop = Stop::Failed { fault: fault.clone() };
                    return self.emit(RunStopping { stop });
                }
                Some(_) => {}
            }
        }
        let reserve = self.now.reserve.clone();
        let unreserved = defect::is(Defect::ReservationIgnored);
        if let Some(stop) = self.state.ledger.spending_stop(&reserve).filter(|_| !unreserved) {
            return self.emit(RunStopping { stop });
        }
        let Subject::Turn { turn } = next else { return Ok(()) };
        self.request(Purpose::Turn, turn)
    }

    pub(super) fn request(&mut self, purpose: Purpose, turn: u32) -> Done {
        let retry = self.state.model.retry.filter(|_| purpose == Purpose::Turn);
        let requested = ModelRequested {
            request: self.state.model.requests + 1,
            purpose,
            turn,
            attempt: retry.map_or(1, |retry| retry.attempt),
            model: retry.map_or(0, |retry| retry.model),
            reserved: self.now.reserve.clone(),
            measure: crate::Usage::default(),
            through: self.state.seq,
            active_ms: self.now.active_ms,
        };
        self.emit(requested)
    }

    /// What stops a run before another turn.
    fn stop_before_turn(&self, later: bool) -> Option<Stop> {
        let state = &self.state;
        let next = Subject::Turn { turn: state.turn_number() + 1 };
        if later
            && let Some(HookAnswer::Complete { reason, record }) = state.hooks.get(&(Hook::Interrupt, next))
        {
            let message = record
                .get("message")
                .and_then(|message| provost_contract::Message::parse(message).ok().map(std::sync::Arc::new));
            return Some(Stop::Interrupted { code: reason.clone(), message });
        }
        // A message that was meant for the run and cannot be read must not be lost silently.
        if later && let Some(HookAnswer::Reject { fault, .. }) = state.hooks.get(&(Hook::Interrupt, next)) {
            return Some(Stop::Failed { fault: fault.clone() });
        }
        if state.model.retry.is_none()
            && let Some(stop) = state.ledger.turns_spent()
        {
            let midway = state.ledger.has_turn_budget() || state.is_midway();
            return Some(if midway { stop } else { Stop::Completed { by: "max_turns".into() } });
        }
        if !later || state.is_spoken_to() {
            return None;
        }
        match state.hooks.get(&(Hook::Continue, next)) {
            Some(HookAnswer::Complete { .. } | HookAnswer::Reject { .. }) => {
                return Some(Stop::Completed { by: "continue".into() });
            }
            Some(HookAnswer::Failed { .. }) => return Some(Stop::Completed { by: "continue_failed".into() }),
            Some(_) | None => {}
        }
        (!state.goes_on()).then(|| Stop::Completed { by: "one_turn".into() })
    }

    /// Ends the run when nothing is left to do.
    fn end_run(&mut self) -> Done {
        if !may_end(self.state) {
            return Ok(());
        }
        if self.state.stops.is_empty() {
            if self.now.draining && self.state.spec.hooks.on_stop && self.state.has_model() {
                return Ok(());
            }
            if let Some(refused) = self.blocked_completion() {
                return self.emit(refused);
            }
            let asked = self.state.spec.hooks.on_stop && self.state.has_model();
            if asked && !self.state.hooks.contains_key(&(Hook::OnStop, Subject::Run)) {
                return Ok(());
            }
        }
        let ended = self.ending();
        self.emit(ended)
    }

    /// A rule that does not let the model finish yet.
    fn blocked_completion(&self) -> Option<ResponseRefused> {
        let rules = &self.state.agent.call_rules;
        if rules.is_empty() || !self.state.has_model() || self.state.is_protocol() {
            return None;
        }
        let decision = evaluate_completion(rules, &self.state.tools_called(None));
        (decision.verdict == GateVerdict::Deny).then(|| ResponseRefused {
            request: self.state.model.requests,
            code: "completion_blocked".into(),
            reasons: vec![decision.reason],
            violations: vec![decision.inputs.into()],
            retry: true,
        })
    }

    fn ending(&self) -> RunEnded {
        let state = &self.state;
        let stopped = state.stops.iter().map(Stop::status).max();
        let bad = |action: &crate::state::Action| {
            let end = action.end.as_ref();
            end.is_some_and(|end| matches!(end.status, ActionEnd::Failed | ActionEnd::Blocked))
        };
        let failed = !state.has_model() && state.actions.values().any(|action| bad(action));
        let status = stopped.unwrap_or(match failed {
            true => crate::event::EndStatus::Failed,
            false => crate::event::EndStatus::Completed,
        });
        let text = state.shown().last_text().map(str::to_owned).unwrap_or_default();
        RunEnded {
            satisfying: status == crate::event::EndStatus::Completed,
            status,
            effect: state.world_effect(),
            text: Payload::inline(text),
            output: state.output.clone(),
            usage: state.ledger.spent().clone(),
            handoff: None,
        }
    }
}
