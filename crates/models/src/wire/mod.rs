//! The way to a provider and back: HTTP, event streams, time limits and second tries.
//!
//! Nothing here knows one provider from another.

mod attempt;
mod classify;
mod client;
mod deadline;
mod endpoint;
mod exchange;
mod retry;
mod retry_after;
mod sse;
#[cfg(test)]
mod sse_tests;
mod stream;
mod timeouts;

pub use client::ClientError;
pub(crate) use client::client;
pub(crate) use endpoint::Endpoint;
pub use endpoint::EndpointError;
pub(crate) use exchange::{Exchange, Received};
pub use retry::Retry;
pub use timeouts::Timeouts;
