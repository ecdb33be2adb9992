//! What happened in a run: the events, their stored form, and the chain that binds them.

mod call;
mod chain;
mod kept;
mod kind;
mod remember;
mod session;
mod signal;
mod stored;
mod turn;
mod word;

pub use call::{
    ActionStarted, CallApproved, CallDeclared, CallOpened, CallSettled, CallWaits, Meanwhile, Proposal,
    SettledBy, Truncated, WaitsFor,
};
pub use chain::{Broken, Chain};
pub use kept::{Kept, KeptCall};
pub use kind::{Event, Kind};
pub use remember::Remember;
pub use session::{RunBroken, RunEnded, RunParked, RunResumed, RunStatus, SessionContended, SessionLocked};
pub use signal::{CancelAsked, MessageQueued};
pub use stored::{DecodeError, decode, encode};
pub use turn::{
    BudgetExceeded, CompletionBlocked, CompletionEffect, CompletionJudged, ContinuationAdded, ContinueJudged,
    FailureSource, HistoryCompacted, InterruptAction, InterruptHeard, LoopStalled, Managed, Reservation,
    StructuredOutput, Subject, TranscriptChange, TurnAnswered, TurnFailed, TurnStarted,
};
pub use word::Word;
