//! The rules of Provost, as pure decisions.
//!
//! Every function here answers with the decision *and* the rule, layer and inputs that made it.
//! Verdicts are ordered by severity, so that deny wins by arithmetic. Nothing here reads a clock,
//! awaits or performs I/O: what a hook, a store or a clock said is handed in.
#![deny(clippy::wildcard_enum_match_arm)]

pub mod action_policy;
mod agent_policy;
pub mod authorization;
mod decision;
mod hook;
pub mod redaction;
pub mod rules;
pub mod tool;
pub mod tool_call_gate;
pub mod tool_tiers;
pub mod visibility;

pub use action_policy::ActionPolicy;
pub use authorization::Authenticator;
pub use decision::{Decision, Explained, PERSON_ONLY, SOURCE, Verdict};
pub use hook::{HookAnswer, HookFailure};
pub use visibility::Visibility;
