//! A run as its journal has it: read, verified, folded.

use provost_engine::{RunId, RunState};
use provost_runtime::actor::{LoadError, ReadRun};
use provost_runtime::host::AgentRegistry;
use provost_runtime::store::Store;
use provost_runtime::verify::{RunReport, verify_run};

use super::failure::{Code, Failure};

/// Everything that the journal of a run says, with results that are artifacts.
pub(super) struct Read {
    pub(super) run: ReadRun,
    pub(super) state: RunState,
}

/// Reads the journal of a run. One that is not what was written is refused with all that `provost verify` finds.
pub(super) async fn read(store: &dyn Store, run: &RunId) -> Result<Read, Failure> {
    let report = verify_run(store, run).await.map_err(|fault| Failure::storage(&fault))?;
    broken(&report).map_or(Ok(()), Err)?;
    let read = ReadRun::read(store, &AgentRegistry::default(), run).await;
    let read = read.map_err(|error| unread(&error))?;
    let read = read.with_artifacts(store).await.map_err(|fault| Failure::storage(&fault))?;
    let state = RunState::fold(read.agent.clone(), read.history.clone(), &read.events);
    let state = state.map_err(|error| Failure::of(Code::Journal, &error))?;
    Ok(Read { run: read, state })
}

/// Why a run must not be used, when it is not what was written.
pub(super) fn broken(report: &RunReport) -> Option<Failure> {
    let problems: Vec<String> = report.problems.iter().map(ToString::to_string).collect();
    let message = format!("{} is not what was written: {}", report.run, problems.join("; "));
    let hint = "restore the database from a backup; provost verify checks every run";
    (!problems.is_empty()).then(|| Failure::new(Code::Journal, message).hint(hint))
}

/// Why a run cannot be read.
pub(super) fn unread(error: &LoadError) -> Failure {
    match error {
        LoadError::Unknown(run) => Failure::new(Code::UnknownRun, format!("there is no run {run}")),
        LoadError::Storage(fault) => Failure::storage(fault),
        LoadError::Damaged { .. }
        | LoadError::Cut { .. }
        | LoadError::Decode(_)
        | LoadError::Illegal(_)
        | LoadError::AgentMissing { .. } => {
            Failure::of(Code::Journal, error).hint("provost verify says what is wrong; restore a backup")
        }
    }
}
