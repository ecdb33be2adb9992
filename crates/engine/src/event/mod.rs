//! Everything that can happen in a run: eighteen kinds, each with a version.
//!
//! A body has two parts. The *facts* are what the fold needs (ids, numbers, enums, digests) and cannot be
//! erased. The *words* (messages, arguments, results, reasons) can: the chain still verifies, and the fold
//! reaches the same stages.

mod action;
mod codec;
mod declaration;
mod edges;
mod model;
mod outcome;
mod run;
mod signal;
mod wait;

pub use action::{
    ActionEnd, ActionEnded, ActionNoted, ActionSpec, ActionStarted, AllowedBy, AttemptEnded, EndedBy,
    Executor, ExecutorKind, Note, Phase, Step,
};
pub use codec::DecodeError;
pub use declaration::{Declaration, Parsed};
pub use edges::{Each, When};
pub use model::{
    Call, DeclarationAccepted, HistoryCompacted, Hook, HookAnswer, HookAnswered, HostTurn, ModelFailed,
    ModelRequested, ModelResponded, NextModel, Origin, Purpose, ResponseRefused, Subject, Unprepared,
};
pub use outcome::{ChangeSet, ChangedPath, Next, Outcome, Probe, WaitsOn};
pub use run::{
    Assignment, Continuation, EndStatus, Fork, HookSet, Limits, Mode, ModelUse, RunAccepted, RunClaimed,
    RunEnded, RunSpec, RunStopping, SessionFrom, SignalTaken, Stop,
};
pub use signal::{Choice, Ignored, MessageMode, Signal};
pub use wait::{Answer, Decision, Lasts, Remember, Settlement, WaitKind, WaitOpened, WaitSettled, WorkWait};

use crate::{Actor, Epoch, Seq, Time};

/// What stands where words were erased.
pub const ERASED: &str = "[erased]";

/// One thing that happened: where, when, by whom.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// Its position in the journal.
    pub seq: Seq,
    /// When it was recorded.
    pub at: Time,
    /// The epoch of the worker that recorded it.
    pub epoch: Epoch,
    /// Who did it.
    pub actor: Actor,
    /// What happened.
    pub kind: EventKind,
    /// Whether its words were erased.
    pub erased: bool,
}

