//! The loop of one run: commit what was decided, start what is due, wait for what happens.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures_util::FutureExt as _;
use provost_engine::event::{Event, EventKind, Hook, Outcome, Subject};
use provost_engine::view::{self, RunStatus};
use provost_engine::{
    Digest, Effect, EffectId, Epoch, Execute, Input, Now, RunState, Time, Usage, WorkerId, due, react,
};
use tokio::sync::{Notify, mpsc, oneshot, watch};
use tokio::time::{Instant, timeout};

use super::arguments::Arguments;
use super::commit::{Committed, send};
use super::effects::{hidden_values, known, stored, without};
use super::load::{Agents, LoadError, LoadedRun};
use super::performer::{Delta, DeltaSink, NewNote, Performer, RunContext};
use super::seal::SealKey;
use super::tasks::{Finished, Tasks};
use crate::port::{Clock, Fault as StoreFault};
use crate::store::{CommitError, Store};
use crate::verify::Anchor;

/// A run that continues by itself within this time is not let go of.
const NEAR_MS: i64 = 5_000;
/// How long answers of hooks and previews wait for one another.
const TOGETHER: Duration = Duration::from_millis(50);

/// Why an actor stopped working on its run. The run itself goes on with another worker.
#[derive(Debug, thiserror::Error)]
pub enum ActorError {
    /// Another worker has the run.
    #[error("another worker has the run")]
    Fenced,
    /// The worker's lease is over.
    #[error("the lease of the worker is over")]
    LeaseLost,
    /// The run cannot be read.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// The engine produced an event that cannot follow: a defect.
    #[error(transparent)]
    Illegal(#[from] provost_engine::Illegal),
    /// The store refused the commit for good: a defect.
    #[error("the store refused a commit")]
    Commit(#[source] Box<CommitError>),
    /// The storage failed.
    #[error(transparent)]
    Storage(#[from] StoreFault),
    /// A run that an action delegates to cannot be made: a defect, it is checked before.
    #[error("a child run cannot be made ({code}): {message}")]
    Child {
        /// The code.
        code: String,
        /// The reason.
        message: String,
    },
    /// An event cannot be written as JSON: a defect.
    #[error("an event cannot be written")]
    Encode(#[from] serde_json::Error),
}

/// What all actors of a process share.
pub struct Shared {
    /// The store.
    pub store: Arc<dyn Store>,
    /// Who performs effects.
    pub performer: Arc<dyn Performer>,
    /// The agents of the process.
    pub agents: Arc<dyn Agents>,
    /// Wall time.
    pub clock: Arc<dyn Clock>,
    /// Where deltas go.
    pub deltas: Arc<dyn DeltaSink>,
    /// Seals secret arguments of actions that wait; without it such actions are refused before a person is
    /// asked.
    pub seal: Option<SealKey>,
    /// Witnesses the ends of runs outside the store.
    pub anchor: Option<Arc<dyn Anchor>>,
    /// The raw arguments of declarations that were handed in here, until their runs are worked on.
    pub handed_in: HandedIn,
}

/// The raw arguments of declarations that were handed in, by run. They are written nowhere.
#[derive(Default)]
pub struct HandedIn(Mutex<HashMap<provost_engine::RunId, Vec<provost_contract::json::Object>>>);

impl HandedIn {
    /// Keeps the arguments of the actions of a run, in their order.
    pub fn put(&self, run: provost_engine::RunId, raw: Vec<provost_contract::json::Object>) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(run, raw);
    }

    /// Takes them out.
    pub fn take(&self, run: &provost_engine::RunId) -> Option<Vec<provost_contract::json::Object>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(run)
    }
}

/// The lease of the worker that an actor works for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lease {
    /// It holds; effects may start until then.
    Until(Instant),
    /// It is over.
    Lost,
}

/// Why an actor stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Release {
    /// The run is over.
    Ended,
    /// The run rests until a signal, an answer or its due time.
    Rests,
    /// The worker drains; the run has work left.
    Drained,
}

