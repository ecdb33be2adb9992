//! How a called tool may execute: at once, after an approval, or not at all.
//!
//! The layers answer in a fixed order and the first answer counts, for a word about this very tool means
//! more than a word about its category. What is forbidden stays forbidden: neither a remembered approval
//! nor the final override lifts it.

mod question;
mod resolve;
mod word;

pub use question::{MemoryKey, Question};
pub use resolve::{Consulted, Layer, judge, resolve};
pub use word::ActionPolicy;
