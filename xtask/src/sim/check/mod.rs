//! What must hold, checked on events alone, apart from the fold.

mod actions;
mod finale;
mod model;
mod standing;
mod starts;
mod waits;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

pub(super) use finale::after_crash;
use provost_engine::event::{
    ActionEnd, ActionSpec, ChangeSet, Choice, EndStatus, Phase, Purpose, RunAccepted, RunSpec, Signal,
    SignalTaken, Stop, WaitOpened,
};
use provost_engine::{
    ActionId, Commit, Digest, Effect, EffectId, Epoch, Event, EventKind, RunId, Seq, SignalId, Usage,
    Verdict, WaitId, WorldEffect,
};

use self::standing::Held;
use super::Violation;

/// The checker: what it has seen of every run.
#[derive(Debug, Default)]
pub(super) struct Checker {
    runs: BTreeMap<RunId, Seen>,
    must_refuse: BTreeSet<(RunId, u32)>,
}

/// What was seen of a run.
#[derive(Debug)]
struct Seen {
    spec: Arc<RunSpec>,
    seq: Seq,
    epoch: Epoch,
    policy: Digest,
    ended: Option<EndStatus>,
    effect: WorldEffect,
    cancelled: bool,
    stopping: bool,
    actions: BTreeMap<ActionId, Watched>,
    declarations: u32,
    waits: BTreeMap<WaitId, WaitOpened>,
    settled: BTreeSet<WaitId>,
    model: Option<(u32, Purpose)>,
    requests: u32,
    /// The response that was not interpreted yet.
    unread: Option<u32>,
    /// Whether there is something that the model has not seen.
    news: bool,
    spent: Usage,
    reserved: BTreeMap<String, Usage>,
    budgets: BTreeMap<String, u64>,
    turns: u64,
    calls: u64,
    signal: SignalId,
    /// The standing approvals, by scope.
    standing: BTreeMap<String, Held>,
    /// The same for approvals that hold in this run only.
    own_standing: BTreeMap<String, Held>,
    children: BTreeSet<RunId>,
    cancels_sent: BTreeSet<RunId>,
}

/// What was seen of an action.
#[derive(Debug)]
struct Watched {
    spec: Arc<ActionSpec>,
    args: Digest,
    attempts: u32,
    open: Option<(u32, Phase, Epoch)>,
    end: Option<Ended>,
    /// Whether it has begun and not ended.
    held: bool,
    /// What came of its last attempt.
    last: Option<(Phase, Came)>,
    gate: Option<(Digest, Digest)>,
    /// Whether a person said that it is done again.
    again: bool,
    change_set: Option<ChangeSet>,
    set_gate: Option<(Digest, Digest)>,
    cancelled: bool,
    effect: WorldEffect,
    /// What the policy hook said about which arguments under which policy.
    ruled: Option<(Digest, Digest, Option<Verdict>)>,
    wait: Option<WaitId>,
    bridged: bool,
    /// Whether what depends on it goes on, by a decision.
    passed: bool,
}

#[derive(Clone, Debug)]
struct Ended {
    status: ActionEnd,
    reason: String,
    satisfying: bool,
}

/// What came of an attempt, as far as it says whether another may follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Came {
    /// Nothing happened, or what happened is to be followed by another attempt.
    Harmless,
    /// Its worker was lost.
    Lost,
    /// Anything else.
    Something,
}

impl Checker {
    /// Looks at an event that was written.
    pub(super) fn event(&mut self, run: &RunId, event: &Event) -> Result<(), Violation> {
        let fail =
            |problem: String| Violation::new(run, format!("{problem}: {} {:?}", event.seq, event.kind));
        if let EventKind::RunAccepted(accepted) = &event.kind {
            return match self.runs.contains_key(run) {
                true => Err(fail("a run was accepted twice".into())),
                false => {
                    self.runs.insert(run.clone(), Seen::new(accepted));
                    Ok(())
                }
            };
        }
        let children_open = self.open_child(run);
        let refused = self.must_refuse.clone();
        let Some(seen) = self.runs.get_mut(run) else { return Err(fail("it was never accepted".into())) };
        seen.order(event).map_err(fail)?;
        if let EventKind::RunEnded(_) = &event.kind
            && let Some(child) = children_open
        {
            return Err(fail(format!("its child {child} has not ended")));
        }
        if let (EventKind::DeclarationAccepted(accepted), Some(request)) = (&event.kind, seen.unread)
            && accepted.origin.is_response()
            && refused.contains(&(run.clone(), request))
        {
            return Err(fail("a response that cannot be used was accepted".into()));
        }
        seen.take(event).map_err(fail)
    }

