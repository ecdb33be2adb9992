//! The events of what came from outside while a run worked or waited.

use std::sync::Arc;

use provost_contract::Message;
use serde::{Deserialize, Serialize};

/// Somebody said something; the model hears it in the next turn.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MessageQueued {
    /// Its place in the run's inbox.
    pub place: u64,
    /// Who said it.
    pub by: String,
    /// The words.
    pub message: Arc<Message>,
}

/// Somebody wants the run stopped.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CancelAsked {
    /// Its place in the run's inbox.
    pub place: u64,
    /// Who.
    pub by: String,
    /// Why.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reason: String,
}
