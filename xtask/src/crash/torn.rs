//! Torn writes, for real: the log of a database is cut inside the append that was just written.

use std::fs::{self, OpenOptions};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use fastrand::Rng;
use provost_runtime::port::Stores;
use provost_store::sqlite::{Check, Database, Options};

use super::compare::differences;
use super::disk::Disk;
use super::fate::{Blow, Cut, Point};
use super::play::{Played, play};
use super::points::{told, undisturbed};
use super::report::Report;
use super::scenario::Scenario;
use super::world::World;
use crate::Failure;

/// Scenarios of each kind; the others differ in nothing a file would notice.
const SCENARIOS: &[&str] = &[
    "approval-accepted",
    "client-answers",
    "compaction",
    "mixed-batch-asked",
    "session",
    "writes-in-turn-asked",
];

/// An append is torn this often, each time at another byte.
const TEARS: u64 = 4;

/// Tears every append of some scenarios.
pub(super) async fn every(
    scenarios: &[Arc<Scenario>],
    seed: u64,
    report: &mut Report,
) -> Result<(), Failure> {
    for scenario in scenarios.iter().filter(|scenario| SCENARIOS.contains(&scenario.name.as_str())) {
        let whole = undisturbed(scenario, 0).await?;
        let appends = whole.points.iter().enumerate().filter(|(_, point)| **point == Point::AfterAppend);
        for ((at, _), tear) in appends.flat_map(|append| (0..TEARS).map(move |tear| (append, tear))) {
            let cut = Cut { at, blow: Blow::Death };
            let seed = seed.wrapping_add(at as u64 * TEARS).wrapping_add(tear);
            let found = torn(scenario, &whole, cut, seed).await;
            let found = found.unwrap_or_else(|error| vec![error.to_string()]);
            report.tried(scenario, &format!("torn, {}, seed {seed}", told(&whole.points, cut)), &found);
        }
    }
    Ok(())
}

async fn torn(scenario: &Arc<Scenario>, whole: &Played, cut: Cut, seed: u64) -> Result<Vec<String>, Failure> {
    let folder = tempfile::tempdir()?;
    let disk = TornFile {
        path: folder.path().join("provost.db"),
        durable_bytes: AtomicU64::new(0),
        rng: Mutex::new(Rng::with_seed(seed)),
    };
    let world = Arc::new(World::new(scenario, Arc::new(disk), 0)?);
    let torn = play(&world, vec![cut]).await?;
    Ok(differences(scenario, whole, &torn))
}

/// A database file whose newest append is torn when the process dies.
struct TornFile {
    path: PathBuf,
    /// How long the log was before the newest append.
    durable_bytes: AtomicU64,
    rng: Mutex<Rng>,
}

impl TornFile {
    fn beside(&self, suffix: &str) -> PathBuf {
        let mut path = self.path.clone().into_os_string();
        path.push(suffix);
        path.into()
    }

    /// What a torn process left takes the place of what it closed in good order.
    fn put_torn_in_place(&self) -> Result<(), Failure> {
        if !self.beside(".torn").exists() {
            return Ok(());
        }
        for leftover in ["-wal", "-shm"].map(|suffix| self.beside(suffix)) {
            if leftover.exists() {
                fs::remove_file(leftover)?;
            }
        }
        fs::rename(self.beside(".torn"), &self.path)?;
        fs::rename(self.beside(".torn-wal"), self.beside("-wal"))?;
        Ok(())
    }
}

impl Disk for TornFile {
    fn open(&self) -> Result<Stores, Failure> {
        self.put_torn_in_place()?;
        let options = Options { check: Check::Always, ..Options::default() };
        Ok(Database::open(&self.path, &options)?.stores())
    }

    fn writing(&self) {
        self.durable_bytes.store(length(&self.beside("-wal")), Ordering::Relaxed);
    }

    fn died(&self) -> Result<(), Failure> {
        fs::copy(&self.path, self.beside(".torn"))?;
        let log = self.beside(".torn-wal");
        fs::copy(self.beside("-wal"), &log)?;
        let durable = self.durable_bytes.load(Ordering::Relaxed);
        let at = self.rng.lock().unwrap_or_else(PoisonError::into_inner).u64(durable..length(&log));
        OpenOptions::new().write(true).open(&log)?.set_len(at)?;
        Ok(())
    }
}

fn length(path: &Path) -> u64 {
    path.metadata().map_or(0, |metadata| metadata.len())
}
