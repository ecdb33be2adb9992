//! Where the turns of a cassette come from.

use serde::{Deserialize, Serialize};

/// Whose words the answers are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    /// A model gave them, and they were recorded.
    #[default]
    Recorded,
    /// A person wrote them, for an example or a test.
    WrittenByHand,
}
