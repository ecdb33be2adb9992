//! The policies a declaration may carry beside its actions: types, defaults, and the merge of layers.
//!
//! Every policy is optional on the runtime, the agent, the envelope and the action. The strictest value
//! wins, so a model can narrow what it may do and never widen it.

mod budget;
mod effective;
mod layers;
#[cfg(test)]
mod merge_tests;
mod rule;
mod sets;
mod visibility;
mod words;

pub use budget::BudgetPolicy;
pub use effective::{Effective, Policies};
pub use layers::{Layer, Merged};
pub use rule::Policy;
pub use sets::{Allowed, Required};
pub use visibility::{Audience, DataVisibility};
pub use words::{
    CancellationPolicy, ConflictResolution, OutcomePart, PartialResults, PermissionPolicy, ProjectedField,
    ResultGranularity, SchemaEvolution,
};

/// The code of every shape error in this folder.
const CODE: &str = "invalid_schema";
