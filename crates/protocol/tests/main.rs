//! Properties of the crate, over more inputs than a person would write down.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test may stop at the first surprise"
)]

mod declare;
mod pages;
