//! The tools through their public doors.
#![expect(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test that fails panics")]

mod bench;
mod commands;
mod declarations;
mod escapes;
mod files;
mod http;
mod processes;
mod runs;
