//! What went wrong, as the program says it: its exit code, and what a person can do about it.

use provost::{DecideError, WorkError};
use provost_engine::RunId;
use provost_project::advice;
pub(crate) use provost_project::{Code, Failure};
use provost_runtime::actor::LoadError;
use provost_runtime::host::RunsError;
use provost_runtime::port::Fault;

use crate::exit::Exit;

/// The exit code of a failure.
pub(crate) fn exit_code(failure: &Failure) -> Exit {
    if failure.names_nothing {
        return Exit::Usage;
    }
    match failure.code {
        // What is named is not there or cannot be used, and nothing was done.
        Code::Project
        | Code::Config
        | Code::AgentFile
        | Code::UnknownAgent
        | Code::Model
        | Code::UnknownRun
        | Code::UnknownSession
        | Code::Busy
        | Code::File => Exit::Usage,
        Code::Store
        | Code::Decision
        | Code::Run
        | Code::Journal
        | Code::Machine
        | Code::Output
        | Code::InsideRun
        | Code::Governed => Exit::Failed,
    }
}

/// Returns why a run could not be worked on.
pub(crate) fn unworked(run: &RunId, error: &WorkError) -> Failure {
    match error {
        WorkError::UnknownRun(run) => Failure::new(Code::UnknownRun, format!("there is no run {run}")),
        WorkError::Ended { .. } | WorkError::NotResumable(_) => {
            Failure::of(Code::Run, error).hint(format!("see provost show {run}"))
        }
        WorkError::Runs(RunsError::Load(error)) => unread(error),
        WorkError::Invalid(_) | WorkError::Runs(_) => {
            let first = fault(error).and_then(advice).map(|advice| format!("{advice}; then "));
            let hint = format!("{}to continue: provost resume {run}", first.unwrap_or_default());
            Failure::of(Code::Run, error).hint(hint)
        }
    }
}

/// Returns the storage error behind it, if there is one.
fn fault(error: &WorkError) -> Option<&Fault> {
    match error {
        WorkError::Runs(RunsError::Storage(fault)) => Some(fault),
        _ => None,
    }
}

/// Returns why an answer was rejected.
pub(crate) fn undecided(error: &DecideError) -> Failure {
    match error {
        DecideError::Runs(RunsError::Storage(fault)) => Failure::storage(fault),
        DecideError::Runs(RunsError::Load(error)) => unread(error),
        DecideError::NoSealKey => Failure::new(
            Code::Decision,
            "the changed arguments have secrets, and there is no key to seal them with",
        )
        .hint("set PROVOST_SEAL_KEY_FILE; a missing file is created"),
        error => Failure::of(Code::Decision, error),
    }
}

/// Returns why a run cannot be read.
pub(crate) fn unread(error: &LoadError) -> Failure {
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
