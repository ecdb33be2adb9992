//! Running a checked graph: which action may start, and which executor gets it.

pub mod schedule;
pub mod select;