    /// Looks at a whole commit.
    pub(super) fn committed(&mut self, run: &RunId, commit: &Commit) -> Result<(), Violation> {
        let Some(seen) = self.runs.get_mut(run) else { return Ok(()) };
        seen.cancels_sent.extend(commit.signals_posted.iter().map(|post| post.run.clone()));
        seen.whole().map_err(|problem| Violation::new(run, problem))
    }

    /// Looks at what is due.
    pub(super) fn due<'a>(
        &self,
        run: &RunId,
        epoch: Epoch,
        effects: impl Iterator<Item = &'a Effect>,
    ) -> Result<(), Violation> {
        let Some(seen) = self.runs.get(run).filter(|seen| seen.ended.is_none() && seen.epoch == epoch) else {
            return Ok(());
        };
        let counts =
            |id: &EffectId| !matches!(id, EffectId::Hook(..) | EffectId::Preview(_) | EffectId::WakeAt(_));
        let due: BTreeSet<EffectId> = effects.map(Effect::id).filter(counts).collect();
        let expected = seen.expected();
        if due == expected {
            return Ok(());
        }
        Err(Violation::new(run, format!("due is {due:?}, the events say {expected:?}")))
    }

    /// Notes that a response cannot be used.
    pub(super) fn must_refuse(&mut self, run: &RunId, request: u32) {
        self.must_refuse.insert((run.clone(), request));
    }

    /// Returns whether an attempt of an action changes something outside by itself.
    pub(super) fn touches_world(&self, run: &RunId, action: ActionId) -> bool {
        self.runs.get(run).and_then(|seen| seen.actions.get(&action)).is_some_and(Watched::touches_world)
    }

    /// Returns the open attempt of an action.
    pub(super) fn open_attempt(&self, run: &RunId, action: ActionId) -> Option<(u32, Epoch)> {
        let (attempt, _, epoch) = self.runs.get(run)?.actions.get(&action)?.open?;
        Some((attempt, epoch))
    }

    /// Returns the actions of a run.
    pub(super) fn actions(&self, run: &RunId) -> Vec<ActionId> {
        self.runs.get(run).map(|seen| seen.actions.keys().copied().collect()).unwrap_or_default()
    }

    /// Returns budgets that let a run go on.
    pub(super) fn raised(&self, run: &RunId) -> BTreeMap<String, u64> {
        let Some(seen) = self.runs.get(run) else { return BTreeMap::new() };
        let mut budgets = seen.budgets.clone();
        budgets.values_mut().for_each(|limit| *limit += 40);
        budgets.insert("turns".into(), seen.turns + 10);
        budgets
    }

    fn open_child(&self, run: &RunId) -> Option<RunId> {
        let children = &self.runs.get(run)?.children;
        let open = |child: &&RunId| self.runs.get(child).is_none_or(|seen| seen.ended.is_none());
        children.iter().find(open).cloned()
    }
}

impl Seen {
    fn new(accepted: &RunAccepted) -> Self {
        let spec = accepted.spec.clone();
        Self {
            seq: Seq(1),
            epoch: Epoch(0),
            policy: spec.policy,
            ended: None,
            effect: WorldEffect::None,
            cancelled: false,
            stopping: false,
            actions: BTreeMap::new(),
            declarations: 0,
            waits: BTreeMap::new(),
            settled: BTreeSet::new(),
            model: None,
            requests: 0,
            unread: None,
            news: true,
            spent: Usage::default(),
            reserved: BTreeMap::new(),
            budgets: spec.budgets.clone(),
            turns: 0,
            calls: 0,
            signal: SignalId(0),
            standing: BTreeMap::new(),
            own_standing: BTreeMap::new(),
            children: BTreeSet::new(),
            cancels_sent: BTreeSet::new(),
            spec,
        }
    }

    /// Positions, epochs, and what may follow an end, a cancel or a stop.
    fn order(&mut self, event: &Event) -> Result<(), String> {
        if event.seq != self.seq.plus(1) {
            return Err("a gap".into());
        }
        let claims = matches!(event.kind, EventKind::RunClaimed(_));
        if event.epoch < self.epoch || (event.epoch > self.epoch) != claims {
            return Err("epochs grow by claims alone".into());
        }
        let resumes = |event: &Event| match &event.kind {
            EventKind::SignalTaken(taken) => {
                matches!(taken.body, Signal::Resume { .. }) && taken.ignored.is_none()
            }
            _ => false,
        };
        if self.ended.is_some() && !claims && !resumes(event) {
            return Err("an event after the end".into());
        }
        let begins = match &event.kind {
            EventKind::ActionStarted(started) => started.phase == Phase::Run,
            EventKind::ModelRequested(_) => true,
            _ => false,
        };
        if self.cancelled && (begins || matches!(event.kind, EventKind::WaitOpened(_))) {
            return Err("new work after a cancel".into());
        }
        if self.stopping && begins {
            return Err("new work after a stop".into());
        }
        (self.seq, self.epoch) = (event.seq, event.epoch);
        Ok(())
    }

