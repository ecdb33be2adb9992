//! A tool implemented by a type.

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::{Call, EffectStatus, ToolError, ToolReply};

/// A tool with typed arguments and a typed result. Its JSON Schema comes from the type of its arguments.
///
/// ```
/// use provost::{Call, Tool, ToolError, TypedTool};
///
/// #[derive(serde::Deserialize, provost::JsonSchema)]
/// struct Query { text: String }
///
/// struct Find { pages: Vec<String> }
///
/// impl TypedTool for Find {
///     type Input = Query;
///     type Output = Vec<String>;
///     const NAME: &'static str = "kb/find";
///     const DESCRIPTION: &'static str = "Finds pages.";
///
///     async fn run(&self, query: Query, _call: Call) -> Result<Vec<String>, ToolError> {
///         Ok(self.pages.iter().filter(|page| page.contains(&query.text)).cloned().collect())
///     }
/// }
/// let tool = Tool::typed(Find { pages: vec!["beds".to_owned()] }).reads();
/// assert_eq!(tool.name(), "kb/find");
/// ```
pub trait TypedTool: Send + Sync + 'static {
    /// The arguments.
    type Input: DeserializeOwned + JsonSchema + Send + 'static;
    /// The result.
    type Output: ToolReply;

    /// The name, `namespace/name`.
    const NAME: &'static str;
    /// The description that the model reads.
    const DESCRIPTION: &'static str;

    /// Runs the call. Dropping the future stops it.
    fn run(
        &self,
        input: Self::Input,
        call: Call,
    ) -> impl Future<Output = Result<Self::Output, ToolError>> + Send;

    /// Returns a preview of a call, for the approver. It must not change anything. An error means that the call
    /// would fail: then no one is asked, and the model reads the error.
    fn preview(&self, input: Self::Input) -> impl Future<Output = Result<Option<Value>, ToolError>> + Send {
        drop(input);
        async { Ok(None) }
    }

    /// Finds out by its key whether a call took effect before its process died.
    fn probe_effect(&self, input: Self::Input, call: Call) -> impl Future<Output = EffectStatus> + Send {
        drop((input, call));
        async { EffectStatus::Unknown }
    }
}
