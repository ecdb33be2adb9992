//! Who called, when agents call agents: the claims of a request from another host, and how deep the
//! chain of calls is.
//!
//! This is reading only. Whether a claim is trusted is the host's decision; a malformed one is refused,
//! never repaired.

mod context;
mod headers;
mod host;

pub use context::{CallerContext, RemoteCaller};
pub use headers::MaxChainDepth;

const CODE: &str = "invalid_agent_caller_context";
