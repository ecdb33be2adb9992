//! Where Provost keeps things: SQLite behind the ports of the runtime.

pub mod run_store;
pub mod sqlite;
