//! Many runs in one process: claims, one lease, wake-ups, takeover, and the doors that reach a run.
//!
//! [`Dispatcher`] claims runs and gives each an actor. [`Doors`] accepts runs and passes on messages, answers,
//! cancels and resumes; each joins the work that is going on. [`EventHub`] follows any run, live or over, from
//! any process.

mod dispatcher;
mod doors;
mod events;
mod handle;
mod sessions;
mod worker;

pub use dispatcher::Dispatcher;
pub use doors::{Doors, NewRunRequest, SayOutcome, StartError};
pub use events::{EventHub, Followed, RunEvent, RunEvents};
pub use handle::{DispatcherConfig, Released, RunError, Scope};
pub use sessions::{SessionDoorError, Sessions};
