//! The runtime: everything together, and the doors of a program into it.

mod answers;
mod builder;
mod check;
mod decision;
mod handle;
mod outcome;
mod request;
mod sessions;
mod start;

pub use answers::ClientRequest;
pub use builder::{BuildError, Builder};
pub use check::Ignored;
pub use decision::{ClientResult, DecideError, Decision, Remember, Verdict};
pub use handle::RunHandle;
pub use outcome::{Outcome, RunStatus};
pub use request::Request;
pub use sessions::{SayError, Session, SessionOptions};
pub use start::{Resume, Runtime, StartError, WorkError};
