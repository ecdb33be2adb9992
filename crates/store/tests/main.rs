//! The store through its public doors.
#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a test that fails panics")]

mod crash;
mod open;
mod runs;
mod sqlite;
