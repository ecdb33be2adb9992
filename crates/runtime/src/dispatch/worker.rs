//! The worker of a process: it claims runs, holds one lease for all of them, and gives each an actor.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, MutexGuard};
use std::time::Duration;

use provost_engine::{Epoch, RunId, WorkerId};
use tokio::sync::{Notify, watch};
use tokio::task::JoinSet;
use tokio::time::{Instant, MissedTickBehavior};

use super::handle::{Bells, DispatcherConfig, Handle, RunError, Scope, lock, millis};
use crate::actor::{ActorError, Lease, Parked, Release, RunActor, Shared};
use crate::port::Fault;
use crate::process::{is_gone, this_process};
use crate::store::{Beat, ClaimError, ClaimFilter, Claimed};

/// How many parked runs a worker holds in memory, so that it need not read them again.
const PARKED_MAX: usize = 256;
/// The shortest time between two looks at the store.
const LOOK_GAP: Duration = Duration::from_millis(5);
/// How many due waits and runs one sweep handles.
const SWEEP: usize = 256;

/// What one actor came to.
pub(super) type Ended = (RunId, Epoch, Result<Parked, ActorError>);

pub(super) struct Worker {
    pub(super) handle: std::sync::Weak<Handle>,
    pub(super) shared: Arc<Shared>,
    pub(super) config: DispatcherConfig,
    pub(super) lease: watch::Sender<Lease>,
    pub(super) leases: watch::Receiver<Lease>,
    pub(super) drain: watch::Receiver<bool>,
    pub(super) bells: Arc<Bells>,
    pub(super) tasks: JoinSet<Ended>,
    pub(super) parked: VecDeque<(RunId, Epoch, Parked)>,
    /// The id it works under: the configured one, or another after it was taken for dead.
    pub(super) worker: WorkerId,
    /// How often it was registered.
    pub(super) lives: u32,
    /// Whether it was taken for dead, and has no lease.
    pub(super) dead: bool,
    /// Whether the last look failed and is due again.
    pub(super) missed: bool,
    /// Whether the answer of a claim was lost: it may hold runs that it does not know of.
    pub(super) unsure: bool,
}

