//! What outlives every worker of a play: the store, the ledger of effects, time, and who is known to be dead.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use provost_engine::{Commit, Digest, EventKind, RunId, Seq, WorkerId};
use provost_runtime::port::{Boxed, Clock};
use provost_runtime::store::memory::MemoryStore;
use provost_runtime::store::{Store, Worker};
use tokio::time::Instant;

use super::ledger::Ledger;
use super::scenario::Scenario;

/// When every play begins.
const BEGINNING_MS: i64 = 1_780_000_000_000;

/// A clock that goes with tokio's, so that paused time stands still for both.
struct TokioClock {
    began: Instant,
}

impl Clock for TokioClock {
    fn now_ms(&self) -> i64 {
        BEGINNING_MS.saturating_add(i64::try_from(self.began.elapsed().as_millis()).unwrap_or(i64::MAX))
    }

    fn sleep_until(&self, at_ms: i64) -> Boxed<'static, ()> {
        let after = u64::try_from(at_ms.saturating_sub(BEGINNING_MS)).unwrap_or_default();
        Box::pin(tokio::time::sleep_until(self.began + Duration::from_millis(after)))
    }
}

/// What outlives every worker.
pub(super) struct World {
    pub(super) scenario: Arc<Scenario>,
    pub(super) store: Arc<dyn Store>,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) ledger: Ledger,
    acknowledged: Mutex<Vec<(RunId, Seq, Digest)>>,
    /// The workers that have claimed a run in its journal.
    writers: Mutex<BTreeSet<String>>,
    dead: Mutex<BTreeSet<WorkerId>>,
    /// Executors that go on without their worker, by the key.
    pub(super) orphans: Mutex<BTreeSet<String>>,
    gone_until: Mutex<Option<Instant>>,
    /// What was posted, so that it is not posted all the time.
    pub(super) posted: Mutex<BTreeSet<String>>,
    /// Whether acknowledged commits and places are written out, for a parent.
    pub(super) speaks: bool,
}

pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl World {
    /// Returns a world in memory, in paused time.
    pub(super) fn in_memory(scenario: &Arc<Scenario>) -> Arc<Self> {
        let clock: Arc<dyn Clock> = Arc::new(TokioClock { began: Instant::now() });
        let store: Arc<dyn Store> = Arc::new(MemoryStore::new(clock.clone()));
        Arc::new(Self::new(scenario, store, clock, Ledger::default(), false))
    }

    pub(super) fn new(
        scenario: &Arc<Scenario>,
        store: Arc<dyn Store>,
        clock: Arc<dyn Clock>,
        ledger: Ledger,
        speaks: bool,
    ) -> Self {
        Self {
            scenario: scenario.clone(),
            store,
            clock,
            ledger,
            acknowledged: Mutex::default(),
            writers: Mutex::default(),
            dead: Mutex::default(),
            orphans: Mutex::default(),
            gone_until: Mutex::default(),
            posted: Mutex::default(),
            speaks,
        }
    }

    /// Notes the records that the store called durable.
    pub(super) fn acknowledged(&self, commit: &Commit) {
        let records = commit.records.iter().map(|record| (commit.run.clone(), record.seq, record.hash));
        if self.speaks {
            let last = commit.records.last();
            println!(
                "ack {} {} {}",
                commit.run,
                last.map_or(0, |last| last.seq.0),
                last.map_or(Digest::ZERO, |last| last.hash)
            );
        }
        lock(&self.acknowledged).extend(records);
        for record in commit.records.iter().filter(|record| record.kind.as_ref() == "run_claimed") {
            let event = provost_engine::Event::from_record(record);
            if let Ok(EventKind::RunClaimed(claimed)) = event.map(|event| event.kind) {
                lock(&self.writers).insert(claimed.worker.as_str().to_owned());
            }
        }
    }

    pub(super) fn all_acknowledged(&self) -> Vec<(RunId, Seq, Digest)> {
        lock(&self.acknowledged).clone()
    }

    /// Returns whether a worker has written something.
    pub(super) fn has_committed(&self, worker: &str) -> bool {
        lock(&self.writers).contains(worker)
    }

    /// The process of a worker is gone.
    pub(super) fn died(&self, worker: &WorkerId) {
        lock(&self.dead).insert(worker.clone());
    }

    /// Returns a worker as other processes of the machine see it: all play in one process, so a dead one gets
    /// the start of a process that is not there.
    pub(super) fn seen_from_here(&self, mut worker: Worker) -> Worker {
        if lock(&self.dead).contains(&worker.worker) {
            worker.about.start = worker.about.start.wrapping_add(1);
        }
        worker
    }

    pub(super) fn store_gone_until(&self, until: Instant) {
        *lock(&self.gone_until) = Some(until);
    }

    pub(super) fn is_store_gone(&self) -> bool {
        lock(&self.gone_until).is_some_and(|until| Instant::now() < until)
    }
}
