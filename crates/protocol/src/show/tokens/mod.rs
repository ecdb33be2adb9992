//! How much of a model's window a text takes.

#[cfg(feature = "bpe")]
mod bpe;
mod counter;
mod estimate;

#[cfg(feature = "bpe")]
pub use bpe::Bpe;
pub use counter::TokenCounter;
pub use estimate::Estimate;
