//! What an action waits for, and over which list it fans out.

use provost_contract::action::ConditionStatus;
use serde::{Deserialize, Serialize};

use crate::ActionId;

/// How a dependency must have ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct When {
    /// The dependency.
    pub action: ActionId,
    /// Its status.
    pub status: ConditionStatus,
}

/// A bounded fan-out over a list that is known when the action is ready.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Each {
    /// The reference to the list.
    #[serde(rename = "in")]
    pub list: String,
    /// How many entries it may have; nothing runs when it has more.
    pub max: u32,
}
