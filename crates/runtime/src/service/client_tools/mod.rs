//! The life of a call that a client must answer: it waits, it is answered or times out, exactly once,
//! and the run goes on.

mod api;
mod continuation;
mod event;
mod lifecycle;
mod submission;

pub use api::ClientToolApi;
pub use continuation::{Continuation, RegisteredContinuation};
pub use event::{ClientToolEvent, ClientToolEvents};
pub use lifecycle::ClientTools;
pub use submission::Submission;
