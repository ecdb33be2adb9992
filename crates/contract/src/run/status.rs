//! The closed list of states a run can be in.

use serde::Serialize;
use strum::{EnumString, IntoStaticStr, VariantArray};

/// How a run stands; the wire words are the snake-case names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, EnumString, IntoStaticStr, VariantArray)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum RunStatus {
    /// Accepted, not started.
    Queued,
    /// At work, or able to go on.
    Running,
    /// Asked to stop, and finishing what cannot be cut off.
    Cancelling,
    /// Stopped on request.
    Cancelled,
    /// Ended well.
    Completed,
    /// Ended badly.
    Failed,
    /// Waits for a tool its client runs.
    RuntimeToolPending,
    /// Waits for a person's decision.
    ApprovalRequired,
    /// Stopped by a budget.
    BudgetExceeded,
    /// Stopped because it no longer moved.
    Stalled,
    /// Stopped by a message from outside.
    Interrupted,
}
