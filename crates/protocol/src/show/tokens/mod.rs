//! Token counts of texts.

#[cfg(feature = "bpe")]
mod bpe;
mod counter;
mod estimate;

#[cfg(feature = "bpe")]
pub use bpe::Bpe;
pub use counter::TokenCounter;
pub use estimate::Estimate;
