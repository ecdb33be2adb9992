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
    match failure.code {
        // What is named is not there or cannot be used, and nothing was done.
        Code::Project
        | Code::Config
        | Code::AgentFile
        | Code::UnknownAgent
        | Code::Model
        | Code::UnknownRun
        | Code::UnknownSession
        | Code::Busy => Exit::Usage,
        Code::Store
        | Code::Decision
        | Code::Run
        | Code::Journal
        | Code::File
        | Code::Machine
        | Code::Output
        | Code::InsideRun
        | Code::Governed => Exit::Failed,
    }
}

/// Why a run could not be worked on.
pub(crate) fn unworked(run: &RunId, error: &WorkError) -> Failure {
    match error {
        WorkError::UnknownRun(run) => Failure::new(Code::UnknownRun, format!("there is no run {run}")),
        WorkError::Ended { .. } | WorkError::NotResumable(_) => {
            Failure::of(Code::Run, error).hint(format!("provost show {run} says how it stands"))
        }
        WorkError::Runs(RunsError::Load(error)) => unread(error),
        WorkError::Invalid(_) | WorkError::Runs(_) => {
            let first = fault(error).and_then(advice).map(|advice| format!("{advice}; then "));
            let hint = format!("{}provost resume {run} goes on from the journal", first.unwrap_or_default());
            Failure::of(Code::Run, error).hint(hint)
        }
    }
}

/// The storage that is behind it, if it is.
fn fault(error: &WorkError) -> Option<&Fault> {
    match error {
        WorkError::Runs(RunsError::Storage(fault)) => Some(fault),
        _ => None,
    }
}

/// Why an answer does not count.
pub(crate) fn undecided(error: &DecideError) -> Failure {
    match error {
        DecideError::Runs(RunsError::Storage(fault)) => Failure::storage(fault),
        DecideError::Runs(RunsError::Load(error)) => unread(error),
        DecideError::NoSealKey => Failure::new(
            Code::Decision,
            "the changed arguments have secrets, and there is no key to seal them with",
        )
        .hint("name a file for it with PROVOST_SEAL_KEY_FILE; it is made when it is missing"),
        error => Failure::of(Code::Decision, error),
    }
}

/// Why a run cannot be read.
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
