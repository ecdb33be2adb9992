//! How a worker works, and what it shares with those who ask it for something.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use provost_engine::{Epoch, RunId, WorkerId};
use tokio::sync::futures::Notified;
use tokio::sync::{Notify, oneshot, watch};

use crate::store::ClaimFilter;

/// Which runs a worker takes.
#[derive(Clone, Debug)]
pub enum Scope {
    /// Every run that the filter fits.
    All(ClaimFilter),
    /// Only runs that it was asked to work on, and their children.
    Asked,
}

/// How a worker works.
#[derive(Clone, Debug)]
pub struct DispatcherConfig {
    /// Its id. Never used again.
    pub worker: WorkerId,
    /// Which runs it takes.
    pub scope: Scope,
    /// How many runs at once.
    pub runs_max: usize,
    /// How long its lease lasts without a heartbeat.
    pub lease: Duration,
    /// How often it renews the lease.
    pub beat: Duration,
}

impl DispatcherConfig {
    /// Returns the defaults for a worker: 256 runs at once, a lease of 15 s, a heartbeat every second.
    pub fn new(worker: WorkerId, scope: Scope) -> Self {
        let (lease, beat) = (Duration::from_secs(15), Duration::from_secs(1));
        Self { worker, scope, runs_max: 256, lease, beat }
    }
}

/// How working on a run failed here. The run itself is not over.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct RunError {
    /// What happened.
    pub message: String,
}

/// The bell of each actor, with the epoch of its claim: a run may be claimed again before the end of its earlier
/// actor was seen.
pub(super) type Bells = Mutex<HashMap<RunId, (Epoch, Arc<Notify>)>>;

/// What the doors to a worker and the worker itself share.
pub(super) struct Handle {
    /// Shared with the filter of every look.
    pub(super) asked: Mutex<Arc<BTreeSet<RunId>>>,
    pub(super) bells: Arc<Bells>,
    pub(super) failed: Mutex<HashMap<RunId, RunError>>,
    /// The runs that have an actor here.
    pub(super) working: Mutex<HashSet<RunId>>,
    /// Who waits until a run has no actor here any more.
    pub(super) released: Mutex<HashMap<RunId, Arc<Notify>>>,
    pub(super) wake: Notify,
    pub(super) drain: watch::Sender<bool>,
    pub(super) ended: Mutex<Option<oneshot::Receiver<()>>>,
}

/// Waits until a run is not worked on here any more.
pub struct Released {
    pub(super) notify: Arc<Notify>,
    pub(super) run: RunId,
    pub(super) handle: Arc<Handle>,
}

impl Released {
    /// Returns a future that ends with the next release after it was enabled or polled.
    pub fn notified(&self) -> Notified<'_> {
        self.notify.notified()
    }
}

impl Drop for Released {
    fn drop(&mut self) {
        let mut waiting = lock(&self.handle.released);
        // The map and this one: nothing else waits for the run.
        if waiting.get(&self.run).is_some_and(|it| Arc::ptr_eq(it, &self.notify))
            && Arc::strong_count(&self.notify) <= 2
        {
            waiting.remove(&self.run);
        }
    }
}

impl Handle {
    /// A run has no actor here any more.
    pub(super) fn release(&self, run: &RunId) {
        lock(&self.working).remove(run);
        if let Some(waiting) = lock(&self.released).remove(run) {
            waiting.notify_waiters();
        }
    }
}

pub(super) fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

pub(super) fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
