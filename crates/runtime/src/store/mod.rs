//! The one store of runs: journals, rows, waits, signals, sessions, workers and artifacts behind one port.
//!
//! [`Store`] is the port and its promises. [`rules`] holds the decisions that every adapter with a write
//! lock shares; such an adapter supplies rows ([`Tables`]) and nothing else. [`memory`] is the adapter in
//! RAM, and its core, [`memory::MemoryTables`], is synchronous and deterministic, so that a simulator can
//! drive it directly. `contract` tests the promises on any adapter. `docs/schema.md` describes the tables.

#[cfg(any(test, feature = "contract"))]
pub mod contract;
mod error;
pub mod memory;
mod port;
mod query;
mod rows;
pub mod rules;
mod upload;

pub use error::{
    AcceptError, AnswerError, ClaimError, CommitError, EraseError, PostError, RegisterError, ResumeError,
    SayError, SessionError, SessionRefusal,
};
pub use port::Store;
pub use query::{
    ClaimFilter, Cursor, Page, PruneFilter, RecentSession, RunCursor, RunFilter, SessionCursor,
    SessionFilter, WaitCursor, WaitFilter, WaitState,
};
pub use rows::{
    About, Accepted, Answered, ArtifactInfo, Beat, Claimed, Committed, Entry, EntrySource, Erase, Expired,
    Fork, GivenAnswer, Imported, ListedRun, NewSession, Posted, Prune, Pruned, RevokePost, RowProblem,
    RunProblem, RunRow, Said, SayPost, SessionRow, Settled, Signal, StoreStats, Wait, Worker,
};
pub use rules::Tables;
pub use upload::{PartHasher, Upload};
