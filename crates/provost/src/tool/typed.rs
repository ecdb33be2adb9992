//! A tool as a type of its own.

use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::{Call, ToolError};

/// A tool with typed arguments and a typed result. Its JSON Schema comes from the type of its arguments.
pub trait TypedTool: Send + Sync + 'static {
    /// The arguments.
    type Input: DeserializeOwned + JsonSchema + Send + 'static;
    /// The result.
    type Output: Serialize + Send + 'static;

    /// The name, `namespace/name`.
    const NAME: &'static str;
    /// What the model is told.
    const DESCRIPTION: &'static str;

    /// Does the work. Dropping the future stops it.
    fn run(
        &self,
        input: Self::Input,
        call: Call,
    ) -> impl Future<Output = Result<Self::Output, ToolError>> + Send;
}
