//! The single tools of a runtime, as one executor.

use std::collections::BTreeMap;

use provost_runtime::port::{Boxed, ExecutorError, Recalled, ToolAction, ToolExecutor};
use serde_json::{Value, json};

use super::{Call, EffectStatus, Tool};

/// Tools by name.
#[derive(Clone, Default)]
pub(crate) struct Registry(BTreeMap<String, Tool>);

impl Registry {
    /// Adds a tool; returns false if its name is taken.
    pub(crate) fn add(&mut self, tool: Tool) -> bool {
        self.0.insert(tool.name.clone(), tool).is_none()
    }

    /// Returns the declarations by name.
    pub(crate) fn declarations(&self) -> Value {
        let tools = self.0.iter();
        tools.map(|(name, tool)| (name.clone(), Value::Object(tool.declaration.clone()))).collect()
    }

    fn of(&self, action: ToolAction<'_>) -> Option<&Tool> {
        self.0.get(action.call.tool_name())
    }
}

impl ToolExecutor for Registry {
    fn execute<'a>(&'a self, action: ToolAction<'a>) -> Boxed<'a, Result<Value, ExecutorError>> {
        let Some(tool) = self.of(action) else {
            return Box::pin(async { Err(ExecutorError::TargetUnavailable) });
        };
        let work = (tool.body)(action.call.parameters.clone(), Call::of(&action));
        Box::pin(async move { work.await.map_err(|error| ExecutorError::Failed(error.to_string())) })
    }

    fn preview<'a>(&'a self, action: ToolAction<'a>) -> Boxed<'a, Option<Value>> {
        let Some(preview) = self.of(action).and_then(|tool| tool.preview.as_ref()) else {
            return Box::pin(async { None });
        };
        let shown = preview(action.call.parameters.clone());
        Box::pin(async move {
            match shown.await {
                Ok(shown) => shown,
                Err(error) => Some(json!({ "type": "refused", "reason": error.to_string() })),
            }
        })
    }

    fn recall<'a>(&'a self, action: ToolAction<'a>) -> Boxed<'a, Recalled> {
        let Some(probe) = self.of(action).and_then(|tool| tool.probe.as_ref()) else {
            return Box::pin(async { Recalled::Unknown });
        };
        let found = probe(action.call.parameters.clone(), Call::of(&action));
        Box::pin(async move {
            match found.await {
                EffectStatus::Unknown => Recalled::Unknown,
                EffectStatus::NotDone => Recalled::NotDone,
                EffectStatus::Done(result) => Recalled::Done(json!({ "success": true, "result": result })),
            }
        })
    }
}
