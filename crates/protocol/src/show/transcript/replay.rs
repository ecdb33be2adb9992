//! How much of earlier declarations is shown again.

/// The replay modes. Results are shown in every mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Replay {
    /// Every declaration as it was.
    Full,
    /// Every declaration as a summary and a reference.
    Compressed,
    /// Recent and short ones as they were, the others compressed.
    Hybrid {
        /// The minimum number of the latest runs that are shown in full.
        keep: usize,
        /// How many runs are compressed at a time: in between, the beginning of the page is unchanged.
        step: usize,
        /// A longer declaration, in characters, is compressed immediately.
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