/// A run that an actor let go of, with what the next actor of the same process need not read again.
#[derive(Debug)]
pub struct Parked {
    /// Why.
    pub release: Release,
    /// The run as it is stored.
    pub loaded: LoadedRun,
    pub(super) arguments: Arguments,
}

/// A claimed run.
pub struct RunActor {
    pub(super) shared: Arc<Shared>,
    pub(super) worker: WorkerId,
    pub(super) epoch: Epoch,
    pub(super) loaded: LoadedRun,
    pub(super) arguments: Arguments,
    pub(super) tasks: Tasks,
    /// What happened and is not committed yet.
    pub(super) inputs: Vec<Input>,
    /// Responses whose raw arguments came with them.
    pub(super) raw: Option<Vec<provost_contract::json::Object>>,
    pub(super) notes: mpsc::Sender<NewNote>,
    pub(super) noted: mpsc::Receiver<NewNote>,
    /// Executors that wait until their note is durable.
    pub(super) unacknowledged: Vec<oneshot::Sender<()>>,
    /// Whether the process of the worker before this one is known to be gone.
    pub(super) earlier_gone: bool,
    pub(super) mail: Arc<Notify>,
    pub(super) lease: watch::Receiver<Lease>,
    pub(super) drain: watch::Receiver<bool>,
    pub(super) began: Instant,
    pub(super) row: Option<provost_engine::RowChange>,
}

impl RunActor {
    /// Works on the run until it rests, ends or is lost.
    ///
    /// # Errors
    /// Why the actor lost the run. Everything that it had under way has ended.
    pub async fn run(mut self) -> Result<Parked, ActorError> {
        let worked = self.work().await;
        self.tasks.abort_all().await;
        let release = worked?;
        // The next actor of this process goes on counting where this one stops.
        self.loaded.active_ms = self.active_ms();
        Ok(Parked { release, loaded: self.loaded, arguments: self.arguments })
    }

    async fn work(&mut self) -> Result<Release, ActorError> {
        self.claim().await?;
        self.take_signals().await?;
        loop {
            if let Some(release) = self.step().await? {
                return Ok(release);
            }
            if *self.drain.borrow() {
                self.stop_for_drain().await?;
                return Ok(self.step().await?.unwrap_or(Release::Drained));
            }
            self.start_due();
            self.wait().await?;
        }
    }

    pub(super) fn state(&self) -> &RunState {
        &self.loaded.state
    }

    pub(super) fn now(&self) -> Now {
        let draining = *self.drain.borrow();
        Now {
            wall: Time(self.shared.clock.now_ms()),
            active_ms: self.active_ms(),
            draining,
            can_seal: self.shared.seal.is_some(),
            reserve: self.shared.performer.reserve(&self.context(), &self.state().transcript),
        }
    }

