//! Running a checked graph: which executor gets an action.

pub mod select;
