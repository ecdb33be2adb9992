//! The result of a task from its dispatch to its end.

use serde_json::json;

use super::{Target, TaskInput, TaskResult, TaskStatus};
use crate::Result;
use crate::json::Object;
use crate::principal::ConversationOwner;

impl TaskResult {
    /// Returns the result of a task that was just handed to an executor.
    ///
    /// # Errors
    /// If an id is blank.
    pub fn started(
        input: &TaskInput,
        target: &Target,
        owner: Option<ConversationOwner>,
        now: &str,
    ) -> Result<Self> {
        let mut running = Self::parse(&json!({
            "run_id": input.run_id(), "session_id": input.session_id(), "executor_id": target.id(),
            "status": TaskStatus::Running, "started_at": now, "updated_at": now,
        }))?;
        running.owner = owner;
        Ok(running)
    }

    /// Returns what the executor answered, under our own ids and owner.
    ///
    /// # Errors
    /// If the answer is no result.
    pub fn answered(&self, mut answer: Object, now: &str) -> Result<Self> {
        let ids = [
            ("run_id", self.run_id()),
            ("session_id", self.session_id()),
            ("executor_id", self.executor_id()),
        ];
        for (key, id) in ids {
            answer.insert(key.into(), id.into());
        }
        let mut result = Self::parse(&answer.into())?;
        result.owner.clone_from(&self.owner);
        if result.started_at.is_empty() {
            result.started_at.clone_from(&self.started_at);
        }
        if result.updated_at.is_empty() {
            now.clone_into(&mut result.updated_at);
        }
        Ok(result)
    }

    /// Returns the result of a task whose executor failed.
    #[must_use]
    pub fn failed(mut self, diagnostics: Object, now: &str) -> Self {
        self.status = TaskStatus::Failed;
        self.diagnostics = diagnostics;
        now.clone_into(&mut self.updated_at);
        self
    }

    /// Asks a task to stop that has not ended; returns whether it is asked.
    pub fn cancel(&mut self, now: &str) -> bool {
        if self.status.is_terminal() {
            return false;
        }
        self.status = TaskStatus::Cancelling;
        now.clone_into(&mut self.updated_at);
        true
    }
}
