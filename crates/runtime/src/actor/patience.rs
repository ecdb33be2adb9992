//! Waiting for a store that is busy or away: it is no reason to give a run up.

use std::fmt::Display;
use std::time::Duration;

use tokio::time::Instant;

use super::load::LoadError;
use crate::port::{Boxed, Fault};

/// The first pause before the store is asked again; it doubles up to the last.
const PAUSE: Duration = Duration::from_millis(5);
const PAUSE_MAX: Duration = Duration::from_millis(500);

/// How long a store may be away before watchers are informed, again and again.
const SILENCE: Duration = Duration::from_secs(3);

/// Pauses that grow.
#[derive(Debug)]
pub(super) struct Pauses {
    next: Duration,
    reported: Instant,
}

impl Pauses {
    pub(super) fn new() -> Self {
        Self { next: PAUSE, reported: Instant::now() }
    }

    /// Waits, each time longer.
    pub(super) async fn pause(&mut self) {
        tokio::time::sleep(self.next).await;
        self.next = (self.next * 2).min(PAUSE_MAX);
    }

    /// The same after a write that failed. Watchers are informed of a store that stays away.
    pub(super) async fn pause_after(&mut self, error: &impl Display, trouble: impl Fn(String)) {
        if self.reported.elapsed() >= SILENCE {
            trouble(format!("{error}; it is tried again until it can be written"));
            self.reported = Instant::now();
        }
        self.pause().await;
    }
}

/// Why reading failed, if waiting may help.
pub(super) trait Outage {
    /// Returns whether the storage is busy, away or full: it may come back, and the run is not at fault.
    fn is_outage(&self) -> bool;
}

impl Outage for Fault {
    fn is_outage(&self) -> bool {
        match self {
            Self::Busy { .. } | Self::Full { .. } | Self::ReadOnly { .. } | Self::Failed(_) => true,
            Self::Unknown(_) => true,
            Self::Corrupt { .. } | Self::Closed => false,
        }
    }
}

impl Outage for LoadError {
    fn is_outage(&self) -> bool {
        match self {
            Self::Storage(fault) => fault.is_outage(),
            Self::Unknown(_)
            | Self::Damaged { .. }
            | Self::Cut { .. }
            | Self::Decode(_)
            | Self::Illegal(_)
            | Self::AgentMissing { .. } => false,
        }
    }
}

/// Reads until the store answers. An actor that gave up here would leave its run to no worker, for the lease
/// of its worker goes on.
pub(super) async fn patiently<'a, T, E: Outage>(read: impl Fn() -> Boxed<'a, Result<T, E>>) -> Result<T, E> {
    let mut pauses = Pauses::new();
    loop {
        match read().await {
            Err(error) if error.is_outage() => pauses.pause().await,
            answered => return answered,
        }
    }
}
