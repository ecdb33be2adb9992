//! Who may have something to say between two turns.

use serde_json::Value;

use super::{FinishedTurn, HostError};
use crate::port::Boxed;

/// Asked once after every turn that is not the last.
pub trait InterruptSource: Send + Sync {
    /// A message, or null. A source that fails has nothing to say.
    fn ask<'a>(&'a self, turn: FinishedTurn<'a>) -> Boxed<'a, Result<Value, HostError>>;
}
