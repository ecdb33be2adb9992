//! Tools: what is declared, called and answered.

mod alias;
mod catalog;
mod declaration;
mod name;
mod parameters;
mod provider_name;
mod runtime_metadata;

pub use alias::ToolAliases;
pub use catalog::{CatalogEvent, RejectedTool, ToolCatalog, ToolExecution};
pub use declaration::{ToolDeclaration, ToolExecutor};
pub use name::ToolName;
pub use parameters::{
    Binding, BindingSource, Bindings, Defaults, ParameterRules, RedactedParameters, RequiredCheck,
};
pub use provider_name::{canonical_name, provider_safe_name};
pub use runtime_metadata::RuntimeMetadata;
