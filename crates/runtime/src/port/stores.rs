//! The ports of one storage together.

use std::sync::Arc;

use super::{Artifacts, Claims, Journal, Runs};

/// What is stored, port by port. One storage usually stands behind all of them, and behind journal,
/// runs and claims it must: an append writes the row and honours the claim in one go.
#[derive(Clone)]
pub struct Stores {
    pub journal: Arc<dyn Journal>,
    pub runs: Arc<dyn Runs>,
    pub claims: Arc<dyn Claims>,
    pub artifacts: Arc<dyn Artifacts>,
}

impl Stores {
    /// Every port of one storage.
    pub fn of<S>(storage: &Arc<S>) -> Self
    where
        S: Journal + Runs + Claims + Artifacts + 'static,
    {
        Self {
            journal: storage.clone(),
            runs: storage.clone(),
            claims: storage.clone(),
            artifacts: storage.clone(),
        }
    }
}
