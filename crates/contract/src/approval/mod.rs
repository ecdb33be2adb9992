//! Approvals: what a run wants to do, and the decision of whoever must allow it first.

mod decision;
mod message;
mod pending_action;
mod resolution;
mod resolve_request;
mod status;

pub use decision::{Decision, Verdict};
pub use message::approval_message;
pub use pending_action::PendingAction;
pub use resolution::Resolution;
pub use resolve_request::ResolveRequest;
pub use status::PendingActionStatus;
