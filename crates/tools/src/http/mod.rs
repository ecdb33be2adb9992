//! `http/get`: reading an address, if its host is on a list.
//!
//! Three things are checked at every step of the way, redirects included: the scheme and host against the
//! list, the address a name turned out to have, and how much comes back. The address that was checked is the
//! one that is connected to, so a name that changes its address in between gains nothing.

mod access;
mod address;
mod error;
mod fetch;
mod get;
mod host_rule;
mod resolver;

pub use access::{HttpAccess, HttpLimits};
pub(crate) use get::Get;
pub use host_rule::{HostRule, HostRuleError};
