//! How much a model may think before it speaks.

use serde::{Deserialize, Serialize};
use strum::{Display, IntoStaticStr};

/// How hard to think, in the words most providers share.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Display, IntoStaticStr)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Effort {
    /// Hardly.
    Minimal,
    /// A little.
    Low,
    /// As usual.
    Medium,
    /// Hard.
    High,
}

/// How much to think. A provider that knows only one of the two forms refuses the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reasoning {
    /// As hard as this word says.
    Effort(Effort),
    /// At most this many tokens.
    BudgetTokens(u64),
}
