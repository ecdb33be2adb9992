//! The parameters of a tool: where each comes from, which must be there, what a model may see of their
//! schema and what anybody may see of their values.

mod binding;
mod defaults;
mod json_schema;
mod model_schema;
mod redact;
mod required;
mod rules;
mod schema;
mod survey;

pub use binding::{Binding, BindingSource, Bindings};
pub use defaults::Defaults;
pub use redact::RedactedParameters;
pub use required::RequiredCheck;
pub use rules::ParameterRules;

#[cfg(test)]
mod rules_tests;

/// The code of every refused binding or default.
const CODE: &str = "invalid_parameter_bindings";
