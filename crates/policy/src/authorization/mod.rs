//! Who is let in, and what they may do: bearer tokens, capability ceilings, roles on agents.
//!
//! Everything is denied until a rule allows it. A token never gives more than its owner may do, and a
//! deny-list beats every allow-list.

mod agent_access;
mod authenticate;
mod capability;
mod ceiling;

pub use agent_access::{AccessQuestion, Grants, PublicAudience, access_audiences, can_access_agent};
pub use authenticate::{Admission, Authenticator, BearerRequest, Refusal};
pub use capability::can;
pub use ceiling::{AutonomousDenials, EffectiveCeiling, ceiling_allows, effective_ceiling};

use strum::IntoStaticStr;

/// What decides over a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum Layer {
    /// The bearer token itself.
    Token,
    /// The claims of a calling agent.
    CallerContext,
    /// The capability ceiling of the request.
    Ceiling,
    /// The capabilities of the user behind it.
    User,
    /// The role a grant gives.
    Grant,
    /// The host's own decision.
    Host,
}