    fn take(&mut self, event: &Event) -> Result<(), String> {
        match &event.kind {
            EventKind::RunAccepted(_) => Ok(()),
            EventKind::RunClaimed(claimed) => {
                self.policy = claimed.policy;
                let standing = claimed.standing.iter();
                self.standing =
                    standing.map(|approval| (approval.scope.clone(), Held::of(approval))).collect();
                Ok(())
            }
            EventKind::SignalTaken(taken) => self.signal(taken),
            EventKind::RunStopping(stopping) => {
                if matches!(stopping.stop, Stop::Cancelled { .. }) && !self.cancelled {
                    return Err("cancelled without a cancel".into());
                }
                self.stopping = true;
                Ok(())
            }
            EventKind::RunEnded(ended) => self.run_ended(ended),
            EventKind::ModelRequested(requested) => self.requested(requested),
            EventKind::ModelResponded(responded) => self.responded(responded),
            EventKind::ModelFailed(failed) => self.model_failed(failed),
            EventKind::DeclarationAccepted(accepted) => self.declared(accepted),
            EventKind::ResponseRefused(refused) => self.refused(refused),
            EventKind::HistoryCompacted(_) => Ok(()),
            EventKind::HookAnswered(answered) => self.hook(answered),
            EventKind::ActionStarted(started) => self.started(started, event.at),
            EventKind::ActionNoted(noted) => {
                let open = self.actions.get(&noted.action).and_then(|action| action.open);
                match open.is_some_and(|(attempt, ..)| attempt == noted.attempt) {
                    true => Ok(()),
                    false => Err("a note about no open attempt".into()),
                }
            }
            EventKind::AttemptEnded(ended) => self.attempt_ended(ended),
            EventKind::ActionEnded(ended) => self.action_ended(ended),
            EventKind::WaitOpened(opened) => self.wait_opened(opened, event.at),
            EventKind::WaitSettled(settled) => self.wait_settled(settled),
        }
    }

    /// Signals are named once each, in the order of the queue.
    fn named(&mut self, signal: SignalId) -> Result<(), String> {
        if signal.0 != self.signal.0 + 1 {
            return Err(format!("signal {signal} does not follow signal {}", self.signal));
        }
        self.signal = signal;
        Ok(())
    }

    fn signal(&mut self, taken: &SignalTaken) -> Result<(), String> {
        self.named(taken.signal)?;
        if taken.ignored.is_some() {
            return Ok(());
        }
        match &taken.body {
            Signal::Message { .. } => self.news = true,
            Signal::Cancel { actions: None, .. } => {
                self.cancelled = true;
                let all: Vec<ActionId> = self.actions.keys().copied().collect();
                all.into_iter().for_each(|id| self.cancel(id));
            }
            Signal::Cancel { actions: Some(actions), .. } => actions.iter().for_each(|id| self.cancel(*id)),
            Signal::Resume { budgets, .. } => {
                let Some(ended) = self.ended.take() else { return Err("it had not ended".into()) };
                if !ended.is_resumable() || self.spec.parent.is_some() {
                    return Err("it cannot be resumed".into());
                }
                (self.stopping, self.news) = (false, true);
                for (name, limit) in budgets {
                    let current = self.budgets.entry(name.clone()).or_default();
                    *current = (*current).max(*limit);
                }
            }
            Signal::Decide { action, choice, .. } => self.decided(*action, *choice, false)?,
            // What it declares is checked with the declaration that follows.
            Signal::External { .. } | Signal::Submit { .. } => {}
            Signal::Standing { scope, grant: Some(approval) } => {
                self.standing.insert(scope.clone(), Held::of(approval));
            }
            Signal::Standing { scope, grant: None } => {
                self.standing.retain(|_, held| !held.is_named(scope));
                self.own_standing.retain(|_, held| !held.is_named(scope));
            }
            Signal::Answer { .. } => return Err("an answer that counts settles its wait".into()),
        }
        Ok(())
    }

