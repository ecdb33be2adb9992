//! The events around the turns: the session, and the end of the run.

use serde::{Deserialize, Serialize};

/// The session belongs to this run until it ends.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SessionLocked {
    /// The session.
    pub session: String,
}

/// Another run holds the session.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SessionContended {
    /// The session.
    pub session: String,
}

/// Somebody gave the run what it cannot go on with.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunBroken {
    /// The machine code of what is wrong.
    pub code: String,
    /// The same for people.
    pub message: String,
    /// The paths of the offending fields.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fields: Vec<String>,
}

/// The run is over, or parked until somebody answers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunEnded {
    /// The state the run ended in.
    pub status: RunStatus,
}

/// The states a run ends in.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, strum::IntoStaticStr, strum::VariantArray,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum RunStatus {
    /// Done.
    Completed,
    /// A limit was reached.
    BudgetExceeded,
    /// The model repeated itself.
    Stalled,
    /// Waits for a decision.
    ApprovalRequired,
    /// Waits for a client that executes a tool.
    RuntimeToolPending,
    /// Somebody spoke and the run stopped for it.
    Interrupted,
    /// The model or the host failed.
    Failed,
    /// Another run held the session.
    TranscriptLockContention,
}
