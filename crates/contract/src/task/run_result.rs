//! A task's result as the envelope every kind of run shares.

use serde_json::json;

use super::{TaskResult, TaskStatus};
use crate::json::{self, Object};
use crate::run::{ResultStatus, RunResult, artifact_refs};

impl From<TaskStatus> for ResultStatus {
    fn from(status: TaskStatus) -> Self {
        match status {
            TaskStatus::Queued => Self::Queued,
            TaskStatus::Running => Self::Running,
            TaskStatus::Cancelling => Self::Cancelling,
            TaskStatus::Cancelled => Self::Cancelled,
            TaskStatus::Succeeded => Self::Succeeded,
            TaskStatus::Failed => Self::Failed,
        }
    }
}

impl From<&TaskResult> for RunResult {
    /// What only tasks have goes into the metadata, where the task's own wins.
    fn from(task: &TaskResult) -> Self {
        let mut metadata = json::into_object(json!({
            "session_id": task.session_id(),
            "executor_id": task.executor_id(),
            "execution_metrics": task.execution_metrics.to_value(),
            "diagnostics": task.diagnostics,
            "events": task.events,
        }));
        metadata.extend(task.metadata.clone());
        Self {
            run_id: task.run_id().to_owned(),
            status: task.status.into(),
            outputs: task.output.as_object().cloned().unwrap_or_default(),
            artifact_refs: artifact_refs(&task.artifact_refs.clone().into()),
            provenance: task.provenance.clone(),
            timestamps: timestamps(task),
            metadata,
            ..Self::default()
        }
    }
}

fn timestamps(task: &TaskResult) -> Object {
    let stamps = [("started_at", &task.started_at), ("updated_at", &task.updated_at)];
    let known = stamps.into_iter().filter(|(_, stamp)| !stamp.is_empty());
    known.map(|(key, stamp)| (key.to_owned(), stamp.as_str().into())).collect()
}
