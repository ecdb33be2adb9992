//! The store in RAM.
//!
//! [`MemoryTables`] is the whole store as plain synchronous methods that take the time; the same calls give
//! the same answers, so a simulator drives it directly. [`MemoryStore`] puts it behind the port.

mod list;
mod rows;
mod store;
mod tables;

pub use store::MemoryStore;
pub use tables::MemoryTables;