    /// A decision about an ended action.
    fn decided(&mut self, id: ActionId, choice: Choice, by_model: bool) -> Result<(), String> {
        let Some(action) = self.actions.get_mut(&id) else { return Err(format!("there is no action {id}")) };
        let Some(end) = action.end.clone() else { return Err(format!("{id} has not ended")) };
        if !matches!(end.status, ActionEnd::Failed | ActionEnd::Blocked) {
            return Err(format!("{id} is not to be decided about"));
        }
        if let Some(parent) = action.spec.under
            && self.actions.get(&parent).is_none_or(|parent| parent.end.is_some())
        {
            return Err(format!("{id} was a part of an action that has ended"));
        }
        let Some(action) = self.actions.get_mut(&id) else { return Ok(()) };
        match choice {
            Choice::Accept => {
                if by_model && end.reason == "in_doubt" {
                    return Ok(());
                }
                action.passed = true;
            }
            Choice::Skip => {
                action.passed = false;
                let (status, reason) = (ActionEnd::Cancelled, "skipped".to_owned());
                action.end = Some(Ended { status, reason, satisfying: false });
            }
            Choice::Retry => {
                action.end = None;
                (action.cancelled, action.passed) = (false, false);
                if by_model && end.status == ActionEnd::Blocked {
                    if end.reason != "in_doubt" {
                        return Err("a model may retry only what failed".into());
                    }
                    action.held = true;
                    return Ok(());
                }
                action.gate = None;
                action.again = !by_model;
                action.ruled = None;
            }
        }
        self.reset_dependents(id);
        Ok(())
    }

    fn reset_dependents(&mut self, id: ActionId) {
        let ended =
            |action: &Watched, reason: &str| action.end.as_ref().is_some_and(|end| end.reason == reason);
        let stands = self.actions.get(&id).is_some_and(|action| action.passed);
        let blocked: Vec<ActionId> = self
            .actions
            .iter()
            .filter(|(other, action)| {
                (ended(action, "dependency") && action.spec.depends_on.contains(&id))
                    || (ended(action, "aborted") && other.declaration == id.declaration && !stands)
            })
            .map(|(other, _)| *other)
            .collect();
        for other in blocked {
            if let Some(action) = self.actions.get_mut(&other) {
                (action.end, action.cancelled) = (None, false);
            }
            self.reset_dependents(other);
        }
    }

    /// Marks an open action and its parts.
    fn cancel(&mut self, id: ActionId) {
        let Some(action) = self.actions.get_mut(&id).filter(|action| action.end.is_none()) else { return };
        if std::mem::replace(&mut action.cancelled, true) {
            return;
        }
        let parts: Vec<ActionId> = self
            .actions
            .iter()
            .filter(|(_, part)| part.spec.under == Some(id))
            .map(|(part, _)| *part)
            .collect();
        parts.into_iter().for_each(|part| self.cancel(part));
    }

    fn is_cancelled(&self, action: &Watched) -> bool {
        action.cancelled || self.cancelled
    }

    /// The calls and executions that must be under way, by the events alone.
    fn expected(&self) -> BTreeSet<EffectId> {
        let model = self.model.iter().map(|(request, _)| EffectId::Model(*request));
        let attempts = self.actions.iter().filter_map(|(id, action)| {
            let (attempt, phase, epoch) = action.open.filter(|_| action.wait.is_none())?;
            if action.is_pipeline() {
                return None;
            }
            Some(if epoch < self.epoch {
                EffectId::Recover(*id, attempt)
            } else if self.is_cancelled(action) && phase == Phase::Run {
                EffectId::Stop(*id, attempt)
            } else {
                EffectId::Execute(*id, attempt, phase)
            })
        });
        model.chain(attempts).collect()
    }

    /// What must hold between commits.
    fn whole(&self) -> Result<(), String> {
        let mut running = 0;
        for (id, action) in &self.actions {
            let waits = action.spec.executor.kind.waits().is_some();
            if waits && action.open.is_some() && action.wait.is_none() {
                return Err(format!("{id} is open and neither runs nor waits"));
            }
            let runs = action.open.is_some() && action.wait.is_none() && !action.is_pipeline();
            running += u32::from(runs);
            if let Some(opened) = action.wait.as_ref().and_then(|wait| self.waits.get(wait))
                && let provost_engine::event::WaitKind::Child { run } = &opened.kind
                && self.is_cancelled(action)
                && !self.cancels_sent.contains(run)
            {
                return Err(format!("{id} is cancelled and its child {run} was not asked to stop"));
            }
        }
        if running > self.spec.limits.parallel {
            return Err(format!("{running} attempts at once, the limit is {}", self.spec.limits.parallel));
        }
        if self.unread.is_some() && !self.spec.hooks.after_model {
            return Err("a response was not read in its commit".into());
        }
        Ok(())
    }
}
