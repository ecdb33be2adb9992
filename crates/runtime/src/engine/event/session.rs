//! The events around the turns: the session, and how a run stops and goes on.

use serde::{Deserialize, Serialize};

use crate::engine::BudgetSpec;

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

/// Nothing is left to do until somebody answers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunParked {
    /// What the run waits in.
    pub status: RunStatus,
}

/// The run is over.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunEnded {
    /// The state the run ended in.
    pub status: RunStatus,
}

/// Somebody goes on with the run: after a crash, an answer, or a stop that was lifted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunResumed {
    /// The claim under which it goes on.
    pub epoch: u64,
    /// Limits that were changed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub budgets: Vec<BudgetSpec>,
}

impl RunStatus {
    /// Whether the run goes on when somebody answers.
    pub fn is_parked(self) -> bool {
        match self {
            Self::ApprovalRequired | Self::RuntimeToolPending => true,
            Self::Completed
            | Self::BudgetExceeded
            | Self::Stalled
            | Self::Interrupted
            | Self::Cancelled
            | Self::Failed
            | Self::TranscriptLockContention => false,
        }
    }
}

/// The states a run ends or is parked in.
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
    /// Somebody wanted it stopped.
    Cancelled,
    /// The model or the host failed.
    Failed,
    /// Another run held the session.
    TranscriptLockContention,
}
