//! What an action must do, as text for its executor.

use super::Reference;
use crate::canonical;

/// The task text, and the section it came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prompt {
    /// What the executor reads.
    pub text: String,
    /// The section that held it, when it was not given in place.
    pub source: Option<Reference>,
}

impl Prompt {
    /// A task text given in place.
    pub fn inline(text: impl Into<String>) -> Self {
        Self { text: text.into(), source: None }
    }

    /// The hash of the text: what the executor was really told.
    pub fn hash(&self) -> String {
        canonical::text_hash(&self.text)
    }
}
