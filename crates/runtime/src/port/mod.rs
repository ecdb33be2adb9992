//! What the engine needs of the world, and what every adapter promises.
//!
//! The engine owns these traits; storage, clocks and randomness implement them. A promise stands in
//! the doc of its trait and, as a test, in `contract`, which every adapter runs.

mod approval_memory;
mod approvals;
mod artifacts;
mod claims;
mod client_tool_requests;
mod clock;
#[cfg(any(test, feature = "contract"))]
pub mod contract;
mod fault;
mod host;
mod ids;
mod inbox;
mod journal;
mod runs;
mod sessions;
mod stores;
mod task_runs;

use std::pin::Pin;

pub use approval_memory::{ApprovalMemory, RememberedApproval, SparedQuestion};
pub use approvals::{ApprovalFilter, ApprovalSummary, Approvals, Decided, StoreActionError};
pub use artifacts::{Address, AddressError, Artifacts};
pub use claims::{Claim, ClaimError, Claims, RenewError, SeizeError};
pub use client_tool_requests::{
    ClientToolRecord, ClientToolRequests, ClientToolTransition, CreatedRequest, PendingRequests, Transitions,
};
pub use clock::Clock;
pub use fault::{Advice, BoxError, Fault};
pub use host::{
    CompletionOpinion, CompletionPolicy, ContinuePolicy, DeclaredExecutor, Delta, Deltas, DiagnosedResult,
    EventSink, ExecutorError, FinishedRun, FinishedTurn, Hearing, HostError, InterruptSource, JudgedResult,
    LockError, MediatedCall, Mediation, Mediator, Model, ModelError, Observed, Persister, PolicyProvider,
    Recalled, Rejection, ResultDiagnostics, Ruling, SessionLock, Summariser, ToolAction, ToolExecutor,
    TurnAnswer, TurnRequest, Waiting,
};
pub use ids::{IdKind, Ids};
pub use inbox::{Inbox, Posted, Signal};
pub use journal::{Append, AppendError, Epoch, Journal, Record, Seq};
pub use runs::{Cursor, RunFilter, RunPage, RunRow, Runs};
pub use sessions::{CreateSessionError, RecentSession, SessionList, Sessions, Transcripts};
pub use stores::Stores;
pub use task_runs::{TaskCancel, TaskRuns};

/// What a port's operation returns: a future that may move between threads, so that ports can be kept as `dyn`.
pub type Boxed<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;
