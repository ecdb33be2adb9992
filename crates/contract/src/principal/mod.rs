//! Who acts: the identity of one run, and the agent an operation is for.
//!
//! A principal grants nothing by itself. It says who asks, how they proved it, and under which ceiling;
//! the policy crate decides.

mod auth_source;
mod effective_agent;
mod execution_principal;
mod kinds;
mod owner;
mod safe_metadata;

pub use auth_source::{AuthSource, AutonomousSources};
pub use effective_agent::{EffectiveAgentQuestion, OwnedAgent};
pub use execution_principal::ExecutionPrincipal;
pub use kinds::{AudienceClaims, RequestScope};
pub use owner::ConversationOwner;

const CODE: &str = "invalid_agent_execution_principal";
