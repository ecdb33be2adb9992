//! Approvals: actions that wait for a decision, and every decision ever made.

use std::collections::BTreeMap;

use provost_contract::WorkspaceScope;
use provost_contract::approval::{PendingAction, PendingActionStatus, Resolution};
use serde_json::Value;

use super::{Boxed, Fault};

/// Whether decided actions are looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decided {
    Hidden,
    Included,
}

/// Which actions a list shows; what is left empty does not filter.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ApprovalFilter {
    pub status: Option<PendingActionStatus>,
    pub workspace: Option<WorkspaceScope>,
    pub agent: Option<String>,
    pub kind: Option<String>,
}

impl ApprovalFilter {
    /// Whether an action is shown.
    pub fn shows(&self, action: &PendingAction) -> bool {
        self.status.is_none_or(|status| status == action.status())
            && self.workspace.as_ref().is_none_or(|scope| action.workspace.as_ref() == Some(scope))
            && self.agent.as_ref().is_none_or(|agent| action.agent.as_ref() == Some(agent))
            && self.kind.as_ref().is_none_or(|kind| kind == action.kind())
    }
}

/// How many actions there are of each status that occurs.
pub type ApprovalSummary = BTreeMap<&'static str, usize>;

/// Why an action was not stored.
#[derive(Debug, thiserror::Error)]
pub enum StoreActionError {
    /// Nothing was written: what waits or was decided under an id stays what it is.
    #[error("an action {action_id} is there already")]
    Taken { action_id: String },
    #[error(transparent)]
    Storage(#[from] Fault),
}

/// The queue of actions that wait for a decision. A decision is made once; records are kept for audit.
pub trait Approvals: Send + Sync {
    /// Stores a new action.
    fn store(&self, action: PendingAction) -> Boxed<'_, Result<(), StoreActionError>>;

    /// The action of an id.
    fn get<'a>(
        &'a self,
        action_id: &'a str,
        decided: Decided,
    ) -> Boxed<'a, Result<Option<PendingAction>, Fault>>;

    /// The actions a filter shows, in the order they were stored.
    fn list<'a>(&'a self, filter: &'a ApprovalFilter) -> Boxed<'a, Result<Vec<PendingAction>, Fault>>;

    /// Counts the actions a filter shows by status.
    fn summary<'a>(&'a self, filter: &'a ApprovalFilter) -> Boxed<'a, Result<ApprovalSummary, Fault>>;

    /// Records a decision; of several only the first. False when the action is unknown or decided.
    fn record_resolution<'a>(
        &'a self,
        action_id: &'a str,
        resolution: Resolution,
    ) -> Boxed<'a, Result<bool, Fault>>;

    /// Adds to a decision what came of it; false when the action is unknown or still waits.
    fn record_outcome<'a>(
        &'a self,
        action_id: &'a str,
        outcome: Result<Value, String>,
    ) -> Boxed<'a, Result<bool, Fault>>;

    /// Lets waiting actions expire whose time is over at a moment, and says how many.
    fn expire<'a>(&'a self, at: &'a str) -> Boxed<'a, Result<usize, Fault>>;

    /// Takes a waiting action back; the record stays. False when it is unknown or decided.
    fn delete<'a>(
        &'a self,
        action_id: &'a str,
        resolver: &'a str,
        at: &'a str,
    ) -> Boxed<'a, Result<bool, Fault>>;
}