/// Declares every kind once: its variant and payload, the name and version it is stored under, and which of
/// its fields are words, as paths in which `*` is every entry of a list or map, and `...` is an action and the
/// steps below it, however deep.
macro_rules! kinds {
    ($($(#[$doc:meta])* $variant:ident = $name:literal v $version:literal, words $words:expr;)*) => {
        /// What happened. Past tense and complete; a stored kind changes only by a new version.
        #[derive(Clone, Debug, PartialEq)]
        pub enum EventKind {
            $($(#[$doc])* $variant(Box<$variant>),)*
        }

        impl EventKind {
            /// The kinds with their versions and the paths of their words, in the order of the documentation.
            pub const ALL: &[(&'static str, u16, &'static [&'static str])] = &[$(($name, $version, $words),)*];

            /// Returns the name that the kind is stored under.
            pub fn name(&self) -> &'static str {
                match self { $(Self::$variant(_) => $name,)* }
            }

            fn to_value(&self) -> serde_json::Result<serde_json::Value> {
                match self { $(Self::$variant(payload) => serde_json::to_value(&**payload),)* }
            }

            fn from_value(name: &str, body: serde_json::Value) -> Option<serde_json::Result<Self>> {
                match name {
                    $($name => Some(serde_json::from_value(body).map(|payload| Self::$variant(Box::new(payload)))),)*
                    _ => None,
                }
            }
        }

        $(impl From<$variant> for EventKind {
            fn from(payload: $variant) -> Self {
                Self::$variant(Box::new(payload))
            }
        })*
    };
}

kinds! {
    /// The run exists.
    RunAccepted = "run_accepted" v 1, words &["spec/input", "spec/context", "spec/labels", "spec/parent/context", "spec/parent/expected"];
    /// A worker took the run.
    RunClaimed = "run_claimed" v 1, words &["standing/*/reason"];
    /// A signal left the queue.
    SignalTaken = "signal_taken" v 1, words &[
        "body/message", "body/reason", "body/payload", "body/grant/reason",
        "body/answer/reason", "body/answer/payload", "body/answer/verdicts/*/reason",
        "body/answer/verdicts/*/edit/redacted",
        "body/declaration/answer", "body/declaration/title", "body/declaration/note", "body/declaration/violations",
        "body/declaration/add/*/spec/.../args/redacted", "body/declaration/add/*/spec/.../prompt", "body/declaration/add/*/spec/.../context", "body/declaration/add/*/spec/.../title",
        "body/declaration/add/*/spec/.../description", "body/declaration/add/*/spec/.../reason", "body/declaration/add/*/spec/.../result_policy/if_truncated", "body/declaration/add/*/spec/.../unprepared/result",
    ];
    /// No new work begins.
    RunStopping = "run_stopping" v 1, words &["stop/message", "stop/fault/message", "stop/fault/fields", "stop/signature"];
    /// The run is over.
    RunEnded = "run_ended" v 1, words &["text", "output", "handoff/excerpt"];
    /// A model call may start.
    ModelRequested = "model_requested" v 1, words &[];
    /// The model responded.
    ModelResponded = "model_responded" v 1, words &[
        "messages", "calls/*/args/redacted", "calls/*/unprepared/result", "provider", "output",
        "declaration/fault/message", "declaration/fault/fields", "declaration/answer", "declaration/title",
        "declaration/note", "declaration/violations",
        "declaration/add/*/spec/.../args/redacted", "declaration/add/*/spec/.../prompt", "declaration/add/*/spec/.../context", "declaration/add/*/spec/.../title",
        "declaration/add/*/spec/.../description", "declaration/add/*/spec/.../reason", "declaration/add/*/spec/.../result_policy/if_truncated", "declaration/add/*/spec/.../unprepared/result",
        "host/continuation", "host/records", "host/metadata",
    ];
    /// A model call gave no response.
    ModelFailed = "model_failed" v 1, words &["fault/message", "fault/fields", "diagnostics"];
    /// A declaration is accepted.
    DeclarationAccepted = "declaration_accepted" v 1, words &[
        "add/*/.../args/redacted", "add/*/.../prompt", "add/*/.../context", "add/*/.../title",
        "add/*/.../description", "add/*/.../reason", "add/*/.../result_policy/if_truncated", "add/*/.../unprepared/result",
        "answer", "title", "note", "violations",
    ];
    /// A response cannot be used.
    ResponseRefused = "response_refused" v 1, words &["reasons", "violations"];
    /// Older transcript lines give way to a summary.
    HistoryCompacted = "history_compacted" v 1, words &["replacement", "archive/excerpt", "fault/message", "fault/fields", "events"];
    /// A hook answered.
    HookAnswered = "hook_answered" v 1, words &[
        "answer/payload", "answer/messages", "answer/record", "answer/value", "answer/result",
        "answer/ruling/reason", "answer/ruling/inputs", "answer/fault/message", "answer/fault/fields",
        "answer/args/redacted", "answer/items/*/redacted",
    ];
    /// An attempt is open.
    ActionStarted = "action_started" v 1, words &["resolved/redacted", "ruling/reason", "ruling/inputs", "input"];
    /// A durable fact about an open attempt.
    ActionNoted = "action_noted" v 1, words &["note/title", "note/posture", "note/artifact/excerpt"];
    /// The attempt is over, the action is not.
    AttemptEnded = "attempt_ended" v 1, words &[
        "outcome/result", "outcome/fault/message", "outcome/fault/fields", "outcome/request", "outcome/state",
        "outcome/what", "outcome/change_set/artifact/excerpt", "outcome/change_set/paths/*/ruling/reason",
        "outcome/change_set/paths/*/ruling/inputs",
    ];
    /// The action is over.
    ActionEnded = "action_ended" v 1, words &["result", "summary", "citations", "artifacts/*/excerpt", "nudge", "truncated"];
    /// An answer is needed.
    WaitOpened = "wait_opened" v 1, words &["ask", "schema"];
    /// The one settlement of a wait.
    WaitSettled = "wait_settled" v 1, words &[
        "answer/reason", "answer/payload", "answer/verdicts/*/reason", "answer/verdicts/*/edit/redacted",
    ];
}
