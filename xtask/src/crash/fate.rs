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

    /// Whether a process that sleeps here, and is taken for dead, must do no harm once it wakes. One whose
    /// claim was good when it was about to act cannot be held back any more: only the tool can, by the key.
    pub(super) fn is_fenced(self) -> bool {
        match self {
            Self::BeforeAppend | Self::BeforeModel | Self::AfterModel | Self::AfterExecute => true,
            Self::AfterAppend | Self::BeforeExecute => false,
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
    /// The process stands still until another has taken its run, and then goes on.
    Sleep,
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

/// How a process is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Health {
    Awake,
    Asleep,
    /// Awake again, while another has its run: it meets no further blow.
    Woken,
    Dead,
}

/// One process. Once it is dead, nothing of it goes on.
pub(super) struct Life {
    fate: Arc<Fate>,
    health: watch::Sender<Health>,
}

impl Life {
    pub(super) fn new(fate: &Arc<Fate>) -> Arc<Self> {
        Arc::new(Self { fate: fate.clone(), health: watch::Sender::new(Health::Awake) })
    }

    /// Passes a point, unless the process dies there or was dead before: then it never returns.
    pub(super) async fn pass(&self, point: Point) -> Result<(), Silence> {
        let health = *self.health.borrow();
        match health {
            Health::Awake | Health::Asleep => {}
            Health::Woken => return Ok(()),
            Health::Dead => return std::future::pending().await,
        }
        match self.fate.reach(point) {
            None => Ok(()),
            Some(Blow::Silence) if point.is_of_storage() => Err(Silence),
            Some(Blow::Sleep) if point.is_fenced() => {
                self.health.send_replace(Health::Asleep);
                self.is(Health::Woken).await;
                Ok(())
            }
            Some(Blow::Death | Blow::Silence | Blow::Sleep) => {
                self.health.send_replace(Health::Dead);
                std::future::pending().await
            }
        }
    }

    /// Resolves when the process is dead.
    pub(super) async fn ended(&self) {
        self.is(Health::Dead).await;
    }

    /// Resolves when the process stands still.
    pub(super) async fn sleeps(&self) {
        self.is(Health::Asleep).await;
    }

    pub(super) fn wake(&self) {
        self.health.send_replace(Health::Woken);
    }

    async fn is(&self, sought: Health) {
        let mut health = self.health.subscribe();
        if health.wait_for(|health| *health == sought).await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}

/// The storage does not say whether it wrote.
#[derive(Debug, thiserror::Error)]
#[error("the storage fell silent")]
pub(super) struct Silence;
