//! Setting runs to work: each in a task that has an owner, no more at once than there are places.

use std::sync::Arc;

use provost_runtime::RunId;
use provost_runtime::driver::{Host, Resume, RunError, Start};
use provost_runtime::port::Fault;
use provost_runtime::worker::WorkError;

use super::events::stream;
use super::start::Shared;
use super::{Outcome, RunHandle, Runtime};

/// What to do with a run.
pub(super) enum Work {
    Start(Box<Start>),
    Resume(Resume),
}

impl Runtime {
    pub(super) fn set_to_work(&self, run: RunId, work: Work) -> RunHandle {
        let (listener, events) = stream();
        let mut host = self.0.host.clone();
        let listener = Arc::new(listener);
        host.sink = Some(listener.clone());
        host.deltas = Some(listener);
        let (shared, named) = (self.0.clone(), run.clone());
        let task = self.0.tasks.spawn(async move {
            let place = shared.places.acquire().await;
            // The places are never taken away while the runtime lives.
            let _place = place.map_err(|_| WorkError::Storage(Fault::Closed))?;
            work.done(&shared, &host, named).await
        });
        RunHandle { run, events: Some(events), task }
    }
}

impl Work {
    async fn done(self, shared: &Shared, host: &Host, run: RunId) -> Result<Outcome, WorkError> {
        let finished = match self {
            Self::Start(start) => shared.worker.start(host, run.clone(), *start).await,
            Self::Resume(resume) => shared.worker.resume(host, run.clone(), resume).await,
        };
        Ok(Outcome::new(run, finished?).map_err(RunError::from)?)
    }
}
