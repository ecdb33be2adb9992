//! The status of the whole graph.

use provost_contract::action::ActionStatus;
use serde::Serialize;
use strum::{EnumString, IntoStaticStr, VariantArray};

use super::state::{Schedule, Stop};

/// The status of a graph, computed from the statuses of its actions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, EnumString, IntoStaticStr, VariantArray)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum GraphStatus {
    /// Nothing failed, nothing is blocked, nothing waits.
    Completed,
    /// An action is blocked or waits.
    Blocked,
    /// An action failed.
    Failed,
    /// The owner of the run canceled it.
    Canceled,
}

impl Schedule {
    /// Computes the status. While actions still run it is preliminary.
    pub fn graph_status(&self) -> GraphStatus {
        let any = |status| self.count(status) > 0;
        if self.stop == Some(Stop::Canceled) {
            GraphStatus::Canceled
        } else if any(ActionStatus::Failed) {
            GraphStatus::Failed
        } else if any(ActionStatus::Blocked) || any(ActionStatus::Waiting) {
            GraphStatus::Blocked
        } else {
            GraphStatus::Completed
        }
    }
}
