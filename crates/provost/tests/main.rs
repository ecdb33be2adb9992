//! The runtime through its front door.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test that fails panics"
)]

mod scene;

mod approvals;
mod calls;
mod clients;
mod compaction;
mod doors;
mod doubt;
mod durable;
mod refusals;
mod remembered;
mod secrets;
mod sessions;
mod spoken;
mod stops;
mod text;
