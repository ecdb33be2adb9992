//! Finding the handler of a task, and taking its answer.

use provost_contract::json::{self, Object};
use provost_contract::task::{Target, TargetList, TaskInput, TaskResult, TaskStatus, select_target};
use provost_contract::{ContractError, timestamp};
use serde_json::{Value, json};

use super::{TaskCaller, TaskDesk};
use crate::port::{Boxed, IdKind};
use crate::service::ServiceError;

const NO_HANDLER: &str = "agents_task_no_handler";

/// Runs tasks at a target.
pub trait TaskHandler: Send + Sync {
    /// Runs a task and answers with what came of it: an object, or a refusal with a code.
    fn run<'a>(&'a self, input: &'a TaskInput, target: &'a Target)
    -> Boxed<'a, Result<Value, ContractError>>;
}

/// The handlers a host registered.
pub trait TaskHandlers: Send + Sync {
    /// The handler of a target.
    fn find(&self, target: &Target) -> Option<&dyn TaskHandler>;
}

/// Hears of dispatches that came to nothing.
pub trait TaskEvents: Send + Sync {
    /// Takes note of why.
    fn dispatch_failed(&self, reason: &str);
}

impl TaskDesk {
    /// Runs a task at the best target there is. The run id is given once, for ever; run, session,
    /// executor and owner of the result are ours, whatever the handler says.
    pub async fn run(
        &self,
        input: &Object,
        caller: TaskCaller,
        targets: &Value,
        handlers: &dyn TaskHandlers,
    ) -> Result<TaskResult, ServiceError> {
        let (session_id, run_id) = (self.ids.make(IdKind::TaskSession), self.ids.make(IdKind::TaskRun));
        let ids = provost_contract::task::TaskIds { session_id: &session_id, run_id: &run_id };
        let input = TaskInput::parse(input, ids)?;
        let targets = TargetList::parse(targets)?;
        let target = select_target(&targets, &input.placement).ok_or_else(|| {
            self.failed(
                "no_handler",
                NO_HANDLER,
                "No agents/run-task executor target is registered for the requested placement.",
            )
        })?;
        let handler = handlers.find(target).ok_or_else(|| {
            self.failed(
                "no_handler",
                NO_HANDLER,
                "No agents/run-task handler is registered for the selected executor target.",
            )
        })?;
        let running = self.started(&input, target, caller)?;
        if !self.runs.claim(running.clone()).await? {
            let message = "The run_id has already been claimed for execution.";
            return Err(ServiceError::refused("agents_task_run_already_started", message));
        }
        let answer = handler.run(&input, target).await;
        self.settle(running, answer).await
    }

    fn failed(&self, reason: &str, code: &'static str, message: &str) -> ServiceError {
        self.events.dispatch_failed(reason);
        ServiceError::refused(code, message)
    }

    fn started(
        &self,
        input: &TaskInput,
        target: &Target,
        caller: TaskCaller,
    ) -> Result<TaskResult, ContractError> {
        let now = self.now();
        let mut running = TaskResult::parse(&json!({
            "run_id": input.run_id(), "session_id": input.session_id(), "executor_id": target.id(),
            "status": TaskStatus::Running, "started_at": now, "updated_at": now,
        }))?;
        running.owner = caller.owner();
        Ok(running)
    }

    async fn settle(
        &self,
        running: TaskResult,
        answer: Result<Value, ContractError>,
    ) -> Result<TaskResult, ServiceError> {
        let (failed, error) = match answer {
            Ok(answer) => match json::object_from(&answer) {
                Some(answer) => {
                    let result = self.answered(&running, answer)?;
                    self.runs.put(result.clone()).await?;
                    return Ok(result);
                }
                None => {
                    let message = "the handler of a task must answer with an object";
                    (Object::new(), self.failed("invalid_result", "agents_task_invalid_result", message))
                }
            },
            Err(error) => {
                self.events.dispatch_failed(error.code());
                let told = json!({ "error_code": error.code(), "error_message": error.message() });
                (json::into_object(told), error.into())
            }
        };
        let mut ended = running;
        ended.status = TaskStatus::Failed;
        ended.diagnostics = failed;
        ended.updated_at = self.now();
        self.runs.put(ended).await?;
        Err(error)
    }

    /// The handler's answer under our own ids and owner.
    fn answered(&self, running: &TaskResult, mut answer: Object) -> Result<TaskResult, ContractError> {
        let ids = [
            ("run_id", running.run_id()),
            ("session_id", running.session_id()),
            ("executor_id", running.executor_id()),
        ];
        for (key, id) in ids {
            answer.insert(key.into(), id.into());
        }
        let mut result = TaskResult::parse(&answer.into())?;
        result.owner = running.owner.clone();
        if result.started_at.is_empty() {
            result.started_at = running.started_at.clone();
        }
        if result.updated_at.is_empty() {
            result.updated_at = self.now();
        }
        Ok(result)
    }

    pub(super) fn now(&self) -> String {
        timestamp::iso8601(self.clock.now_ms().div_euclid(1_000))
    }
}
