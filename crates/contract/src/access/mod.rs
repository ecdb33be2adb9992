//! Who may reach what: role grants, bearer tokens, and the ceilings over what a request may do.
//!
//! These are the records. The decisions over them are in the policy crate.

mod capabilities;
mod ceiling;
mod grant;
mod role;
mod token;

pub use ceiling::CapabilityCeiling;
pub use grant::AccessGrant;
pub use role::Role;
pub use token::{AgentToken, TokenHash};
