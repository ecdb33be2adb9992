//! Everything that outlives a process: what is stored, what happened outside, and the time.

use std::sync::Arc;

use fastrand::Rng;
use provost_contract::canonical;
use provost_runtime::RunId;
use provost_runtime::memory::ManualClock;

use super::disk::Disk;
use super::ledger::Ledger;
use super::scenario::Scenario;
use crate::Failure;

const BEGINNING_MS: i64 = 1_780_000_000_000;
const TURN_MS: i64 = 10_000;
/// Longer than a hanging tool is waited for.
const HANG_MS: i64 = 6_000;

/// The world of one play.
pub(super) struct World {
    pub(super) run: RunId,
    pub(super) scenario: Arc<Scenario>,
    pub(super) disk: Arc<dyn Disk>,
    pub(super) ledger: Arc<Ledger>,
    pub(super) clock: Arc<ManualClock>,
    /// Decides how long each call takes, and so the order in which calls that run at once are done.
    pub(super) seed: u64,
}

impl World {
    pub(super) fn new(scenario: &Arc<Scenario>, disk: Arc<dyn Disk>, seed: u64) -> Result<Self, Failure> {
        Self::with_ledger(scenario, disk, seed, Ledger::default())
    }

    pub(super) fn with_ledger(
        scenario: &Arc<Scenario>,
        disk: Arc<dyn Disk>,
        seed: u64,
        ledger: Ledger,
    ) -> Result<Self, Failure> {
        let world = Self {
            run: "run_crash".parse()?,
            scenario: scenario.clone(),
            disk,
            clock: Arc::new(ManualClock::at(BEGINNING_MS)),
            seed,
            ledger: Arc::new(ledger),
        };
        // Time does not go back when a process is gone.
        world.turn_begins(world.ledger.newest_turn());
        Ok(world)
    }

    /// Every turn has its time, also when it begins again.
    pub(super) fn turn_begins(&self, turn: u64) {
        let since = i64::try_from(turn).unwrap_or_default().saturating_mul(TURN_MS);
        self.wait_until(BEGINNING_MS.saturating_add(since));
    }

    /// Lets the time be so late, if it is not later.
    pub(super) fn wait_until(&self, at_ms: i64) {
        use provost_runtime::port::Clock as _;
        self.clock.set(self.clock.now_ms().max(at_ms));
    }

    /// Never returns from a call whose tool hangs, and lets the time pass that anybody waits for it.
    pub(super) async fn hang(&self, call_id: &str) {
        if self.scenario.hangs_at(call_id) {
            self.clock.advance(HANG_MS);
            std::future::pending::<()>().await;
        }
    }

    /// Takes as long as the seed says for a key: the same on every attempt.
    pub(super) async fn dawdle(&self, key: &str) {
        let digest = canonical::sha256(format!("{}/{key}", self.seed).as_bytes());
        let seed = digest.iter().take(8).fold(0, |seed, byte| (seed << 8) | u64::from(*byte));
        let pauses = if self.seed == 0 { 0 } else { Rng::with_seed(seed).u32(0..12) };
        for _ in 0..pauses {
            tokio::task::yield_now().await;
        }
    }
}
