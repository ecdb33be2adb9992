//! The runtime and its operations.

mod answers;
mod build;
mod builder;
mod builder_hooks;
mod check;
mod decision;
mod errors;
mod execute;
mod handle;
mod outcome;
mod output;
mod principal;
mod request;
mod sessions;
mod standing;
mod start;
mod values;

pub use answers::ClientRequest;
pub use build::BuildError;
pub use builder::Builder;
pub use check::Ignored;
pub use decision::{ClientResult, DecideError, Decision, Remember, Verdict};
pub use errors::{StartError, WorkError};
pub use execute::{ExecuteError, Executed, Plan};
pub use handle::RunHandle;
pub use outcome::{Outcome, RunFailure, RunStatus};
pub use output::OutputError;
pub use request::Request;
pub use sessions::{SayError, Session, SessionOptions};
pub use standing::{revoke_standing, standing_offers};
pub use start::{Resume, Runtime};
