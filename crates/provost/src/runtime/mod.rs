//! The runtime: everything together, and the doors of a program into it.

mod builder;
mod check;
mod events;
mod handle;
mod outcome;
mod request;
mod start;
mod work;

pub use builder::{BuildError, Builder};
pub use check::Ignored;
pub use events::{Events, Spoken, Told};
pub use handle::RunHandle;
pub use outcome::Outcome;
pub use request::Request;
pub use start::{Runtime, SignalError, StartError};
