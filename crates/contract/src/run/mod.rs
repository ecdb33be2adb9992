//! How a run stands and how it ended: its control status, the verdict on it, and the result envelope
//! tasks, workflows and runtimes share.

mod outcome;
mod result;
mod status;

pub use outcome::{OutcomeStatus, RunOutcome};
pub use result::{ResultStatus, RunResult, artifact_refs};
pub use status::RunStatus;
