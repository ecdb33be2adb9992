//! The roles a grant can give.

use serde::Serialize;
use strum::{EnumString, IntoStaticStr, VariantArray};

/// What a grant lets its holder do with an agent, from least to most.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    EnumString,
    IntoStaticStr,
    VariantArray,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Role {
    /// May see the agent and talk to it; what is granted or asked for when nothing is said.
    #[default]
    Viewer,
    /// May also run and steer it.
    Operator,
    /// May also change it.
    Admin,
}

impl Role {
    /// Reads a wire word; case matters.
    pub fn from_word(word: &str) -> Option<Self> {
        word.parse().ok()
    }
}
