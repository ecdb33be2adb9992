//! Why the store refused, one small enum per operation. A refused operation has written nothing.

use provost_engine::{Actor, Digest, Epoch, RunId, Seq, SessionId, Time, WaitId, WorkerId};

use crate::port::{Advice, Fault};

/// Why a run was not accepted.
#[derive(Debug, thiserror::Error)]
pub enum AcceptError {
    /// The key was used for another request.
    #[error("the key was used for another request, which began run {run}")]
    DedupeConflict {
        /// The run of that request.
        run: RunId,
    },
    /// Another run has this id.
    #[error("run {0} exists and began differently")]
    RunExists(RunId),
    /// The session does not exist in this workspace.
    #[error("session {0} does not exist")]
    SessionMissing(SessionId),
    /// Another run holds the session.
    #[error("the session is held by run {active}")]
    SessionBusy {
        /// That run.
        active: RunId,
    },
    /// The session changed since the request was made.
    #[error("the session is at version {version} now")]
    SessionChanged {
        /// Its version now.
        version: u64,
    },
    /// An artifact is not stored.
    #[error("artifact {0} is not stored")]
    MissingArtifact(Digest),
    /// The request contradicts itself: a defect of the caller.
    #[error("the new run is malformed: {0}")]
    Invalid(&'static str),
    /// The storage failed.
    #[error(transparent)]
    Storage(#[from] Fault),
}

impl AcceptError {
    /// Returns what the caller does next.
    pub fn advice(&self) -> Advice {
        match self {
            Self::SessionBusy { .. } | Self::SessionChanged { .. } => Advice::Reload,
            Self::DedupeConflict { .. }
            | Self::RunExists(_)
            | Self::SessionMissing(_)
            | Self::MissingArtifact(_)
            | Self::Invalid(_) => Advice::Stop,
            Self::Storage(fault) => fault.advice(),
        }
    }
}

/// Why a run may not write into its session.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SessionRefusal {
    /// The session does not exist.
    #[error("session {0} does not exist")]
    Missing(SessionId),
    /// The run does not hold it.
    #[error("the run does not hold session {session}")]
    NotHeld {
        /// The session.
        session: SessionId,
        /// The run that holds it.
        active: Option<RunId>,
    },
}

/// Why a commit was refused, in the order of the checks.
#[derive(Debug, thiserror::Error)]
pub enum CommitError {
    /// The commit contradicts itself: a defect of the caller.
    #[error("the commit is malformed: {0}")]
    Invalid(&'static str),
    /// The run does not exist.
    #[error("run {0} does not exist")]
    UnknownRun(RunId),
    /// The run was claimed or freed since. The writer stops every effect and forgets the run.
    #[error("the run is at epoch {current} now")]
    Fenced {
        /// The epoch now.
        current: Epoch,
    },
    /// The journal has another head than expected.
    #[error("the journal ends at record {head}")]
    Conflict {
        /// The head now.
        head: Seq,
    },
    /// An artifact is not stored.
    #[error("artifact {0} is not stored")]
    MissingArtifact(Digest),
    /// A child was not accepted.
    #[error("child run {run} was not accepted")]
    Child {
        /// The child.
        run: RunId,
        /// Why.
        #[source]
        source: Box<AcceptError>,
    },
    /// A wait to open exists, or a wait to settle does not or is settled.
    #[error("wait {0} is not as the commit expects")]
    Wait(WaitId),
    /// The session is not the run's.
    #[error(transparent)]
    Session(SessionRefusal),
    /// The run may not end before it took these signals.
    #[error("{waiting} signals wait; a run ends with an empty queue")]
    SignalsPending {
        /// How many.
        waiting: u64,
    },
    /// The storage failed.
    #[error(transparent)]
    Storage(#[from] Fault),
}

impl CommitError {
    /// Returns what the caller does next.
    pub fn advice(&self) -> Advice {
        match self {
            Self::Fenced { .. } => Advice::LetGo,
            Self::Conflict { .. } | Self::Wait(_) | Self::Session(_) | Self::SignalsPending { .. } => {
                Advice::Reload
            }
            Self::Invalid(_) | Self::UnknownRun(_) | Self::MissingArtifact(_) | Self::Child { .. } => {
                Advice::Stop
            }
            Self::Storage(fault) => fault.advice(),
        }
    }
}

/// Why a signal was not posted.
#[derive(Debug, thiserror::Error)]
pub enum PostError {
    /// The run does not exist.
    #[error("run {0} does not exist")]
    UnknownRun(RunId),
    /// The run is over.
    #[error("run {run} ended as {status}")]
    RunEnded {
        /// The run.
        run: RunId,
        /// Its status.
        status: String,
    },
    /// The run has not read what was posted before.
    #[error("{waiting} signals wait already")]
    QueueFull {
        /// How many.
        waiting: u64,
    },
    /// The storage failed.
    #[error(transparent)]
    Storage(#[from] Fault),
}

impl PostError {
    /// Returns what the caller does next.
    pub fn advice(&self) -> Advice {
        match self {
            Self::QueueFull { .. } => Advice::RetryLater,
            Self::UnknownRun(_) | Self::RunEnded { .. } => Advice::Stop,
            Self::Storage(fault) => fault.advice(),
        }
    }
}

/// Why an answer was refused.
#[derive(Debug, thiserror::Error)]
pub enum AnswerError {
    /// The wait does not exist.
    #[error("wait {0} does not exist")]
    UnknownWait(WaitId),
    /// The run settled the wait.
    #[error("the wait was settled as {how} at {at}")]
    Settled {
        /// How.
        how: String,
        /// By whom.
        by: Actor,
        /// When.
        at: Time,
    },
    /// Another answer was first.
    #[error("the wait was answered by {:?} {} at {at}", by.kind, by.id)]
    AlreadyAnswered {
        /// Whose.
        by: Actor,
        /// When.
        at: Time,
    },
    /// The answer is about something else than what is asked now.
    #[error("the answer is bound to other contents than the wait, which has {expected}")]
    OtherBinding {
        /// The binding of the wait.
        expected: Digest,
    },
    /// The actor may not answer.
    #[error("only {may_answer:?} may answer (empty: every person and client)")]
    NotAllowed {
        /// Who may.
        may_answer: Vec<String>,
    },
    /// The run is over.
    #[error("run {0} is over")]
    RunEnded(RunId),
    /// The storage failed.
    #[error(transparent)]
    Storage(#[from] Fault),
}

impl AnswerError {
    /// Returns what the caller does next.
    pub fn advice(&self) -> Advice {
        match self {
            Self::OtherBinding { .. } => Advice::Reload,
            Self::UnknownWait(_)
            | Self::Settled { .. }
            | Self::AlreadyAnswered { .. }
            | Self::NotAllowed { .. }
            | Self::RunEnded(_) => Advice::Stop,
            Self::Storage(fault) => fault.advice(),
        }
    }
}

/// Why a run was not resumed.
#[derive(Debug, thiserror::Error)]
pub enum ResumeError {
    /// The run does not exist.
    #[error("run {0} does not exist")]
    UnknownRun(RunId),
    /// The run is not over.
    #[error("the run is not over")]
    NotEnded,
    /// A run that ended like this is not resumed.
    #[error("a run that ended as {status} cannot be resumed")]
    NotResumable {
        /// The status.
        status: String,
    },
    /// A delegated run is resumed through its parent.
    #[error("run {parent} delegated this run and has its result")]
    HasParent {
        /// The parent.
        parent: RunId,
    },
    /// Another run holds the session.
    #[error("the session is held by run {active}")]
    SessionBusy {
        /// That run.
        active: RunId,
    },
    /// The conversation went on after the run.
    #[error("session {0} went on after the run")]
    SessionMoved(SessionId),
    /// The storage failed.
    #[error(transparent)]
    Storage(#[from] Fault),
}

impl ResumeError {
    /// Returns what the caller does next.
    pub fn advice(&self) -> Advice {
        match self {
            Self::SessionBusy { .. } => Advice::Reload,
            Self::UnknownRun(_)
            | Self::NotEnded
            | Self::NotResumable { .. }
            | Self::HasParent { .. }
            | Self::SessionMoved(_) => Advice::Stop,
            Self::Storage(fault) => fault.advice(),
        }
    }
}

/// Why a message to a session was refused.
#[derive(Debug, thiserror::Error)]
pub enum SayError {
    /// The session does not exist.
    #[error("session {0} does not exist")]
    Missing(SessionId),
    /// The key was used for another request.
    #[error("the key was used for another request, which run {run} has")]
    DedupeConflict {
        /// The run of that request.
        run: RunId,
    },
    /// The active run has not read what was said before.
    #[error("{waiting} signals wait already")]
    QueueFull {
        /// How many.
        waiting: u64,
    },
    /// The storage failed.
    #[error(transparent)]
    Storage(#[from] Fault),
}

impl SayError {
    /// Returns what the caller does next.
    pub fn advice(&self) -> Advice {
        match self {
            Self::Missing(_) | Self::DedupeConflict { .. } => Advice::Stop,
            Self::QueueFull { .. } => Advice::RetryLater,
            Self::Storage(fault) => fault.advice(),
        }
    }
}

/// Why a session was not created, forked, renamed or filled.
#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    /// The session does not exist.
    #[error("session {0} does not exist")]
    Missing(SessionId),
    /// A session has this id.
    #[error("session {0} exists")]
    Exists(SessionId),
    /// A run holds it.
    #[error("the session is held by run {active}")]
    Busy {
        /// The run.
        active: RunId,
    },
    /// It changed since.
    #[error("the session is at version {version} now")]
    Changed {
        /// Its version now.
        version: u64,
    },
    /// It has no such entry.
    #[error("the session has {head} entries")]
    NoEntry {
        /// The last one.
        head: u64,
    },
    /// The storage failed.
    #[error(transparent)]
    Storage(#[from] Fault),
}

impl SessionError {
    /// Returns what the caller does next.
    pub fn advice(&self) -> Advice {
        match self {
            Self::Busy { .. } | Self::Changed { .. } => Advice::Reload,
            Self::Missing(_) | Self::Exists(_) | Self::NoEntry { .. } => Advice::Stop,
            Self::Storage(fault) => fault.advice(),
        }
    }
}

/// Why a worker was not registered.
#[derive(Debug, thiserror::Error)]
pub enum RegisterError {
    /// The id was used before, and an id is never reused.
    #[error("worker {0} exists")]
    Exists(WorkerId),
    /// The storage failed.
    #[error(transparent)]
    Storage(#[from] Fault),
}

impl RegisterError {
    /// Returns what the caller does next.
    pub fn advice(&self) -> Advice {
        match self {
            Self::Exists(_) => Advice::Stop,
            Self::Storage(fault) => fault.advice(),
        }
    }
}

/// Why a worker may claim nothing.
#[derive(Debug, thiserror::Error)]
pub enum ClaimError {
    /// The worker is unknown or dead: it registers under a new id.
    #[error("worker {0} has no lease")]
    Dead(WorkerId),
    /// The storage failed.
    #[error(transparent)]
    Storage(#[from] Fault),
}

impl ClaimError {
    /// Returns what the caller does next.
    pub fn advice(&self) -> Advice {
        match self {
            Self::Dead(_) => Advice::LetGo,
            Self::Storage(fault) => fault.advice(),
        }
    }
}

/// Why nothing was erased.
#[derive(Debug, thiserror::Error)]
pub enum EraseError {
    /// The record does not exist.
    #[error("run {run} has no record {seq}")]
    UnknownRecord {
        /// The run.
        run: RunId,
        /// The record.
        seq: Seq,
    },
    /// The storage failed.
    #[error(transparent)]
    Storage(#[from] Fault),
}

impl EraseError {
    /// Returns what the caller does next.
    pub fn advice(&self) -> Advice {
        match self {
            Self::UnknownRecord { .. } => Advice::Stop,
            Self::Storage(fault) => fault.advice(),
        }
    }
}
