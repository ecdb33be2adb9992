//! Agents: what is declared about them, where declarations are found, and the records a host makes of them.
//!
//! Declaring an agent starts nothing and stores nothing.

mod definition;
mod identity;
mod installed;
mod instance_key;
mod materialization;
mod registry;
mod runtime_overrides;

pub use definition::AgentDefinition;
pub use identity::{AgentIdentity, IdentityScope};
pub use installed::{InstalledAgent, InstalledStatus};
pub use materialization::{MaterializationRequest, Operation};
pub use registry::AgentRegistry;
pub use runtime_overrides::RuntimeOverrides;

/// The code of every refusal here; the message says what was expected.
const CODE: &str = "invalid_argument";
