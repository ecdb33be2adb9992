//! Tools a client runs: nobody here executes them, they wait for the client.

use std::sync::Arc;

use provost_contract::json::Object;
use provost_contract::tool::RuntimeToolRequest;
use serde_json::{Value, json};

use crate::port::{Boxed, DeclaredExecutor, ExecutorError, Recalled, ToolAction, ToolExecutor};

const PENDING: &str = "runtime_tool_pending";
const WAITING: &str = "Client tool execution is pending.";

/// Lets calls of a client's tools wait, and hands every other call on.
pub struct ClientRouter(pub Arc<dyn ToolExecutor>);

impl ToolExecutor for ClientRouter {
    fn execute<'a>(&'a self, action: ToolAction<'a>) -> Boxed<'a, Result<Value, ExecutorError>> {
        if !is_clients(action) {
            return self.0.execute(action);
        }
        Box::pin(async move { waiting(action) })
    }

    fn prepare(&self, action: ToolAction<'_>) -> Option<String> {
        if is_clients(action) { None } else { self.0.prepare(action) }
    }

    fn release(&self, run: &str) {
        self.0.release(run);
    }

    fn end_earlier<'a>(&'a self, process: &'a str) -> Boxed<'a, Result<(), String>> {
        self.0.end_earlier(process)
    }

    fn preview<'a>(&'a self, action: ToolAction<'a>) -> Boxed<'a, Option<Value>> {
        if is_clients(action) { Box::pin(async { None }) } else { self.0.preview(action) }
    }

    /// A request that waits under its id is the same request: asking the client again repeats nothing.
    fn recall<'a>(&'a self, action: ToolAction<'a>) -> Boxed<'a, Recalled> {
        if is_clients(action) { Box::pin(async { Recalled::NotDone }) } else { self.0.recall(action) }
    }
}

fn is_clients(action: ToolAction<'_>) -> bool {
    action.executor == DeclaredExecutor::Client
}

fn waiting(action: ToolAction<'_>) -> Result<Value, ExecutorError> {
    let (call, name) = (action.call, action.call.tool_name());
    let id = call.id().unwrap_or_default();
    let request = RuntimeToolRequest::from_tool_call(
        name,
        id,
        call.parameters.clone(),
        action.context,
        action.runtime,
        Object::new(),
    )?;
    Ok(json!({
        "success": false,
        "tool_name": name,
        "error": WAITING,
        "status": PENDING,
        "runtime_tool_request": request.to_value(),
    }))
}
