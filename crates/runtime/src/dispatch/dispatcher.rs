//! The doors to the worker of a process.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use provost_engine::RunId;
use tokio::sync::{Notify, oneshot, watch};
use tokio::task::JoinSet;
use tokio::time::Instant;

use super::handle::{Bells, DispatcherConfig, Handle, Released, RunError, lock, millis};
use super::worker::Worker;
use crate::actor::{Lease, Shared};
use crate::process::this_process;
use crate::store::RegisterError;

/// A running worker. Cheap to clone; it stops when the last handle is dropped or it is drained.
#[derive(Clone)]
pub struct Dispatcher {
    inner: Arc<Handle>,
}

impl Dispatcher {
    /// Registers a worker and starts it.
    ///
    /// # Errors
    /// If the store does not take the worker.
    pub async fn start(shared: Arc<Shared>, config: DispatcherConfig) -> Result<Self, RegisterError> {
        let ttl_ms = millis(config.lease);
        shared.store.register(config.worker.clone(), this_process(), ttl_ms).await?;
        let (drain, draining) = watch::channel(false);
        let (ended_by, ended) = oneshot::channel();
        let bells = Arc::<Bells>::default();
        let handle = Arc::new(Handle {
            asked: Mutex::default(),
            bells: bells.clone(),
            failed: Mutex::default(),
            working: Mutex::default(),
            released: Mutex::default(),
            wake: Notify::new(),
            drain,
            ended: Mutex::new(Some(ended)),
        });
        let (lease, leases) = watch::channel(Lease::Until(Instant::now() + config.lease * 2 / 3));
        let worker = Worker {
            handle: Arc::downgrade(&handle),
            shared,
            lease,
            leases,
            drain: draining,
            bells,
            tasks: JoinSet::new(),
            parked: VecDeque::new(),
            worker: config.worker.clone(),
            lives: 1,
            dead: false,
            missed: false,
            unsure: false,
            config,
        };
        #[expect(
            clippy::disallowed_methods,
            reason = "the worker owns its loop and ends with its last handle"
        )]
        tokio::spawn(async move {
            worker.run().await;
            let _ = ended_by.send(());
        });
        Ok(Self { inner: handle })
    }

    /// Works on a run, and on its children, until it rests or ends. One that is at work here reads its signals
    /// before anything that happens from now on.
    pub fn ask(&self, run: &RunId) {
        let mut asked = lock(&self.inner.asked);
        if !asked.contains(run) {
            Arc::make_mut(&mut asked).insert(run.clone());
        }
        drop(asked);
        lock(&self.inner.failed).remove(run);
        if let Some((_, bell)) = lock(&self.inner.bells).get(run) {
            bell.notify_one();
        }
        self.inner.wake.notify_one();
    }

    /// Lets every run that is at work here read its signals.
    pub fn ring(&self) {
        lock(&self.inner.bells).values().for_each(|(_, bell)| bell.notify_one());
    }

    /// Returns why working on a run failed here, if it did.
    pub fn failure(&self, run: &RunId) -> Option<RunError> {
        lock(&self.inner.failed).get(run).cloned()
    }

    /// Returns whether a run is worked on here.
    pub fn works_on(&self, run: &RunId) -> bool {
        lock(&self.inner.working).contains(run)
    }

    /// Returns a subscription to the end of working on a run here: it rests, is over, or failed.
    pub fn released(&self, run: &RunId) -> Released {
        let notify = lock(&self.inner.released).entry(run.clone()).or_default().clone();
        Released { notify, run: run.clone(), handle: self.inner.clone() }
    }

    /// Stops taking runs, lets running attempts end or reports them lost, and gives up the lease.
    pub async fn drain(&self) {
        let _ = self.inner.drain.send(true);
        self.inner.wake.notify_one();
        let ended = lock(&self.inner.ended).take();
        if let Some(ended) = ended {
            let _ = ended.await;
        }
    }
}
