//! What can happen in a run, what follows from it, and what must be under way now.
//!
//! Pure: no async, no I/O, no clock, no randomness. The same events give the same state, and the same
//! state and inputs give the same events and effects, live or after a crash.

mod actor;
mod commit;
mod id;
mod record;

pub use actor::{Actor, ActorKind};
pub use commit::{
    AnswerPost, Commit, Dedupe, NewRun, Release, RowChange, SessionEntry, SessionTake, SessionWrite,
    SignalPost, StandingApproval, StandingChange, WaitRow, WaitSettlement, WhenBusy,
};
pub use id::{ActionId, Digest, Epoch, IdError, RunId, Seq, SessionId, SignalId, Time, WaitId, WorkerId};
pub use record::{ChainError, ChainProblem, Erasure, Record, Unchained, verify};
