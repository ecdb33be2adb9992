//! One unit of work, whoever asked for it: what is wanted, who may do it, what it came to.
//!
//! A native tool call, a declared graph, a workflow step and a delegated task all become an [`Action`];
//! a native tool call is an action in a graph without edges.

mod condition;
mod context_ref;
mod declared;
mod effects;
mod executor;
mod failure_policy;
mod for_each;
mod id;
mod input;
mod input_ref;
mod input_walk;
mod known_input;
mod observation;
mod outcome;
pub mod policies;
mod prompt;
mod reference;
mod repeat;
mod resource;
mod result_policy;
mod status;

pub use condition::{Condition, ConditionStatus};
pub use context_ref::ContextRef;
pub use declared::Action;
pub use effects::{Idempotency, SideEffect, SideEffects};
pub use executor::{ExecutorRef, ExecutorType, Target};
pub use failure_policy::{FailurePolicy, OnFailure};
pub use for_each::ForEach;
pub use id::ActionId;
pub use input::{InputSlot, Unresolved, input_slots, is_replaced, resolve_input};
pub use input_ref::{InputRef, InputSource};
pub use known_input::KnownInput;
pub use observation::{ContentFormat, Cut, Observation, SummaryLevel};
pub use outcome::{Outcome, OutcomeReason};
pub use prompt::Prompt;
pub use reference::{ActionPart, Reference};
pub use repeat::{Repeat, Until};
pub use resource::{Access, Resource};
pub use result_policy::{ResultPolicy, ReturnToModel};
pub use status::ActionStatus;

/// The code of every shape error in this folder.
const CODE: &str = "invalid_schema";
