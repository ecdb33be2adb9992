//! Where Provost keeps things: SQLite behind the ports of the runtime.

pub mod sqlite;
