//! Making a transcript sendable: every call with exactly one result, directly behind it.

mod change;
mod ids;
mod mend;
#[cfg(test)]
mod mend_tests;

pub use change::{Change, Mend, Repaired};
pub(super) use ids::PairIds;
pub(super) use mend::repair_after;
pub use mend::{RepairMode, repair, repair_owned};
