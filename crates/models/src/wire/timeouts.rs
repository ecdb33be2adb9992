//! How long a turn may take.

use serde::{Deserialize, Serialize};

/// The three waits of a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Timeouts {
    /// Until there is a connection.
    pub connect_ms: u64,
    /// Between two signs of life of an answer, the first included.
    pub idle_ms: u64,
    /// For the turn as a whole, second tries included.
    pub total_ms: u64,
}

impl Default for Timeouts {
    /// A model may think for minutes before it says the first word, and an answer may take longer still.
    fn default() -> Self {
        Self { connect_ms: 10_000, idle_ms: 180_000, total_ms: 900_000 }
    }
}
