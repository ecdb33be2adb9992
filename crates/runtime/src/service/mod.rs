//! What callers ask of stored things: sessions, approvals, calls that wait for a client, runs of tasks.
//!
//! The rules are the contract's; a service reads, decides by them and writes through the ports.

mod approvals;
pub mod client_tools;
mod decisions;
mod error;
mod sessions;
pub mod tasks;

pub use approvals::{
    ActionHandler, ActionResolver, ApprovalDesk, HandledAction, Permission, ResolveCall, ResolvedAction,
};
pub use decisions::{DecideError, Decision, decide};
pub use error::ServiceError;
pub use sessions::{SessionDesk, SessionStore};
