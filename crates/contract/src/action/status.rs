//! Where an action stands.

use serde::Serialize;
use strum::{EnumString, IntoStaticStr, VariantArray};

/// The closed list of action states; `blocked` covers a dependency that did not complete, a policy that
/// said no, and an outcome that is in doubt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, EnumString, IntoStaticStr, VariantArray)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum ActionStatus {
    /// Accepted, not started.
    Pending,
    /// Started, not ended.
    Running,
    /// Started, and a person, a client or a child run must answer.
    Waiting,
    /// Ended as wanted.
    Completed,
    /// Ended with an error.
    Failed,
    /// Cannot go on.
    Blocked,
    /// Will not be done any more.
    Canceled,
}

impl ActionStatus {
    /// Whether nothing more will happen to the action by itself.
    pub fn is_end(self) -> bool {
        match self {
            Self::Completed | Self::Failed | Self::Blocked | Self::Canceled => true,
            Self::Pending | Self::Running | Self::Waiting => false,
        }
    }
}
