//! The engine: a pure state machine over the events of a run.
//!
//! `event` says what can happen and how it is stored, `state` folds events, `next` says what to do now,
//! `decide` turns what somebody answered into events, and `project` shows a run to people, models and
//! machines. Nothing here awaits, reads a clock or performs I/O; the driver does.

pub mod decide;
mod event;
mod history;
mod next;
pub mod project;
mod spec;
mod state;

pub use event::{
    ActionStarted, Broken, BudgetExceeded, CallApproved, CallDeclared, CallOpened, CallSettled, CallWaits,
    CancelAsked, Chain, CompletionBlocked, CompletionEffect, CompletionJudged, ContinuationAdded,
    ContinueJudged, DecodeError, Event, FailureSource, HistoryCompacted, InterruptAction, InterruptHeard,
    Kept, KeptCall, Kind, LoopStalled, Managed, Meanwhile, MessageQueued, Proposal, Remember, Reservation,
    RunBroken, RunEnded, RunParked, RunResumed, RunStatus, SessionContended, SessionLocked, SettledBy,
    StructuredOutput, Subject, TranscriptChange, Truncated, TurnAnswered, TurnFailed, TurnStarted, WaitsFor,
    Word, decode, encode,
};
pub use history::History;
pub use next::{Step, next};
pub use spec::{About, ArgumentCheck, Asks, BudgetSpec, Continuation, Limits, SessionSpec, Spec};
pub use state::{
    Batch, BatchCall, Budgets, CALL_TRANSITIONS, CallRecord, CallRow, Entry, Phase, RUN_TRANSITIONS, Records,
    Rules, RunState, Stage, Stops, ToolFacts, Tools, Words, transition_tables,
};
