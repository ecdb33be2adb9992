//! Who asks about runs of tasks, and what that caller may do and see.

use serde_json::Value;

use super::TaskResult;
use super::view::redacted;
use crate::json::{self, Object};
use crate::principal::ConversationOwner;
use crate::{ContractError, Result, UserId, loose};

/// A caller that the server has verified.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TaskCaller {
    /// The user; may be none.
    pub user: UserId,
    /// Whether the caller may run, see and stop every task.
    pub manages: bool,
    /// Whether the caller may ask for results.
    pub reads: bool,
}

impl TaskCaller {
    /// Returns the owner of a run that the caller starts.
    pub fn owner(self) -> Option<ConversationOwner> {
        let user = Some(self.user).filter(|user| user.is_somebody())?;
        ConversationOwner::new("user", user.to_string()).ok()
    }

    /// Returns whether a run is the caller's own. A run without an owner is nobody's own.
    pub fn owns(self, result: &TaskResult) -> bool {
        self.owner().is_some_and(|owner| result.owner.as_ref() == Some(&owner))
    }

    /// Returns whether the caller may run a task: as a manager, or as its own.
    pub fn may_run(self, input: &Object) -> bool {
        let asserted =
            |key| input.get("session_owner").and_then(|owner| owner.get(key)).and_then(loose::text);
        let runs_as_itself = || {
            self.owner().is_some_and(|owner| {
                asserted("type").as_deref() == Some(owner.owner_type())
                    && asserted("key").as_deref() == Some(owner.owner_key())
            })
        };
        self.manages || runs_as_itself()
    }

    /// Returns whether the caller may stop a run, as it is stored.
    pub fn may_cancel(self, stored: Option<&TaskResult>) -> bool {
        self.manages || stored.is_some_and(|result| self.owns(result))
    }

    /// Returns what the caller may see of a run: a manager all of it, its owner what is for owners.
    ///
    /// # Errors
    /// If it is neither. Whether there is such a run is not for strangers either.
    pub fn view(self, result: &TaskResult) -> Result<Value> {
        match (self.manages, self.owns(result)) {
            (true, _) => Ok(result.to_value()),
            (false, true) => Ok(redacted(&result.to_value())),
            (false, false) => Err(TaskAddress::not_found()),
        }
    }
}

/// Which run is meant: both ids must fit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskAddress {
    /// The run.
    pub run_id: String,
    /// Its session.
    pub session_id: String,
}

impl TaskAddress {
    /// Reads an address.
    ///
    /// # Errors
    /// If an id is missing: no run is found under it.
    pub fn parse(input: &Object) -> Result<Self> {
        let text = |key| json::get(input, key).and_then(loose::text).ok_or_else(Self::not_found);
        Ok(Self { run_id: text("run_id")?, session_id: text("session_id")? })
    }

    /// Passes on the result that the address means.
    ///
    /// # Errors
    /// If there is none, or it is another run's.
    pub fn of(&self, found: Option<TaskResult>) -> Result<TaskResult> {
        let fits =
            |found: &TaskResult| self.run_id == found.run_id() && self.session_id == found.session_id();
        found.filter(fits).ok_or_else(Self::not_found)
    }

    /// The refusal of an address under which there is no run.
    pub fn not_found() -> ContractError {
        let message = "No task run was found for the requested session_id and run_id.";
        ContractError::with_message("agents_task_run_not_found", message)
    }
}
