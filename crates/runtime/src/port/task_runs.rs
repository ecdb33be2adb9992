//! Runs of tasks, and what came of them.

use provost_contract::task::{TaskResult, TaskStatus};

use super::{Boxed, Fault};

/// What became of the wish to stop a run.
#[derive(Clone, Debug, PartialEq)]
pub enum TaskCancel {
    /// Nobody started it.
    Unknown,
    /// It had ended; it is as it was.
    Ended(TaskResult),
    /// It is asked to stop.
    Asked(TaskResult),
}

impl TaskCancel {
    /// Asks a run to stop, if it has not ended.
    pub fn ask(stored: Option<&mut TaskResult>, updated_at: &str) -> Self {
        match stored {
            None => Self::Unknown,
            Some(result) if result.status.is_terminal() => Self::Ended(result.clone()),
            Some(result) => {
                result.status = TaskStatus::Cancelling;
                result.updated_at = updated_at.to_owned();
                Self::Asked(result.clone())
            }
        }
    }
}

/// Runs of tasks by their ids. An id is given once, for ever, whatever came of its run.
pub trait TaskRuns: Send + Sync {
    /// Starts a run under its id; false when the id was ever claimed.
    fn claim(&self, running: TaskResult) -> Boxed<'_, Result<bool, Fault>>;

    /// What is known of a run.
    fn get<'a>(&'a self, run_id: &'a str) -> Boxed<'a, Result<Option<TaskResult>, Fault>>;

    /// Replaces what is known of a claimed run; false when nobody claimed it.
    fn put(&self, result: TaskResult) -> Boxed<'_, Result<bool, Fault>>;

    /// Asks a run to stop.
    fn cancel<'a>(&'a self, run_id: &'a str, updated_at: &'a str) -> Boxed<'a, Result<TaskCancel, Fault>>;
}
