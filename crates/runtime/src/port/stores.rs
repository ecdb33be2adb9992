//! The ports of one storage together.

use std::sync::Arc;

use super::{
    ApprovalMemory, Approvals, Artifacts, Claims, ClientToolRequests, Inbox, Journal, Runs, Sessions,
    TaskRuns,
};

/// What is stored, port by port. One storage usually stands behind all of them, and behind journal,
/// runs and claims it must: an append writes the row and honours the claim in one go.
#[derive(Clone)]
pub struct Stores {
    pub journal: Arc<dyn Journal>,
    pub runs: Arc<dyn Runs>,
    pub claims: Arc<dyn Claims>,
    pub artifacts: Arc<dyn Artifacts>,
    pub sessions: Arc<dyn Sessions>,
    pub approvals: Arc<dyn Approvals>,
    pub memory: Arc<dyn ApprovalMemory>,
    pub client_tool_requests: Arc<dyn ClientToolRequests>,
    pub task_runs: Arc<dyn TaskRuns>,
    pub inbox: Arc<dyn Inbox>,
}

impl Stores {
    /// Every port of one storage.
    pub fn of<S>(storage: &Arc<S>) -> Self
    where
        S: Journal
            + Runs
            + Claims
            + Artifacts
            + Sessions
            + Approvals
            + ApprovalMemory
            + ClientToolRequests
            + TaskRuns
            + Inbox
            + 'static,
    {
        Self {
            journal: storage.clone(),
            runs: storage.clone(),
            claims: storage.clone(),
            artifacts: storage.clone(),
            sessions: storage.clone(),
            approvals: storage.clone(),
            memory: storage.clone(),
            client_tool_requests: storage.clone(),
            task_runs: storage.clone(),
            inbox: storage.clone(),
        }
    }
}