impl Worker {
    fn bells(&self) -> MutexGuard<'_, HashMap<RunId, (Epoch, Arc<Notify>)>> {
        lock(&self.bells)
    }

    /// Works until it is drained or has no handle any more.
    pub(super) async fn run(mut self) {
        let mut changes = self.shared.store.watch();
        let mut beat = tokio::time::interval(self.config.beat);
        beat.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut due = self.look().await;
        loop {
            let Some(handle) = self.handle.upgrade().filter(|_| !*self.drain.borrow()) else { break };
            let clock = self.shared.clock.clone();
            let timer = async move {
                match due {
                    Some(time) => clock.sleep_until(time).await,
                    None => std::future::pending().await,
                }
            };
            let looks = tokio::select! {
                changed = changes.changed() => changed.is_ok(),
                () = handle.wake.notified() => true,
                () = timer => true,
                _ = beat.tick() => {
                    self.beat().await;
                    if self.dead {
                        self.register_anew().await;
                    }
                    self.bury().await;
                    self.missed
                }
                Some(ended) = self.tasks.join_next() => {
                    self.actor_ended(ended);
                    while let Some(ended) = self.tasks.try_join_next() {
                        self.actor_ended(ended);
                    }
                    true
                }
                _ = self.drain.changed() => false,
            };
            drop(handle);
            if looks {
                tokio::time::sleep(LOOK_GAP).await;
                changes.mark_unchanged();
                due = self.look().await;
            }
        }
        self.stop().await;
    }

    /// Looks at the store once for everything: due waits, mail of own runs, runs to claim. A look that failed
    /// is repeated with the next heartbeat.
    async fn look(&mut self) -> Option<i64> {
        let looked = self.look_once().await;
        self.missed = looked.is_err();
        looked.ok().flatten()
    }

    async fn look_once(&mut self) -> Result<Option<i64>, Fault> {
        let store = self.shared.store.clone();
        let due = store.next_due().await?;
        if due.is_some_and(|due| due.0 <= self.shared.clock.now_ms()) {
            store.expire_due(SWEEP).await?;
        }
        for run in store.mail(self.worker.clone()).await? {
            if let Some((_, bell)) = self.bells().get(&run) {
                bell.notify_one();
            }
        }
        if self.unsure {
            self.find_claimed().await?;
        }
        self.claim().await?;
        Ok(store.next_due().await?.map(|due| due.0))
    }

    async fn claim(&mut self) -> Result<(), Fault> {
        let room = self.config.runs_max.saturating_sub(self.bells().len());
        let Some(filter) = self.filter().filter(|_| room > 0 && !self.dead) else { return Ok(()) };
        match self.shared.store.claim_due(self.worker.clone(), filter, room).await {
            Ok(claimed) => claimed.into_iter().for_each(|claim| self.start(claim)),
            Err(ClaimError::Storage(fault)) => {
                self.unsure |= matches!(fault, Fault::Unknown(_));
                return Err(fault);
            }
            Err(ClaimError::Dead(_)) => self.dead = true,
        }
        Ok(())
    }

    /// Starts on runs that were claimed by a claim whose answer was lost.
    async fn find_claimed(&mut self) -> Result<(), Fault> {
        let held = self.shared.store.held(self.worker.clone()).await?;
        self.unsure = false;
        let Some(handle) = self.handle.upgrade() else { return Ok(()) };
        for claim in held {
            let failed = lock(&handle.failed).contains_key(&claim.run);
            // An actor of an earlier claim may not have been seen to end yet.
            let known = self.bells().get(&claim.run).is_some_and(|(epoch, _)| *epoch == claim.epoch);
            if !failed && !known {
                self.start(claim);
            }
        }
        Ok(())
    }

    /// Gives a claimed run an actor.
    fn start(&mut self, claim: Claimed) {
        let bell = Arc::new(Notify::new());
        self.bells().insert(claim.run.clone(), (claim.epoch, bell.clone()));
        let parked = self.take_parked(&claim.run, claim.epoch);
        let (shared, worker) = (self.shared.clone(), self.worker.clone());
        let watches = (self.leases.clone(), self.drain.clone());
        let handle = self.handle.clone();
        if let Some(handle) = handle.upgrade() {
            lock(&handle.working).insert(claim.run.clone());
        }
        self.tasks.spawn(async move {
            let claimed = (worker, claim.run.clone(), claim.epoch);
            let worked = match RunActor::open(shared, claimed, parked, bell, watches).await {
                Ok(actor) => actor.run().await,
                Err(error) => Err(error),
            };
            // A failure is announced when it can be read.
            if let (Ok(_), Some(handle)) = (&worked, handle.upgrade()) {
                handle.release(&claim.run);
            }
            (claim.run, claim.epoch, worked)
        });
    }

    fn filter(&self) -> Option<ClaimFilter> {
        match &self.config.scope {
            Scope::All(filter) => Some(filter.clone()),
            Scope::Asked => {
                let handle = self.handle.upgrade()?;
                let asked = lock(&handle.asked).clone();
                (!asked.is_empty()).then(|| ClaimFilter { runs: Some(asked), ..ClaimFilter::default() })
            }
        }
    }

    /// Returns a run that this worker parked, if no other worker had it since.
    fn take_parked(&mut self, run: &RunId, epoch: Epoch) -> Option<Parked> {
        let index = self.parked.iter().position(|(parked, ..)| parked == run)?;
        let (_, before, parked) = self.parked.remove(index)?;
        (before.0 + 1 == epoch.0).then_some(parked)
    }

    fn actor_ended(&mut self, ended: Result<Ended, tokio::task::JoinError>) {
        let Ok((run, epoch, worked)) = ended else { return };
        let mut bells = self.bells();
        if bells.get(&run).is_some_and(|(claimed, _)| *claimed == epoch) {
            bells.remove(&run);
        }
        drop(bells);
        match worked {
            Ok(parked) if parked.release == Release::Ended => {
                self.shared.performer.forget(&run);
                if let Some(handle) = self.handle.upgrade() {
                    Arc::make_mut(&mut lock(&handle.asked)).remove(&run);
                }
            }
            Ok(parked) if parked.release == Release::Rests => {
                self.parked.push_back((run, epoch, parked));
                if self.parked.len() > PARKED_MAX
                    && let Some((run, ..)) = self.parked.pop_front()
                {
                    self.shared.performer.unload(&run);
                }
            }
            Ok(_) => {}
            // Fenced or without a lease, another worker goes on with the run, or this one under its next id.
            Err(error) => {
                let Some(handle) = self.handle.upgrade() else { return };
                if !matches!(error, ActorError::Fenced | ActorError::LeaseLost) {
                    let message = chain(&error);
                    lock(&handle.failed).insert(run.clone(), RunError { message });
                }
                let works_again = self.bells().contains_key(&run);
                if !works_again {
                    handle.release(&run);
                }
            }
        }
    }

    /// Renews the lease. Effects start until two thirds of it; a renewal that fails is tried again, and work
    /// goes on when one succeeds.
    async fn beat(&mut self) {
        let sent = Instant::now();
        match self.shared.store.beat(self.worker.clone(), millis(self.config.lease)).await {
            Ok(Beat::Renewed { .. }) => {
                let _ = self.lease.send(Lease::Until(sent + self.config.lease * 2 / 3));
            }
            Ok(Beat::Dead) => self.dead = true,
            Err(_) => {}
        }
    }

    /// The worker was taken for dead, and its runs belong to others: it drops them and goes on under a new id.
    async fn register_anew(&mut self) {
        let _ = self.lease.send(Lease::Lost);
        while let Some(ended) = self.tasks.join_next().await {
            self.actor_ended(ended);
        }
        self.lives += 1;
        let Ok(worker) = format!("{}.{}", self.config.worker.as_str(), self.lives).parse::<WorkerId>() else {
            return;
        };
        let (sent, lease) = (Instant::now(), self.config.lease);
        let registered = self.shared.store.register(worker.clone(), this_process(), millis(lease)).await;
        // One that fails is tried again with the next heartbeat.
        if registered.is_ok() {
            let (lease, leases) = watch::channel(Lease::Until(sent + lease * 2 / 3));
            (self.worker, self.lease, self.leases) = (worker, lease, leases);
            (self.dead, self.unsure, self.missed) = (false, false, true);
        }
    }

    /// Buries workers whose lease is over, and at once those whose process on this machine is gone.
    async fn bury(&mut self) {
        let store = &self.shared.store;
        let Ok(workers) = store.workers().await else { return };
        let now = self.shared.clock.now_ms();
        for worker in workers.iter().filter(|worker| worker.worker != self.worker) {
            if is_gone(&worker.about) {
                let _ = store.bury(worker.worker.clone()).await;
            }
        }
        if workers.iter().any(|worker| worker.until.0 < now) {
            let _ = store.bury_expired().await;
        }
    }

    /// Waits for every actor to let go, then gives up the lease.
    async fn stop(mut self) {
        // A worker without handles drains too: its actors must not be cut off in the middle.
        while let Some(ended) = self.tasks.join_next().await {
            self.actor_ended(ended);
        }
        let _: Result<Vec<RunId>, Fault> = self.shared.store.release(self.worker.clone()).await;
    }
}

/// An error with its causes, in one line.
fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        text = format!("{text}: {cause}");
        source = cause.source();
    }
    text
}
