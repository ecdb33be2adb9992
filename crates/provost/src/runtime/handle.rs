//! A run at work.

use provost_engine::{RunId, Seq};
use provost_runtime::dispatch::RunEvents;

use super::{Outcome, Runtime, WorkError};

/// A run that is durable and worked on. Dropping the handle leaves it at work; [`Runtime::cancel`] stops it.
#[derive(Clone)]
pub struct RunHandle {
    pub(super) run: RunId,
    pub(super) runtime: Runtime,
}

impl RunHandle {
    /// Returns the run.
    pub fn run(&self) -> &RunId {
        &self.run
    }

    /// Returns its events from the beginning, and what streams meanwhile.
    ///
    /// # Errors
    /// If the worker cannot be started.
    pub async fn events(&self) -> Result<RunEvents, WorkError> {
        self.runtime.events(&self.run, Seq(0)).await
    }

    /// Waits until the run is over, or rests.
    ///
    /// # Errors
    /// If it cannot be worked on here; it can be resumed.
    pub async fn outcome(&self) -> Result<Outcome, WorkError> {
        self.runtime.outcome(&self.run).await
    }
}
