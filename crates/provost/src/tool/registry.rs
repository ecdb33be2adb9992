//! The tools of a runtime, as its executor.

use std::collections::BTreeMap;

use provost_contract::json::{self, Object};
use provost_contract::loose;
use provost_runtime::port::{Boxed, ExecutorError, ToolAction, ToolExecutor};
use serde_json::{Value, json};

use super::{Call, Tool};

/// Tools by name.
#[derive(Clone, Default)]
pub(crate) struct Registry(BTreeMap<String, Tool>);

impl Registry {
    /// Adds a tool; false when its name is taken.
    pub(crate) fn add(&mut self, tool: Tool) -> bool {
        self.0.insert(tool.name.clone(), tool).is_none()
    }

    /// The declarations of these tools, or of all.
    pub(crate) fn declarations(&self, names: Option<&[String]>) -> Value {
        let listed = |name: &&String| names.is_none_or(|names| names.contains(*name));
        let tools = self.0.iter().filter(|(name, _)| listed(name));
        tools.map(|(name, tool)| (name.clone(), Value::Object(tool.declaration.clone()))).collect()
    }
}

impl ToolExecutor for Registry {
    fn execute<'a>(&'a self, action: ToolAction<'a>) -> Boxed<'a, Result<Value, ExecutorError>> {
        let Some(tool) = self.0.get(action.call.tool_name()) else {
            return Box::pin(async { Err(ExecutorError::TargetUnavailable) });
        };
        let work = (tool.body)(action.call.parameters.clone(), call_of(&action));
        Box::pin(async move {
            match work.await {
                // Wrapped, so that a result with a key `success` of its own stays a result.
                Ok(result) => Ok(json!({ "success": true, "result": result })),
                Err(error) => Err(ExecutorError::Failed(error.to_string())),
            }
        })
    }
}

fn call_of(action: &ToolAction<'_>) -> Call {
    let context: &Object = action.context;
    Call {
        id: json::text(context, "tool_call_id").unwrap_or_default().to_owned(),
        key: action.key.to_owned(),
        turn: json::get(context, "turn").and_then(loose::integer).unwrap_or_default().unsigned_abs(),
        context: context.clone(),
    }
}
