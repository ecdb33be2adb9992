//! Tools that note how each call went, for the live view.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use provost_contract::json;
use provost_models::Masks;
use provost_runtime::port::{Boxed, Clock, ExecutorError, Recalled, ToolAction, ToolExecutor};
use provost_tools::Tools;
use serde_json::Value;

use super::guard::Guard;

/// What is known of a call that ended: how long it took, and one line.
#[derive(Clone, Debug)]
pub(super) struct Ended {
    pub(super) ms: i64,
    pub(super) summary: String,
}

/// Calls that ended, by their ids.
#[derive(Clone, Default)]
pub(super) struct Notes(Arc<Mutex<HashMap<String, Ended>>>);

impl Notes {
    pub(super) fn take(&self, call: &str) -> Option<Ended> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(call)
    }

    fn put(&self, call: &str, ended: Ended) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(call.to_owned(), ended);
    }
}

/// Tools, watched. Nothing is changed on the way but keys of the host, which are masked.
pub(super) struct Watched {
    pub(super) tools: Tools,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) notes: Notes,
    pub(super) guard: Option<Arc<Guard>>,
    /// What no result may hold.
    pub(super) masks: Masks,
}

impl Watched {
    /// A reply without the keys of the host. Every record and every request is made of it.
    fn masked(&self, reply: Result<Value, ExecutorError>) -> Result<Value, ExecutorError> {
        match reply {
            Ok(reply) => Ok(self.masks.value(reply)),
            Err(ExecutorError::Failed(error)) => Err(ExecutorError::Failed(self.masks.text(error))),
            Err(error) => Err(error),
        }
    }
}

impl ToolExecutor for Watched {
    fn execute<'a>(&'a self, action: ToolAction<'a>) -> Boxed<'a, Result<Value, ExecutorError>> {
        Box::pin(async move {
            let began_ms = self.clock.now_ms();
            let reply = self.masked(self.tools.execute(action).await);
            if let Some(guard) = self.guard.as_ref().filter(|_| runs_programs(action.call.tool_name())) {
                guard.check(action.context).await;
            }
            let ms = self.clock.now_ms().saturating_sub(began_ms);
            let call = json::text(action.context, "tool_call_id").unwrap_or_default();
            // A question that was handed over has not ended.
            if !waits(&reply) {
                self.notes.put(call, Ended { ms, summary: summary(&reply) });
            }
            reply
        })
    }

    fn prepare(&self, action: ToolAction<'_>) -> Option<String> {
        self.tools.prepare(action)
    }

    fn release(&self, run: &str) {
        self.tools.release(run);
    }

    fn end_earlier<'a>(&'a self, process: &'a str) -> Boxed<'a, Result<(), String>> {
        self.tools.end_earlier(process)
    }

    fn preview<'a>(&'a self, action: ToolAction<'a>) -> Boxed<'a, Option<Value>> {
        Box::pin(async move {
            let preview = ToolExecutor::preview(&self.tools, action).await?;
            Some(self.masks.value(preview))
        })
    }

    fn recall<'a>(&'a self, action: ToolAction<'a>) -> Boxed<'a, Recalled> {
        Box::pin(async move {
            match self.tools.recall(action).await {
                Recalled::Done(reply) => Recalled::Done(self.masks.value(reply)),
                unknown @ (Recalled::Unknown | Recalled::NotDone) => unknown,
            }
        })
    }
}

/// Whether a tool starts programs, which can write anywhere their user can.
pub(super) fn runs_programs(tool: &str) -> bool {
    !tool.starts_with("fs/") && !matches!(tool, "http/get" | "human/ask")
}

fn waits(reply: &Result<Value, ExecutorError>) -> bool {
    let status = reply.as_ref().ok().and_then(|reply| reply.get("status"));
    status.and_then(Value::as_str) == Some("runtime_tool_pending")
}

fn summary(reply: &Result<Value, ExecutorError>) -> String {
    match reply {
        Ok(reply) => {
            let said = reply.pointer("/metadata/summary").or_else(|| reply.get("error"));
            said.and_then(Value::as_str).unwrap_or_default().to_owned()
        }
        Err(error) => error.to_string(),
    }
}
