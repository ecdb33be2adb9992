//! `provost cancel`: cancels a run, in any process.

use std::path::Path;
use std::time::Duration;

use provost::WorkError;
use provost_engine::RunId;
use provost_project::ProjectRuntime;
use serde_json::json;

use super::reopened::Reopened;
use crate::args::CancelOptions;
use crate::exit::Exit;
use crate::failure::{Failure, unworked};
use crate::identity;
use crate::screen::Screen;

/// How long another process gets to stop its running work.
const STOPPING: Duration = Duration::from_secs(10);

pub(crate) async fn run(options: &CancelOptions, start: &Path, screen: &Screen) -> Result<Exit, Failure> {
    let Reopened { run, setup, .. } = Reopened::find(start, &options.of.run, false).await?;
    let (status, is_over) = setup.closing(cancelled(&setup, &run, &options.reason)).await?;
    let over = if is_over { " already; nothing was stopped" } else { "" };
    screen.show(&json!({ "run": run.as_str(), "status": status }), || format!("{run}: {status}{over}"));
    Ok(Exit::Done)
}

/// Cancels a run, and returns its status, and whether it had ended before.
async fn cancelled(setup: &ProjectRuntime, run: &RunId, reason: &str) -> Result<(String, bool), Failure> {
    match setup.runtime.cancel(run, identity::actor(), reason).await {
        // A run that no process works on is cancelled here.
        Ok(handle) => match tokio::time::timeout(STOPPING, handle.outcome()).await {
            Ok(outcome) => {
                let outcome = outcome.map_err(|error| unworked(run, &error))?;
                Ok((outcome.status.as_str().to_owned(), false))
            }
            Err(_) => Ok(("cancelling".to_owned(), false)),
        },
        Err(WorkError::Ended { status, .. }) => Ok((status, true)),
        Err(error) => Err(unworked(run, &error)),
    }
}
