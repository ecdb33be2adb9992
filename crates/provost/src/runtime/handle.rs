//! A run at work.

use provost_runtime::RunId;
use provost_runtime::worker::WorkError;
use tokio::task::JoinHandle;

use super::{Events, Outcome};

/// A run at work in this process. Dropping the handle leaves it at work; [`crate::Runtime::cancel`] stops it.
pub struct RunHandle {
    pub(super) run: RunId,
    pub(super) events: Option<Events>,
    pub(super) task: JoinHandle<Result<Outcome, WorkError>>,
}

impl RunHandle {
    /// The run.
    pub fn run(&self) -> &RunId {
        &self.run
    }

    /// What happens in it; the stream can be taken once.
    pub fn events(&mut self) -> Option<Events> {
        self.events.take()
    }

    /// Waits until the run is over, or waits for somebody.
    ///
    /// # Errors
    /// When it could not be worked on to the end; it can be resumed.
    pub async fn outcome(self) -> Result<Outcome, WorkError> {
        match self.task.await {
            Ok(outcome) => outcome,
            // Nobody aborts the task, so it panicked, and the panic goes on where it can be seen.
            Err(error) => match error.try_into_panic() {
                Ok(panic) => std::panic::resume_unwind(panic),
                Err(_) => std::future::pending().await,
            },
        }
    }
}
