//! How an answer comes.

use serde::{Deserialize, Serialize};

/// In pieces or at once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Delivery {
    /// In pieces, as the model speaks.
    #[default]
    Streamed,
    /// At once: for servers that cannot stream calls.
    Whole,
}
