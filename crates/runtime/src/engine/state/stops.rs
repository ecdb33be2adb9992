//! What stops a run. Several things may at once; the weightiest names the status.

use std::sync::Arc;

use provost_contract::json::Object;
use serde_json::Value;

use crate::engine::{CancelAsked, RunBroken, RunStatus, TurnFailed};

/// The reasons a run stops before the model is done. All that apply stay in the record. Large ones are on the
/// heap: most runs have none.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Stops {
    /// The budget that was used up.
    pub budget: Option<String>,
    /// The repeated call.
    pub stalled: Option<Box<Object>>,
    /// The proposal that waits for a decision.
    pub approval: Option<Box<Value>>,
    /// The request that waits for a client.
    pub client: Option<Box<Value>>,
    /// The words that stopped the run.
    pub interrupted: Option<Box<Object>>,
    /// Who wanted it stopped.
    pub cancelled: Option<Arc<CancelAsked>>,
    /// What the model failed with.
    pub failure: Option<Arc<TurnFailed>>,
    /// What the run cannot go on with.
    pub broken: Option<Arc<RunBroken>>,
    /// The session another run holds.
    pub contended: Option<String>,
}

impl Stops {
    /// The status of a stopped run; none while nothing stops it. Later rows weigh more.
    pub fn status(&self) -> Option<RunStatus> {
        let rows = [
            (self.budget.is_some(), RunStatus::BudgetExceeded),
            (self.stalled.is_some(), RunStatus::Stalled),
            (self.approval.is_some(), RunStatus::ApprovalRequired),
            (self.client.is_some(), RunStatus::RuntimeToolPending),
            (self.interrupted.is_some(), RunStatus::Interrupted),
            (self.cancelled.is_some(), RunStatus::Cancelled),
            (self.failure.is_some() || self.broken.is_some(), RunStatus::Failed),
            (self.contended.is_some(), RunStatus::TranscriptLockContention),
        ];
        rows.into_iter().rev().find(|(applies, _)| *applies).map(|(_, status)| status)
    }
}
