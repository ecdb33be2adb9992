//! An executor that replies what its script lists for each tool.

use std::collections::BTreeMap;

use provost_runtime::port::{Boxed, ExecutorError, ToolAction, ToolExecutor};
use serde_json::{Value, json};

use super::{Script, thrown};

/// Replies by tool name, or by `*`; a tool in neither gets the default reply.
pub(crate) struct ScriptedExecutor {
    replies: BTreeMap<String, Script>,
    pub(crate) calls: Script,
}

impl ScriptedExecutor {
    pub(crate) fn of(script: &Value) -> Self {
        let listed = script.as_object().into_iter().flatten();
        let replies = listed
            .map(|(tool, replies)| (tool.clone(), Script::of(replies.as_array().map_or(&[], Vec::as_slice))));
        Self { replies: replies.collect(), calls: Script::default() }
    }

    /// The next reply for a tool.
    pub(crate) fn reply(&self, tool: &str) -> Result<Value, ExecutorError> {
        let script = self.replies.get(tool).or_else(|| self.replies.get("*"));
        let reply = script.and_then(Script::take_or_last);
        let reply = reply.unwrap_or_else(|| json!({ "success": true, "result": { "echo": true } }));
        match thrown(&reply) {
            Some(error) => Err(ExecutorError::Failed(error)),
            None => Ok(reply),
        }
    }
}

impl ToolExecutor for ScriptedExecutor {
    fn execute<'a>(&'a self, action: ToolAction<'a>) -> Boxed<'a, Result<Value, ExecutorError>> {
        let mut call = action.call.to_value();
        if let Some(call) = call.as_object_mut() {
            call.insert("turn".into(), action.context.get("turn").cloned().unwrap_or_default());
            call.insert(
                "context_tool_call_id".into(),
                action.context.get("tool_call_id").cloned().unwrap_or_default(),
            );
        }
        self.calls.note(call);
        Box::pin(async move { self.reply(action.call.tool_name()) })
    }
}
