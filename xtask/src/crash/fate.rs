//! When a process dies. Every step out into the world is a point; a play may be cut at any of them.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::watch;

/// A step out into the world.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::Display)]
#[strum(serialize_all = "kebab-case")]
pub(super) enum Point {
    /// The storage is asked to append and has not heard of it.
    BeforeAppend,
    /// The append is written and nobody knows it yet.
    AfterAppend,
    BeforeModel,
    /// The model answered and nobody heard it.
    AfterModel,
    BeforeExecute,
    /// The effect took place and nobody heard of it.
    AfterExecute,
}

impl Point {
    /// Whether the storage could be silent here instead of the process dying.
    pub(super) fn is_of_storage(self) -> bool {
        match self {
            Self::BeforeAppend | Self::AfterAppend => true,
            Self::BeforeModel | Self::AfterModel | Self::BeforeExecute | Self::AfterExecute => false,
        }
    }
}

/// Whether this very process tells its points, for whoever wants to kill it at one.
static TELLS_POINTS: AtomicBool = AtomicBool::new(false);

/// Writes a line at every point from now on.
pub(super) fn tell_points() {
    TELLS_POINTS.store(true, Ordering::Relaxed);
}

/// What happens at a cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::Display)]
#[strum(serialize_all = "kebab-case")]
pub(super) enum Blow {
    /// The process is gone, with everything in its memory.
    Death,
    /// The storage goes away in the middle: the process lives, and does not learn whether it wrote.
    Silence,
}

/// Where a play is cut: at its n-th point, counted from 0 over all its processes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Cut {
    pub(super) at: usize,
    pub(super) blow: Blow,
}

/// The points a play has passed, and where it will be cut.
pub(super) struct Fate {
    cuts: Vec<Cut>,
    passed: Mutex<Vec<Point>>,
}

impl Fate {
    pub(super) fn new(cuts: Vec<Cut>) -> Arc<Self> {
        Arc::new(Self { cuts, passed: Mutex::default() })
    }

    pub(super) fn passed(&self) -> Vec<Point> {
        self.passed.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn reach(&self, point: Point) -> Option<Blow> {
        if TELLS_POINTS.load(Ordering::Relaxed) {
            println!("{point}");
        }
        let mut passed = self.passed.lock().unwrap_or_else(PoisonError::into_inner);
        let at = passed.len();
        passed.push(point);
        self.cuts.iter().find(|cut| cut.at == at).map(|cut| cut.blow)
    }
}

/// One process. Once it is dead, nothing of it goes on.
pub(super) struct Life {
    fate: Arc<Fate>,
    dead: watch::Sender<bool>,
}

impl Life {
    pub(super) fn new(fate: &Arc<Fate>) -> Arc<Self> {
        Arc::new(Self { fate: fate.clone(), dead: watch::Sender::new(false) })
    }

    /// Passes a point, unless the process dies there or was dead before: then it never returns.
    pub(super) async fn pass(&self, point: Point) -> Result<(), Silence> {
        if *self.dead.borrow() {
            return std::future::pending().await;
        }
        match self.fate.reach(point) {
            None => Ok(()),
            Some(Blow::Silence) if point.is_of_storage() => Err(Silence),
            Some(Blow::Death | Blow::Silence) => {
                self.dead.send_replace(true);
                std::future::pending().await
            }
        }
    }

    /// Resolves when the process is dead.
    pub(super) async fn ended(&self) {
        let mut dead = self.dead.subscribe();
        if dead.wait_for(|dead| *dead).await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}

/// The storage does not say whether it wrote.
#[derive(Debug, thiserror::Error)]
#[error("the storage fell silent")]
pub(super) struct Silence;
