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
mod documented;
#[cfg(feature = "sqlite")]
mod doors;
mod doubt;
#[cfg(feature = "sqlite")]
mod durable;
mod hooks;
mod models;
mod outputs;
mod parts;
mod protocol_runs;
mod refusals;
#[cfg(feature = "sqlite")]
mod remembered;
mod roads;
mod secrets;
mod sessions;
mod silent;
#[cfg(feature = "tracing")]
mod spans;
mod spoken;
mod stops;
mod text;
#[cfg(all(feature = "models", feature = "sqlite"))]
mod tiers;
