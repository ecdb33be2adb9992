//! Works on runs: what the engine decides is performed here, and what happened is stored.
//!
//! `host` performs the effects of runs with the parts of a host, whose traits are in `port`; `actor` is the loop
//! of one run, `dispatch` works on many and holds the doors to them; `store` is the one port for storage, with a
//! store in RAM; `verify` checks what is stored; `system` has the machine's own clock and randomness.

pub mod actor;
pub mod dispatch;
pub mod host;
pub mod port;
pub mod process;
pub mod store;
pub mod system;
#[cfg(any(test, feature = "contract"))]
pub mod testing;
pub mod verify;

pub use provost_engine::RunId;
