//! How much of earlier declarations is shown again.

/// The ways of replaying declarations. Results are shown in every one of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Replay {
    /// Every declaration as it was.
    Full,
    /// Every declaration as a summary and a reference.
    Compressed,
    /// Recent and short ones as they were, the others compressed.
    Hybrid {
        /// At least so many of the latest runs are shown in full.
        keep: usize,
        /// Runs are compressed so many at a time: the page keeps its beginning in between.
        step: usize,
        /// A longer declaration, in characters, is compressed from the start.
        chars_max: usize,
    },
}

impl Default for Replay {
    fn default() -> Self {
        Self::Hybrid { keep: 6, step: 6, chars_max: 16_384 }
    }
}

/// How one declaration is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fullness {
    Full,
    Compressed,
}
