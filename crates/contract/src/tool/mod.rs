//! Tools: what is declared, called and answered.

mod alias;
mod audit;
mod call;
mod catalog;
mod declaration;
mod executor_registry;
mod facts;
mod identical_failure;
mod name;
mod parameters;
mod provider_name;
mod repeats;
mod result;
mod runtime_metadata;
mod runtime_tool;
mod source_registry;
mod spin_detector;
mod truncator;

pub use alias::ToolAliases;
pub use audit::{AuditedCall, result_hash, result_summary};
pub use call::ToolCall;
pub use catalog::{CatalogEvent, RejectedTool, ToolCatalog, ToolExecution};
pub use declaration::{ToolDeclaration, ToolExecutor};
pub use executor_registry::ToolExecutorRegistry;
pub use facts::{DuplicatePolicy, OnTimeout, ToolFacts};
pub use identical_failure::{FailureSignature, IdenticalFailureTracker, RepeatedFailure};
pub use name::ToolName;
pub use parameters::{
    Binding, BindingSource, Bindings, Defaults, ParameterRules, RedactedParameters, RequiredCheck,
};
pub use provider_name::{canonical_name, provider_safe_name};
pub use result::{ToolOutcome, ToolResult};
pub use runtime_metadata::RuntimeMetadata;
pub use runtime_tool::{RuntimeToolRequest, RuntimeToolResult, RuntimeToolStatus, RuntimeToolSubmission};
pub use source_registry::{DEFAULT_PRIORITY, GatheredTools, ToolSourceRegistry};
pub use spin_detector::{CallSignature, Spin, SpinDetector};
pub use truncator::{ToolResultTruncator, Truncation};
