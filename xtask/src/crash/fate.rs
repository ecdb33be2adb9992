//! When a worker dies. Every step out into the world is a place; a play may be cut at any of them.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::watch;

/// An effect of the engine, as a worker starts it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::Display)]
#[strum(serialize_all = "kebab-case")]
pub(super) enum Kind {
    Model,
    Hook,
    Preview,
    Execute,
    Recover,
}

/// Where a worker is when it is cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::Display)]
#[strum(serialize_all = "kebab-case")]
pub(super) enum Place {
    /// Runs are claimed and the worker has not learnt of it.
    AfterClaim,
    /// The store has not seen the commit.
    BeforeCommit,
    /// The commit is written and the worker has not learnt of it.
    AfterCommit,
    /// The effect is started and has done nothing yet.
    #[strum(to_string = "start of {0}")]
    Start(Kind),
    /// A change set is half applied.
    Midway,
    /// The effect is done and the worker has not learnt of it.
    #[strum(to_string = "answer of {0}")]
    Answer(Kind),
}

/// What happens at a cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::Display)]
#[strum(serialize_all = "kebab-case")]
pub(super) enum Blow {
    /// The worker is gone, with everything in its memory.
    Death,
    /// The commit is written, and the worker reads that this is not known.
    Unknown,
    /// The worker stands still until another has taken its runs, and then goes on.
    Sleep,
    /// The worker is asked to stop.
    Drain,
}

impl Place {
    /// Returns what can happen here. A worker that sleeps between the check of its lease and the effect cannot
    /// be held back; only the tool can, by the key.
    pub(super) fn blows(self) -> &'static [Blow] {
        match self {
            Self::AfterClaim | Self::Midway => &[Blow::Death],
            Self::BeforeCommit => &[Blow::Death, Blow::Sleep],
            Self::AfterCommit => &[Blow::Death, Blow::Unknown, Blow::Sleep],
            Self::Start(Kind::Execute | Kind::Model) => &[Blow::Death, Blow::Drain],
            Self::Answer(Kind::Execute | Kind::Model) => &[Blow::Death, Blow::Sleep],
            Self::Start(_) | Self::Answer(_) => &[Blow::Death],
        }
    }
}

/// Where a play is cut: at its n-th place, counted from 0 over all its workers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Cut {
    pub(super) at: usize,
    pub(super) blow: Blow,
}

/// How an operation of the store goes wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::Display, strum::VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub(super) enum Trouble {
    Busy,
    /// It is not known whether it was written, and it was.
    Landed,
    /// It is not known whether it was written, and it was not.
    Lost,
    Full,
    /// The epoch moved: another worker has the run.
    Fenced,
    /// The store is away for a minute.
    Gone,
}

/// The places that a play has passed, and where it is cut.
#[derive(Default)]
pub(super) struct Fate {
    cuts: Vec<Cut>,
    /// The operation of the store that goes wrong, and how.
    trouble: Option<(usize, Trouble)>,
    passed: Mutex<Vec<Place>>,
    operations: AtomicUsize,
}

impl Fate {
    pub(super) fn new(cuts: Vec<Cut>) -> Arc<Self> {
        Arc::new(Self { cuts, ..Self::default() })
    }

    pub(super) fn troubled(at: usize, trouble: Trouble) -> Arc<Self> {
        Arc::new(Self { trouble: Some((at, trouble)), ..Self::default() })
    }

    pub(super) fn passed(&self) -> Vec<Place> {
        self.passed.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Returns whether a sleeper wakes as soon as another has its runs; otherwise when everything is over.
    pub(super) fn wakes_early(&self) -> bool {
        self.cuts.first().is_some_and(|cut| cut.at % 2 == 0)
    }

    /// Returns how many operations of the store there were.
    pub(super) fn operations(&self) -> usize {
        self.operations.load(Ordering::Relaxed)
    }

    fn reach(&self, place: Place) -> Option<Blow> {
        let mut passed = self.passed.lock().unwrap_or_else(PoisonError::into_inner);
        let at = passed.len();
        passed.push(place);
        self.cuts.iter().find(|cut| cut.at == at).map(|cut| cut.blow)
    }

    fn operate(&self) -> Option<Trouble> {
        let at = self.operations.fetch_add(1, Ordering::Relaxed);
        self.trouble.filter(|(when, _)| *when == at).map(|(_, trouble)| trouble)
    }
}

/// How a worker is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Health {
    Awake,
    Asleep,
    /// Awake again, while another has its runs: it meets no further blow.
    Woken,
    /// It is asked to stop.
    Draining,
    Dead,
}

/// One worker. Once it is dead, nothing of it goes on.
pub(super) struct Life {
    fate: Arc<Fate>,
    health: watch::Sender<Health>,
    /// Whether a line is written at each place, for a parent that kills.
    says_places: bool,
}

/// The worker reads that it is not known whether its commit was written.
pub(super) struct Silence;

impl Life {
    pub(super) fn new(fate: &Arc<Fate>, says_places: bool) -> Arc<Self> {
        Arc::new(Self { fate: fate.clone(), health: watch::Sender::new(Health::Awake), says_places })
    }

    pub(super) fn health(&self) -> Health {
        *self.health.borrow()
    }

    /// Passes a place, unless the worker dies there or was dead before: then it never returns.
    pub(super) async fn pass(&self, place: Place) -> Result<(), Silence> {
        if self.says_places {
            println!("{place}");
        }
        self.alive().await;
        if self.health() == Health::Woken {
            return Ok(());
        }
        let Some(blow) = self.fate.reach(place).filter(|blow| place.blows().contains(blow)) else {
            return Ok(());
        };
        match blow {
            Blow::Unknown => Err(Silence),
            Blow::Drain => {
                self.health.send_replace(Health::Draining);
                Ok(())
            }
            Blow::Sleep => {
                self.health.send_replace(Health::Asleep);
                self.alive().await;
                Ok(())
            }
            Blow::Death => {
                self.health.send_replace(Health::Dead);
                std::future::pending().await
            }
        }
    }

    /// Counts an operation of the store; returns how it goes wrong.
    pub(super) async fn operate(&self) -> Option<Trouble> {
        self.alive().await;
        self.fate.operate()
    }

    /// Returns at once while the worker is awake, later when it sleeps, and never when it is dead.
    pub(super) async fn alive(&self) {
        let mut health = self.health.subscribe();
        let awake = health.wait_for(|health| match health {
            Health::Awake | Health::Woken | Health::Draining => true,
            Health::Asleep | Health::Dead => false,
        });
        if awake.await.is_err() {
            std::future::pending::<()>().await;
        }
    }

    pub(super) fn wake(&self) {
        self.health.send_if_modified(|health| {
            let asleep = *health == Health::Asleep;
            if asleep {
                *health = Health::Woken;
            }
            asleep
        });
    }

    /// Ends the worker from outside.
    pub(super) fn kill(&self) {
        self.health.send_replace(Health::Dead);
    }

    /// Resolves when the worker is no longer what it was at the beginning.
    pub(super) async fn struck(&self) -> Health {
        let mut health = self.health.subscribe();
        let struck = health.wait_for(|health| *health != Health::Awake).await.map(|health| *health);
        match struck {
            Ok(health) => health,
            Err(_) => std::future::pending().await,
        }
    }
}
