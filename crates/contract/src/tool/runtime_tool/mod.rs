//! A call that something outside the run must answer: the request that waits, and the result handed in.

mod request;
mod result;
mod submission;

pub use request::{RuntimeToolRequest, RuntimeToolStatus};
pub use result::RuntimeToolResult;
pub use submission::RuntimeToolSubmission;
