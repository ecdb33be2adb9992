//! The ports kept in RAM: for tests, for embedders without a disk, and as the plainest reading of each promise.
//!
//! Nothing here survives the process. What is kept is bounded in bytes, and beyond the bound it is refused.

mod approval_memory;
mod approvals;
mod artifacts;
mod claims;
mod client_tool_requests;
mod clock;
mod held;
mod inbox;
mod journal;
mod ordered;
mod runs;
mod sessions;
mod storage;
mod task_runs;

pub use clock::ManualClock;
pub use storage::Storage;
