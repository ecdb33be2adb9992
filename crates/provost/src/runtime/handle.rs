//! A handle to an active run.

use provost_engine::{RunId, Seq};
use provost_runtime::dispatch::RunEvents;

use super::{Outcome, Runtime, WorkError};

/// A stored run that a worker works on. Dropping the handle does not stop it; [`Runtime::cancel`] does.
///
/// ```
/// # async fn example(runtime: &provost::Runtime) -> Result<(), Box<dyn std::error::Error>> {
/// let run = runtime.start("Go.").await?;
/// println!("{} began", run.run());
/// let outcome = run.outcome().await?;
/// # drop(outcome);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct RunHandle {
    pub(super) run: RunId,
    pub(super) runtime: Runtime,
}

impl RunHandle {
    /// Returns the run's id.
    ///
    /// ```
    /// fn path(run: &provost::RunHandle) -> String {
    ///     format!("/runs/{}", run.run())
    /// }
    /// ```
    pub fn run(&self) -> &RunId {
        &self.run
    }

    /// Returns its events from the beginning, and deltas while they stream.
    ///
    /// ```
    /// # async fn example(run: &provost::RunHandle) -> Result<(), provost::WorkError> {
    /// let mut events = run.events().await?;
    /// while let Some(event) = events.next_event().await {
    ///     println!("{} {}", event.event.seq.0, event.event.kind.name());
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// If the run does not exist, or the worker cannot be started.
    pub async fn events(&self) -> Result<RunEvents, WorkError> {
        if self.runtime.store().run(self.run.clone()).await?.is_none() {
            return Err(WorkError::UnknownRun(self.run.clone()));
        }
        self.runtime.events(&self.run, Seq(0)).await
    }

    /// Waits until the run ends or waits for an answer.
    ///
    /// ```
    /// # async fn example(run: &provost::RunHandle) -> Result<(), provost::WorkError> {
    /// println!("{}", run.outcome().await?.text());
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// If this process cannot continue it; it can be resumed.
    pub async fn outcome(&self) -> Result<Outcome, WorkError> {
        self.runtime.outcome(&self.run).await
    }
}
