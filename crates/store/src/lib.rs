//! Where Provost keeps things: SQLite behind the store port of the runtime.

pub mod sqlite;
