//! Asking about runs of tasks, and stopping them.

use std::sync::Arc;

use provost_contract::json::{self, Object};
use provost_contract::task::{TaskResult, TaskStatus};
use provost_contract::{ContractError, loose};
use serde_json::Value;

use super::{TaskCaller, TaskEvents, redacted_view};
use crate::port::{Boxed, Clock, Ids, TaskCancel, TaskRuns};
use crate::service::ServiceError;

/// Somewhere else that knows of runs: an executor that keeps its own.
pub trait TaskLookup: Send + Sync {
    /// Asks it, and gives its answer as it came.
    fn ask<'a>(&'a self, run_id: &'a str, session_id: &'a str) -> Boxed<'a, Result<Value, ContractError>>;
}

/// Dispatches tasks and answers about their runs.
pub struct TaskDesk {
    pub runs: Arc<dyn TaskRuns>,
    pub events: Arc<dyn TaskEvents>,
    pub ids: Arc<dyn Ids>,
    pub clock: Arc<dyn Clock>,
}

/// What came of the wish to stop a run.
#[derive(Clone, Debug, PartialEq)]
pub struct CancelledTask {
    pub result: TaskResult,
    /// Whether it stops or has stopped because somebody wished it.
    pub cancelled: bool,
}

impl CancelledTask {
    /// The wire form.
    pub fn to_value(&self) -> Value {
        let mut wire = json::into_object(self.result.to_value());
        wire.insert("cancelled".into(), self.cancelled.into());
        wire.into()
    }
}

/// Which run is meant: both ids must fit.
struct RunAddress {
    run_id: String,
    session_id: String,
}

impl RunAddress {
    fn parse(input: &Object) -> Result<Self, ServiceError> {
        let text = |key| json::get(input, key).and_then(loose::text).ok_or_else(not_found);
        Ok(Self { run_id: text("run_id")?, session_id: text("session_id")? })
    }

    fn fits(&self, result: &TaskResult) -> bool {
        self.run_id == result.run_id() && self.session_id == result.session_id()
    }
}

impl TaskDesk {
    /// Shows a run: to a manager whole, to its owner without what is not for owners, to nobody else.
    pub async fn get(
        &self,
        input: &Object,
        caller: TaskCaller,
        backend: Option<&dyn TaskLookup>,
    ) -> Result<Value, ServiceError> {
        let address = RunAddress::parse(input)?;
        let found = match backend {
            Some(backend) => Some(asked(backend, &address, "agents_task_run_invalid_status").await?),
            None => self.runs.get(&address.run_id).await?,
        };
        let result = found.filter(|result| address.fits(result)).ok_or_else(not_found)?;
        match (caller.manages, caller.owns(&result)) {
            (true, _) => Ok(result.to_value()),
            (false, true) => Ok(redacted_view(&result)),
            // Whether there is such a run is not for strangers either.
            (false, false) => Err(not_found()),
        }
    }

    /// Asks a run to stop.
    pub async fn cancel(
        &self,
        input: &Object,
        backend: Option<&dyn TaskLookup>,
    ) -> Result<CancelledTask, ServiceError> {
        let address = RunAddress::parse(input)?;
        if let Some(backend) = backend {
            let result = asked(backend, &address, "agents_task_run_invalid_cancel_result").await?;
            let result = Some(result).filter(|result| address.fits(result)).ok_or_else(not_found)?;
            let cancelled = matches!(result.status, TaskStatus::Cancelling | TaskStatus::Cancelled);
            return Ok(CancelledTask { result, cancelled });
        }
        let known = self.runs.get(&address.run_id).await?;
        known.filter(|result| address.fits(result)).ok_or_else(not_found)?;
        match self.runs.cancel(&address.run_id, &self.now()).await? {
            TaskCancel::Unknown => Err(not_found()),
            TaskCancel::Ended(result) => Ok(CancelledTask { result, cancelled: false }),
            TaskCancel::Asked(result) => Ok(CancelledTask { result, cancelled: true }),
        }
    }

    /// Whether a caller may run a task: managers, and whoever runs it as its own.
    pub fn may_run(&self, input: &Object, caller: TaskCaller) -> bool {
        let asserted =
            |key| input.get("session_owner").and_then(|owner| owner.get(key)).and_then(loose::text);
        let runs_as_itself = || {
            caller.owner().is_some_and(|owner| {
                asserted("type").as_deref() == Some(owner.owner_type())
                    && asserted("key").as_deref() == Some(owner.owner_key())
            })
        };
        caller.manages || runs_as_itself()
    }

    /// Whether a caller may ask for results at all.
    pub fn may_get(&self, caller: TaskCaller) -> bool {
        caller.reads
    }

    /// Whether a caller may stop a run: managers, and its owner as it is stored.
    pub async fn may_cancel(&self, input: &Object, caller: TaskCaller) -> Result<bool, ServiceError> {
        if caller.manages {
            return Ok(true);
        }
        let Ok(address) = RunAddress::parse(input) else { return Ok(false) };
        let known = self.runs.get(&address.run_id).await?;
        Ok(known.is_some_and(|result| address.fits(&result) && caller.owns(&result)))
    }
}

async fn asked(
    backend: &dyn TaskLookup,
    address: &RunAddress,
    code: &'static str,
) -> Result<TaskResult, ServiceError> {
    let answer = backend.ask(&address.run_id, &address.session_id).await?;
    let refused = |message: &str| ServiceError::refused(code, message);
    if !answer.is_object() {
        return Err(refused("the answer about a run must be an object"));
    }
    TaskResult::parse(&answer).map_err(|error| refused(error.message()))
}

fn not_found() -> ServiceError {
    let message = "No task run was found for the requested session_id and run_id.";
    ServiceError::refused("agents_task_run_not_found", message)
}
