//! Errors of starting, continuing and reaching runs.

use provost_contract::ContractError;
use provost_engine::{RunId, SessionId};
use provost_runtime::actor::LoadError;
use provost_runtime::dispatch;
use provost_runtime::host::RunsError;
use provost_runtime::port::Fault;
use provost_runtime::store::{self, AcceptError, PostError, ResumeError};

use super::check::Ignored;

/// Why a run was not started. Nothing was written.
///
/// ```
/// fn status(error: &provost::StartError) -> u16 {
///     match error {
///         provost::StartError::RunExists { .. } | provost::StartError::SessionBusy { .. } => 409,
///         provost::StartError::NoSession(_) => 404,
///         _ => 422,
///     }
/// }
/// ```
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// No agent has this name.
    #[error("there is no agent {name}; there are: {}", known.join(", "))]
    UnknownAgent {
        /// The name.
        name: String,
        /// The known agents.
        known: Vec<String>,
    },
    /// There are several agents, and the request names none.
    #[error("the request names no agent; there are: {}", known.join(", "))]
    WhichAgent {
        /// The known agents.
        known: Vec<String>,
    },
    /// The request is malformed.
    #[error(transparent)]
    Invalid(#[from] ContractError),
    /// The request has a setting that the run would ignore.
    #[error(transparent)]
    Ignored(#[from] Ignored),
    /// The session does not exist.
    #[error("there is no session {0}: create it with Runtime::create_session")]
    NoSession(SessionId),
    /// Another run is active in the session.
    #[error("run {active} is active in the session: send the message to it with Session::say")]
    SessionBusy {
        /// The active run.
        active: RunId,
    },
    /// The key was used for a different request.
    #[error("the key was used for another request, see run {run}: use another key")]
    KeyUsed {
        /// The run of that request.
        run: RunId,
    },
    /// A run with this id exists.
    #[error("there is a run {run} already: name another, or read it with Runtime::outcome")]
    RunExists {
        /// The existing run.
        run: RunId,
    },
    /// The run cannot be accepted or continued.
    #[error(transparent)]
    Runs(#[from] RunsError),
}

impl From<dispatch::StartError> for StartError {
    fn from(error: dispatch::StartError) -> Self {
        match error {
            dispatch::StartError::Accept(AcceptError::SessionBusy { active }) => Self::SessionBusy { active },
            dispatch::StartError::Accept(AcceptError::SessionMissing(session)) => Self::NoSession(session),
            dispatch::StartError::Accept(AcceptError::DedupeConflict { run })
            | dispatch::StartError::Say(store::SayError::DedupeConflict { run }) => Self::KeyUsed { run },
            dispatch::StartError::Say(store::SayError::Missing(session)) => Self::NoSession(session),
            dispatch::StartError::Accept(AcceptError::RunExists(run)) => Self::RunExists { run },
            error => Self::Runs(error.into()),
        }
    }
}

/// Why a run could not be continued or reached. The run itself has not ended.
///
/// ```
/// fn is_missing(error: &provost::WorkError) -> bool {
///     matches!(error, provost::WorkError::UnknownRun(_))
/// }
/// ```
#[derive(Debug, thiserror::Error)]
pub enum WorkError {
    /// There is no such run.
    #[error("there is no run {0}")]
    UnknownRun(RunId),
    /// The run has ended and accepts no input.
    #[error("run {run} is over: it ended as {status}")]
    Ended {
        /// The run.
        run: RunId,
        /// Its final status.
        status: String,
    },
    /// A run with this status, or whose conversation continued without it, cannot be reopened.
    #[error("{0}")]
    NotResumable(#[source] ResumeError),
    /// The message or a budget is malformed, or a result record cannot be written.
    #[error(transparent)]
    Invalid(#[from] ContractError),
    /// The run cannot be read or continued here.
    #[error(transparent)]
    Runs(#[from] RunsError),
}

impl WorkError {
    pub(super) fn of(error: PostError) -> Self {
        match error {
            PostError::UnknownRun(run) => Self::UnknownRun(run),
            PostError::RunEnded { run, status } => Self::Ended { run, status },
            PostError::QueueFull { waiting } => {
                let holder = format!("a run that has not read {waiting} signals");
                Self::Runs(Fault::Busy { waited_ms: 0, holder }.into())
            }
            PostError::Storage(fault) => fault.into(),
        }
    }
}

impl From<Fault> for WorkError {
    fn from(fault: Fault) -> Self {
        Self::Runs(fault.into())
    }
}

impl From<LoadError> for WorkError {
    fn from(error: LoadError) -> Self {
        match error {
            LoadError::Unknown(run) => Self::UnknownRun(run),
            error => Self::Runs(error.into()),
        }
    }
}
