//! The store of runs on SQLite: plain tables in one file that several processes may open.
//!
//! Every write goes through one thread, which puts all that waits into one transaction and answers after its
//! commit. Reads run on threads of their own. The decisions are those of [`provost_runtime::store::rules`];
//! this module supplies rows. `docs/schema.md` describes the tables.

mod artifacts;
mod columns;
mod db;
mod error;
mod files;
mod holder;
mod lists;
mod log;
mod open;
mod open_error;
mod options;
#[cfg(test)]
mod plans;
mod readers;
mod ready;
mod rows;
mod store;
mod tables;
mod watcher;
mod writer;

pub use open_error::OpenError;
pub use options::{Check, SqliteOptions};
pub use store::SqliteStore;
