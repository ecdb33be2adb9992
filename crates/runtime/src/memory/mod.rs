//! The ports kept in RAM: for tests, for embedders without a disk, and as the plainest reading of each promise.
//!
//! Nothing here survives the process. What is kept is bounded in bytes, and beyond the bound it is refused.

mod artifacts;
mod claims;
mod clock;
mod journal;
mod runs;
mod storage;

pub use clock::ManualClock;
pub use storage::Storage;
