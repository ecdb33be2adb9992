//! SQLite behind the ports: one file, one writer thread, a few readers.
//!
//! Every write goes through the writer thread, which puts all that waits into one transaction and
//! answers after the commit; a short one of somebody who is alone is done without it. Two processes may open the same file: SQLite lets one write at a time,
//! and claims keep one writer a run. Nobody outside this module sees an error of SQLite itself.

mod approval_memory;
mod approvals;
mod artifacts;
mod batch;
mod broken;
mod bundle;
mod claims;
mod client_tool_requests;
mod counter;
mod database;
mod desk;
mod dictionary;
mod file_layer;
mod gathered;
mod holder;
mod inbox;
mod job;
mod journal;
mod ledger;
mod migrate;
mod open;
mod open_error;
mod options;
mod packed;
mod readers;
mod record;
mod runs;
mod sessions;
mod span;
mod task_runs;
mod unshared;
mod work;
mod writer;

pub use database::Database;
pub use open_error::OpenError;
pub use options::{Access, Check, Options};
