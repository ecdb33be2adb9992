//! `provost cancel`: stops a run, wherever it works.

use std::time::Duration;

use provost_engine::RunId;
use serde_json::json;

use super::reopened::Reopened;
use crate::WorkError;
use crate::cli::args::CancelOptions;
use crate::cli::environment;
use crate::cli::exit::Exit;
use crate::cli::failure::Failure;
use crate::cli::follow::unworked;
use crate::cli::screen::Screen;
use crate::cli::setup::Setup;

/// How long another process gets to stop what it has under way.
const STOPPING: Duration = Duration::from_secs(10);

pub(in crate::cli) async fn run(options: &CancelOptions, screen: &Screen) -> Result<Exit, Failure> {
    let Reopened { run, setup, .. } = Reopened::find(&options.of.run, false).await?;
    let (status, is_over) = setup.closing(cancelled(&setup, &run, &options.reason)).await?;
    let over = if is_over { " already; nothing was stopped" } else { "" };
    screen.show(&json!({ "run": run.as_str(), "status": status }), || format!("{run}: {status}{over}"));
    Ok(Exit::Done)
}

/// Stops a run, and returns how it stands then, and whether it was over before.
async fn cancelled(setup: &Setup, run: &RunId, reason: &str) -> Result<(String, bool), Failure> {
    match setup.runtime.cancel(run, environment::actor(), reason).await {
        // A run that no process works on is stopped here.
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
