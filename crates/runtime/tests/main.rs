//! The runtime through its public doors.
#![expect(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test that fails panics")]

mod actor;
mod diagnostics;
mod driver;
mod engine;
mod fixtures;
mod memory;
mod repeated;
mod session;
