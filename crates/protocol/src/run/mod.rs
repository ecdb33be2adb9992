//! What a checked graph does next: which action may start, and which executor gets it.

pub mod schedule;
pub mod select;