    /// How long the run has been worked on.
    fn active_ms(&self) -> u64 {
        let elapsed = u64::try_from(self.began.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.loaded.active_ms.saturating_add(elapsed)
    }

    pub(super) fn context(&self) -> RunContext {
        let state = self.state();
        let (spec, agent, promoted) = (state.spec.clone(), state.agent.clone(), state.promoted.clone());
        RunContext { spec, agent, turn: state.turn_number(), promoted }
    }

    /// Decides about what happened and commits it. Returns why the run is let go of, if it is.
    pub(super) async fn step(&mut self) -> Result<Option<Release>, ActorError> {
        loop {
            if let Some(raw) = self.raw.take() {
                self.arguments.responded(raw);
            }
            let now = self.now();
            let mut events = react(&mut self.loaded.state, &now, self.inputs.clone())?;
            if events.is_empty() {
                self.acknowledge(&[]);
                return Ok(None);
            }
            self.arguments.declared(&events);
            let ruled = self.decide_rulings(&now, &mut events)?;
            let release = self.release(&now);
            let commit = self.commit_of(&now, &events, release)?;
            let head = commit.records.last().map(|record| record.hash).unwrap_or(Digest::ZERO);
            let (deltas, run) = (&self.shared.deltas, &self.state().spec.run);
            let trouble = |problem| deltas.delta(run, None, Delta::Trouble(problem));
            match send(&*self.shared.store, Arc::new(commit), trouble).await? {
                Committed::Done => {
                    self.loaded.head = head;
                    self.acknowledge(&events);
                    if release == Some(Release::Ended) {
                        self.witness(head, now.wall);
                    }
                    return Ok(release);
                }
                Committed::Reload => {
                    // They were asked for with a state that is dropped.
                    ruled.into_iter().for_each(|id| self.tasks.start_again(id));
                    self.reload().await?;
                }
            }
        }
    }

    /// Why the run can be let go of after what was decided.
    fn release(&self, now: &Now) -> Option<Release> {
        if self.state().ended.is_some() {
            return Some(Release::Ended);
        }
        let effects = due(self.state(), now);
        if now.draining {
            let running =
                effects.iter().any(|effect| matches!(effect, Effect::Execute(_) | Effect::Stop { .. }));
            return (!running).then_some(Release::Drained);
        }
        let near = |effect: &Effect| match effect {
            Effect::WakeAt(time) => time.0.saturating_sub(now.wall.0) < NEAR_MS,
            _ => true,
        };
        let waits = view::status(self.state(), now) == RunStatus::Waiting || !effects.is_empty();
        (waits && !effects.iter().any(near)).then_some(Release::Rests)
    }

    /// What was reacted to is durable.
    fn acknowledge(&mut self, events: &[Event]) {
        if events.iter().any(|event| matches!(event.kind, EventKind::RunClaimed(_))) {
            self.loaded.worker = Some(self.worker.clone());
        }
        self.inputs.clear();
        self.tasks.acknowledge();
        for durable in self.unacknowledged.drain(..) {
            // The executor may be gone.
            let _ = durable.send(());
        }
        self.arguments.committed(events);
        for event in events {
            let named = match &event.kind {
                EventKind::SignalTaken(taken) => Some(taken.signal),
                EventKind::WaitSettled(settled) => settled.signal,
                _ => None,
            };
            self.loaded.taken = self.loaded.taken.max(named.unwrap_or_default());
        }
    }

    /// Starts what is due and not under way, and drops what is no longer due.
    fn start_due(&mut self) {
        let now = self.now();
        let effects = due(self.state(), &now);
        let ids: BTreeSet<_> = effects.iter().map(Effect::id).collect();
        self.tasks.drop_all_but(&ids);
        let lease_holds = matches!(*self.lease.borrow(), Lease::Until(until) if Instant::now() < until);
        for effect in effects {
            let id = effect.id();
            if self.tasks.has(id) || (matches!(effect, Effect::Execute(_)) && !lease_holds) {
                continue;
            }
            self.start(effect);
        }
    }

    /// Starts an effect as a task.
    fn start(&mut self, effect: Effect) {
        let id = effect.id();
        match effect {
            Effect::Model { request, purpose, model, .. } => self.start_model(id, request, purpose, model),
            Effect::Hook { hook: Hook::Resolve, subject: Subject::Action { action } } => {
                if let Some(call) = self.resolving(action) {
                    self.tasks.start(id, Arc::default(), call);
                }
            }
            Effect::Hook { hook, subject } => {
                if let Some(call) = self.hook(hook, subject) {
                    self.tasks.start(id, Arc::default(), call);
                }
            }
            Effect::Preview { action } => self.start_preview(id, action),
            Effect::Execute(execute) => self.start_execute(id, *execute),
            Effect::Stop { action, attempt } => {
                if !self.tasks.stop(action, attempt) {
                    let outcome = Outcome::NotStarted { code: "stopped".into() };
                    let input = Input::Outcome { action, attempt, outcome, usage: Usage::default() };
                    self.tasks.start(id, Arc::default(), async move { (input, None) });
                }
            }
            Effect::Recover { action, attempt, phase, key, process } => {
                self.start_recover(id, (action, attempt), phase, key, process);
            }
            Effect::WakeAt(_) => {}
        }
    }

    /// Has an executor carry out an action. Its task answers with the outcome.
    fn start_execute(&mut self, id: EffectId, execute: Execute) {
        let (action, attempt, ms) = (execute.action, execute.attempt, execute.timeout_ms);
        let work = self.assignment(action, execute);
        let (performer, store) = (self.shared.performer.clone(), self.shared.store.clone());
        let agent = self.state().agent.clone();
        let (deltas, run) = (self.shared.deltas.clone(), self.state().spec.run.clone());
        let stop = Arc::new(Notify::new());
        let stopped = stop.clone();
        self.tasks.start(id, stop, async move {
            let Some(work) = known(work).await else {
                let outcome = Outcome::NotStarted { code: "secrets_lost".into() };
                return (Input::Outcome { action, attempt, outcome, usage: Usage::default() }, None);
            };
            let hidden = hidden_values(&work);
            let ended = tokio::select! {
                biased;
                ended = timeout(Duration::from_millis(ms), performer.execute(work)) => ended,
                () = stopped.notified() => Ok((Outcome::Stopped, Usage::default())),
            };
            let late = |_| (Outcome::TimedOut { ms }, Usage::default());
            let (outcome, usage) = ended.unwrap_or_else(late);
            let trouble = |problem| deltas.delta(&run, None, Delta::Trouble(problem));
            let outcome = stored(&*store, &agent, without(&hidden, outcome), trouble).await;
            (Input::Outcome { action, attempt, outcome, usage }, None)
        });
    }

    /// Waits until something happened, then takes everything that has.
    async fn wait(&mut self) -> Result<(), ActorError> {
        let wake = provost_engine::wake_at(self.state(), &self.now());
        let clock = self.shared.clock.clone();
        let timer = async move {
            match wake {
                Some(time) => clock.sleep_until(time.0).await,
                None => std::future::pending().await,
            }
        };
        let mail = self.mail.clone();
        let mut ready = Vec::new();
        tokio::select! {
            finished = self.tasks.next() => ready.push(finished),
            Some(note) = self.noted.recv() => self.note(note),
            () = mail.notified() => self.take_signals().await?,
            () = timer => self.inputs.push(Input::Tick),
            changed = self.lease.changed() => {
                if changed.is_err() || *self.lease.borrow() == Lease::Lost {
                    return Err(ActorError::LeaseLost);
                }
            }
            changed = self.drain.changed() => {
                if changed.is_err() {
                    return Err(ActorError::LeaseLost);
                }
            }
        }
        self.take_notes();
        self.gather(ready).await;
        // What was said before something ended is heard before what follows from it.
        if self.mail.notified().now_or_never().is_some() {
            self.take_signals().await?;
        }
        Ok(())
    }

    /// Takes what has finished. A hook or preview waits for others that answer about as fast: they are decided about
    /// together and in the order of their actions, so that the same turn gives the same journal, and a turn of many
    /// calls few commits.
    async fn gather(&mut self, mut ready: Vec<Finished>) {
        ready.extend(std::iter::from_fn(|| self.tasks.try_next()));
        let until = Instant::now() + TOGETHER;
        while ready.iter().any(|finished| finished.id.asks()) && self.tasks.asks() {
            match tokio::time::timeout_at(until, self.tasks.next()).await {
                Ok(finished) => ready.push(finished),
                Err(_) => break,
            }
        }
        ready.sort_by_key(|finished| finished.id);
        ready.into_iter().for_each(|finished| self.finished(finished));
    }

    fn take_notes(&mut self) {
        while let Ok(note) = self.noted.try_recv() {
            self.note(note);
        }
    }

    fn note(&mut self, new: NewNote) {
        let NewNote { action, attempt, note, durable } = new;
        self.unacknowledged.push(durable);
        self.inputs.push(Input::Note { action, attempt, note });
    }

    pub(super) fn finished(&mut self, finished: Finished) {
        // A note of an attempt comes before its end.
        self.take_notes();
        match (&finished.input, finished.raw) {
            (Input::Hook { subject: Subject::Action { action }, .. }, Some(raw)) => {
                self.arguments.resolved(*action, raw);
            }
            (_, Some(raw)) => self.raw = Some(raw),
            (_, None) => {}
        }
        self.inputs.push(finished.input);
    }
}
