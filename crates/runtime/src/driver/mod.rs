//! The driver: performs the steps of one run, and writes down what came of them.
//!
//! It decides nothing. Every answer goes through `engine::decide`, every event is written before anything
//! it allows is done, and whoever watches is told afterwards.

mod answers;
mod client_router;
mod guard;
mod held_session;
mod host;
mod in_flight;
mod known_tools;
mod perform;
mod recover;
mod row;
mod run;
mod secrets;
mod start;
mod writer;

pub use client_router::ClientRouter;
pub use host::{ContinueBy, Executors, Host};
pub use recover::{RecoverError, Recovered, recover};
pub use row::run_row;
pub use run::{Finished, Reopen, Resume, Run, RunError};
pub use start::Start;
