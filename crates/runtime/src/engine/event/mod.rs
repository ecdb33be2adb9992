//! What happened in a run: the events, their stored form, and the chain that binds them.

mod call;
mod chain;
mod kind;
mod session;
mod stored;
mod turn;

pub use call::{
    ActionStarted, CallDeclared, CallOpened, CallSettled, CallWaits, SettledBy, Truncated, WaitsFor,
};
pub use chain::{Broken, Chain};
pub use kind::{Event, Kind};
pub use session::{RunBroken, RunEnded, RunStatus, SessionContended, SessionLocked};
pub use stored::{DecodeError, decode, encode};
pub use turn::{
    BudgetExceeded, CompletionBlocked, CompletionEffect, CompletionJudged, ContinuationAdded, ContinueJudged,
    FailureSource, HistoryCompacted, InterruptAction, InterruptHeard, LoopStalled, Managed, StructuredOutput,
    Subject, TranscriptChange, TurnAnswered, TurnFailed, TurnStarted,
};
