//! The driver: performs the steps of one run, and writes down what came of them.
//!
//! It decides nothing. Every answer goes through `engine::decide`, every event is written before anything
//! it allows is done, and whoever watches is told afterwards.

mod host;
mod perform;
mod run;
mod start;
mod writer;

pub use host::{ContinueBy, Executors, Host};
pub use run::{Finished, Run, RunError};
pub use start::Start;
