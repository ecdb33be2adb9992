//! What can happen in a run, what follows from it, and what must be under way now.
//!
//! Pure: no async, no I/O, no clock, no randomness. The same events give the same state, and the same
//! state and inputs give the same events and effects, live or after a crash.

mod actor;
mod agent;
mod commit;
pub mod defect;
mod due;
pub mod event;
mod id;
mod react;
mod record;
mod standing;
pub mod state;
mod value;
pub mod view;

pub use actor::{Actor, ActorKind, ActorOrigin};
pub use agent::{
    Agent, AgentSpec, ArgumentCheck, AskStyle, Carrying, ClientTools, OnWait, ProtocolSettings, Replaying,
    SHOW_TOOLS,
};
pub use commit::{
    AnswerPost, Commit, Dedupe, NewRun, Release, RowChange, SessionEntry, SessionTake, SessionWrite,
    SignalPost, StandingChange, WaitRow, WaitSettlement, WhenBusy,
};
pub use due::{Effect, EffectId, Execute, due, wake_at};
pub use event::{Event, EventKind};
pub use id::{ActionId, Digest, Epoch, IdError, RunId, Seq, SessionId, SignalId, Time, WaitId, WorkerId};
pub use react::{Input, ModelAnswer, ModelFault, ModelResponse, Now, QueuedSignal, react, would_advance};
pub use record::{ChainError, ChainProblem, Erasure, Record, Unchained, verify};
pub use standing::{ApprovalScope, Covers, PLACE, StandingApproval, enclosing};
pub use state::{Illegal, RunState};
pub use value::{Args, ArtifactRef, Fault, Payload, Ruling, Usage, Verdict, WorldEffect, hash_of};
