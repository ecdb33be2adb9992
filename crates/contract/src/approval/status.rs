//! How far a pending action is.

use serde::Serialize;
use serde_json::{Value, json};
use strum::{EnumString, IntoStaticStr, VariantArray};

use crate::{ContractError, Result};

const CODE: &str = "invalid_ai_pending_action_status";
pub(super) const EXPECTED: &str = "must be pending, accepted, rejected, expired, or deleted";

/// How far a pending action is; the wire words are the snake-case names.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, EnumString, IntoStaticStr, VariantArray,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum PendingActionStatus {
    /// Nobody has decided yet.
    #[default]
    Pending,
    /// Allowed.
    Accepted,
    /// Refused.
    Rejected,
    /// Nobody decided in time.
    Expired,
    /// Taken back.
    Deleted,
}

impl PendingActionStatus {
    /// Reads a status; spaces around it do not matter, case does.
    pub fn parse(text: &str) -> Result<Self> {
        Self::from_word(text).ok_or_else(|| ContractError::field(CODE, "status", EXPECTED))
    }

    pub(super) fn from_word(text: &str) -> Option<Self> {
        text.trim().parse().ok()
    }

    /// Whether nothing more can be decided.
    pub fn is_terminal(self) -> bool {
        match self {
            Self::Pending => false,
            Self::Accepted | Self::Rejected | Self::Expired | Self::Deleted => true,
        }
    }

    /// Whether somebody must have brought it about. Time alone lets an action expire.
    pub fn needs_resolver(self) -> bool {
        match self {
            Self::Pending | Self::Expired => false,
            Self::Accepted | Self::Rejected | Self::Deleted => true,
        }
    }

    /// The wire form `{status, terminal}`.
    pub fn to_value(self) -> Value {
        json!({ "status": self, "terminal": self.is_terminal() })
    }
}
