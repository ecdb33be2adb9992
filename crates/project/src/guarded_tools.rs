//! Tools whose replies are masked, and after which the governing files are checked.

use std::sync::Arc;

use provost_models::Masks;
use provost_runtime::port::{Boxed, ExecutorError, Recalled, Report, ReportSink, ToolAction, ToolExecutor};
use provost_tools::Tools;
use serde_json::Value;

use crate::guard::Guard;

/// Tools with a guard. Replies are unchanged except for keys of the host, which are masked.
pub(crate) struct GuardedTools {
    pub tools: Tools,
    pub guard: Option<Arc<Guard>>,
    /// The values to mask.
    pub masks: Masks,
}

impl GuardedTools {
    /// Returns a reply without the keys of the host. All records and requests are built from it.
    fn masked(&self, reply: Result<Value, ExecutorError>) -> Result<Value, ExecutorError> {
        match reply {
            Ok(reply) => Ok(self.masks.value(reply)),
            Err(ExecutorError::Failed(error)) => Err(ExecutorError::Failed(self.masks.text(error))),
            Err(error) => Err(error),
        }
    }

    /// A report that forwards everything except the keys of the host.
    fn masked_report(&self, report: &Report) -> Report {
        Report::new(Arc::new(MaskedReport { report: report.clone(), masks: self.masks.clone() }))
    }
}

/// Masks the keys of the host in what a tool streams. Programs stream whole lines, so that no key is split.
struct MaskedReport {
    report: Report,
    masks: Masks,
}

impl ReportSink for MaskedReport {
    fn output(&self, text: &str) {
        self.report.output(&self.masks.text(text.to_owned()));
    }

    fn progress(&self, title: &str, done: u64, of: Option<u64>) {
        self.report.progress(&self.masks.text(title.to_owned()), done, of);
    }
}

impl ToolExecutor for GuardedTools {
    fn execute<'a>(&'a self, action: ToolAction<'a>) -> Boxed<'a, Result<Value, ExecutorError>> {
        Box::pin(async move {
            let report = self.masked_report(action.report);
            let reply = self.masked(self.tools.execute(ToolAction { report: &report, ..action }).await);
            if let Some(guard) = self.guard.as_ref().filter(|_| runs_programs(action.call.tool_name())) {
                guard.check(action.context).await;
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

/// Returns whether a tool starts programs, which can write wherever their user can.
pub(crate) fn runs_programs(tool: &str) -> bool {
    !tool.starts_with("fs/") && !matches!(tool, "http/get" | "human/ask")
}
