//! A run as its journal has it: read, verified, folded.

use provost_engine::{RunId, RunState};
use provost_runtime::actor::ReadRun;
use provost_runtime::host::AgentRegistry;
use provost_runtime::store::Store;
use provost_runtime::verify::{RunReport, verify_run};

use crate::failure::{Code, Failure, unread};

/// Everything that the journal of a run says, with results that are artifacts.
pub(crate) struct Read {
    pub(crate) run: ReadRun,
    pub(crate) state: RunState,
}

/// Reads the journal of a run. A changed journal is rejected with all problems that `provost verify` finds.
pub(crate) async fn read(store: &dyn Store, run: &RunId) -> Result<Read, Failure> {
    let report = verify_run(store, run).await.map_err(|fault| Failure::storage(&fault))?;
    broken(&report).map_or(Ok(()), Err)?;
    let read = ReadRun::read(store, &AgentRegistry::default(), run).await;
    let read = read.map_err(|error| unread(&error))?;
    let read = read.with_artifacts(store).await.map_err(|fault| Failure::storage(&fault))?;
    let state = RunState::fold(read.agent.clone(), read.history.clone(), &read.events);
    let state = state.map_err(|error| Failure::of(Code::Journal, &error))?;
    Ok(Read { run: read, state })
}

/// Returns why a run must not be used, if it was changed after it was written.
pub(crate) fn broken(report: &RunReport) -> Option<Failure> {
    let problems: Vec<String> = report.problems.iter().map(ToString::to_string).collect();
    let message = format!("{} was changed after it was written: {}", report.run, problems.join("; "));
    let hint = "restore the database from a backup; provost verify checks every run";
    (!problems.is_empty()).then(|| Failure::new(Code::Journal, message).hint(hint))
}
