//! The engine of Provost, and the ports through which it reaches the world.
//!
//! `engine` decides, `driver` performs and `worker` holds the claim meanwhile; `port` says what they need and what an adapter promises;
//! `memory` keeps those promises in RAM, `system` with the machine's own clock and randomness; `service`
//! answers callers from what is stored, `session` keeps a run's session for the runs after it. `store` is the one
//! port that takes the place of the storage ports in `port`.

pub mod actor;
pub mod dispatch;
pub mod driver;
pub mod engine;
pub mod host;
mod id;
pub mod memory;
pub mod port;
pub mod process;
mod segments;
pub mod service;
pub mod session;
pub mod store;
pub mod system;
#[cfg(any(test, feature = "contract"))]
pub mod testing;
pub mod verify;
pub mod worker;

pub use id::{RunId, RunIdError};
