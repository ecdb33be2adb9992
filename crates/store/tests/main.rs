//! The stores through their public doors.
#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a test that fails panics")]

mod bundles;
mod files;
mod older;
mod run_store;
mod run_store_crash;
mod run_store_open;
mod run_store_runs;
mod sample;
mod sharing;
mod sqlite;
