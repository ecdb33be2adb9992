//! `provost cancel`: stops a run, wherever it works.

use super::reopened::Reopened;
use crate::WorkError;
use crate::cli::args::CancelOptions;
use crate::cli::environment;
use crate::cli::exit::Exit;
use crate::cli::failure::{Code, Failure};
use crate::cli::screen::Screen;
use serde_json::json;

pub(in crate::cli) async fn run(options: &CancelOptions, screen: &Screen) -> Result<Exit, Failure> {
    let Reopened { run, setup, .. } = Reopened::find(&options.of.run, false).await?;
    let by = environment::person();
    setup.runtime.cancel(&run, &by, &options.reason).await.map_err(|error| Failure::of(Code::Run, &error))?;
    // Nobody may be at work on it: then it is stopped here.
    let status: &'static str = match setup.runtime.resume(run.clone()).outcome().await {
        Ok(outcome) => outcome.status.into(),
        Err(WorkError::Held(_)) => "cancelling",
        Err(error) => return Err(Failure::of(Code::Run, &error)),
    };
    let over =
        if status == "cancelled" || status == "cancelling" { "" } else { " already; nothing was stopped" };
    screen.show(&json!({ "run": run.as_str(), "status": status }), || format!("{run}: {status}{over}"));
    Ok(Exit::Done)
}
