//! Who sums up older messages.

use provost_contract::Message;
use provost_contract::compaction::Summary;
use provost_contract::json::Object;

use super::{Boxed, HostError};

/// Asked when a transcript grew too long.
pub trait Summariser: Send + Sync {
    /// Sums up messages; `context` holds the policy, counts and the boundary.
    fn summarise<'a>(
        &'a self,
        messages: &'a [Message],
        context: &'a Object,
    ) -> Boxed<'a, Result<Summary, HostError>>;
}
