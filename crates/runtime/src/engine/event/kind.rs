//! The closed list of events, each with the name and version it is stored under.

use std::cell::RefCell;
use std::sync::Arc;

use super::{
    ActionStarted, BudgetExceeded, CallApproved, CallOpened, CallSettled, CallWaits, CancelAsked,
    CompletionBlocked, CompletionJudged, ContinuationAdded, ContinueJudged, HistoryCompacted, InterruptHeard,
    LoopStalled, MessageQueued, RunBroken, RunEnded, RunParked, RunResumed, SessionContended, SessionLocked,
    TurnAnswered, TurnFailed, TurnStarted,
};
use crate::engine::Spec;
use crate::port::Seq;

/// Room for a usual body, so that writing one does not begin with growing.
const BODY_BYTES: usize = 2_048;
/// More than this is not held for the next one.
const HELD_BYTES_MAX: usize = 1 << 16;

thread_local! {
    /// Where bodies are written before their length is known.
    static SCRATCH: RefCell<Vec<u8>> = RefCell::new(Vec::with_capacity(BODY_BYTES));
}

/// One thing that happened, where and when.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// Its place in the run's journal.
    pub seq: Seq,
    /// When it was recorded.
    pub at_ms: i64,
    /// What happened.
    pub kind: Kind,
    body: Arc<[u8]>,
}

impl Event {
    /// Something that happened now.
    ///
    /// # Errors
    /// When it cannot be written as JSON.
    pub fn new(seq: Seq, at_ms: i64, kind: Kind) -> serde_json::Result<Self> {
        let body = SCRATCH.with_borrow_mut(|scratch| {
            scratch.clear();
            scratch.shrink_to(HELD_BYTES_MAX);
            kind.write(scratch)?;
            Ok::<_, serde_json::Error>(scratch.as_slice().into())
        })?;
        Ok(Self { seq, at_ms, kind, body })
    }

    /// Something read back; `body` is the newest version of its kind.
    pub(super) fn stored(seq: Seq, at_ms: i64, kind: Kind, body: Arc<[u8]>) -> Self {
        Self { seq, at_ms, kind, body }
    }

    /// What is stored of it.
    pub(super) fn body(&self) -> &Arc<[u8]> {
        &self.body
    }
}

/// Declares every kind once: its variant, payload, stored name and version.
macro_rules! kinds {
    ($($(#[$doc:meta])* $variant:ident($payload:ty) = $name:literal v $version:literal;)*) => {
        /// What happened. Past tense, complete, and for ever: a released kind changes only by a new version.
        /// Payloads are shared: the state keeps what it needs of them without a copy.
        #[derive(Clone, Debug, PartialEq)]
        pub enum Kind {
            $($(#[$doc])* $variant(Arc<$payload>),)*
        }

        impl Kind {
            /// The name and version the kind is stored under.
            pub fn stored_as(&self) -> (&'static str, u16) {
                match self { $(Self::$variant(_) => ($name, $version),)* }
            }

            /// Writes the stored body.
            fn write(&self, body: &mut Vec<u8>) -> serde_json::Result<()> {
                match self { $(Self::$variant(payload) => serde_json::to_writer(body, &**payload),)* }
            }

            /// Reads a body of the newest version of the named kind; none when nobody knows the name.
            pub(super) fn from_body(name: &str, body: &[u8]) -> Option<serde_json::Result<Self>> {
                match name {
                    $($name => Some(serde_json::from_slice(body).map(|payload| Self::$variant(Arc::new(payload)))),)*
                    _ => None,
                }
            }

            /// The newest version of the named kind.
            pub(super) fn newest(name: &str) -> Option<u16> {
                match name { $($name => Some($version),)* _ => None }
            }
        }

        $(impl From<$payload> for Kind {
            fn from(payload: $payload) -> Self {
                Self::$variant(Arc::new(payload))
            }
        })*
    };
}

kinds! {
    /// The run was asked for, and accepted.
    RunStarted(Spec) = "run_started" v 1;
    /// The session belongs to this run until it ends.
    SessionLocked(SessionLocked) = "session_locked" v 1;
    /// Another run holds the session.
    SessionContended(SessionContended) = "session_contended" v 1;
    /// A turn began.
    TurnStarted(TurnStarted) = "turn_started" v 1;
    /// Older messages gave way to a summary, or could not.
    HistoryCompacted(HistoryCompacted) = "history_compacted" v 1;
    /// The model answered.
    TurnAnswered(TurnAnswered) = "turn_answered" v 3;
    /// The model gave no usable answer.
    TurnFailed(TurnFailed) = "turn_failed" v 1;
    /// A call of the turn had its turn.
    CallOpened(CallOpened) = "call_opened" v 1;
    /// An executor is about to be asked. Durable before it is, unless it only reads.
    ActionStarted(ActionStarted) = "action_started" v 2;
    /// A call has its one result.
    CallSettled(CallSettled) = "call_settled" v 3;
    /// A call waits for a person or a client.
    CallWaits(CallWaits) = "call_waits" v 1;
    /// Somebody who was asked let a waiting call run.
    CallApproved(CallApproved) = "call_approved" v 3;
    /// The completion policy spoke about a call.
    CompletionJudged(CompletionJudged) = "completion_judged" v 1;
    /// The model wanted to stop and a rule did not let it.
    CompletionBlocked(CompletionBlocked) = "completion_blocked" v 1;
    /// The host's own messages followed the calls.
    ContinuationAdded(ContinuationAdded) = "continuation_added" v 1;
    /// A limit was reached; nothing more is spent.
    BudgetExceeded(BudgetExceeded) = "budget_exceeded" v 1;
    /// The model repeats itself.
    LoopStalled(LoopStalled) = "loop_stalled" v 1;
    /// Somebody spoke between two turns, or had nothing to say.
    InterruptHeard(InterruptHeard) = "interrupt_heard" v 1;
    /// The host was asked whether to go on.
    ContinueJudged(ContinueJudged) = "continue_judged" v 1;
    /// Somebody said something while the run worked or waited.
    MessageQueued(MessageQueued) = "message_queued" v 1;
    /// Somebody wants the run stopped.
    CancelAsked(CancelAsked) = "cancel_asked" v 1;
    /// Somebody gave the run what it cannot go on with.
    RunBroken(RunBroken) = "run_broken" v 1;
    /// Nothing is left to do until somebody answers.
    RunParked(RunParked) = "run_parked" v 1;
    /// Somebody goes on with the run.
    RunResumed(RunResumed) = "run_resumed" v 1;
    /// The run is over.
    RunEnded(RunEnded) = "run_ended" v 1;
}
