//! Steps against stored runs of tasks, with a handler and backends that follow the script.

use std::collections::HashMap;

use provost_contract::json::{self, Object};
use provost_contract::task::{
    TargetList, TaskAddress, TaskCaller, TaskIds, TaskInput, TaskResult, TaskStatus, select_target,
};
use provost_contract::{ContractError, Result, UserId};
use serde_json::{Value, json};

use crate::conformance::areas::{Answer, input, list, object, text, unknown_operation};

const NOW: &str = "2026-05-28T20:26:40Z";

pub(super) fn run(case: &Value) -> Answer {
    let mut script = Script::default();
    let mut steps = Vec::new();
    for step in list(case, "steps") {
        steps.push(match script.step(input(case, "targets"), step) {
            Ok(answer) => json!({ "ok": answer }),
            Err(error) => json!({ "error": error }),
        });
    }
    Ok(json!({ "steps": steps, "events": script.events }))
}

#[derive(Default)]
struct Script {
    runs: HashMap<String, TaskResult>,
    /// What observers heard.
    events: Vec<Value>,
    /// How many ids were made.
    made: u64,
}

impl Script {
    fn step(&mut self, targets: &Value, step: &Value) -> Answer {
        let (asked, caller) = (object(step, "input"), caller(input(step, "user")));
        let backend = |key| scripted(input(step, "backend").get(key));
        let answer = match text(step, "op") {
            "run" => self.run(&asked, caller, targets, scripted(step.get("handler"))),
            "get" => self.get(&asked, backend("status")).and_then(|result| caller.view(&result)),
            "cancel" => self.cancel(&asked, backend("cancel")),
            "may_run" => Ok(caller.may_run(&asked).into()),
            "may_get" => Ok(caller.reads.into()),
            "may_cancel" => Ok(caller.may_cancel(self.stored(&asked).ok().as_ref()).into()),
            op => return unknown_operation(op),
        };
        answer.map_err(|error| error.to_value())
    }

    fn stored(&self, asked: &Object) -> Result<TaskResult> {
        let address = TaskAddress::parse(asked)?;
        address.of(self.runs.get(&address.run_id).cloned())
    }

    fn failed(&mut self, reason: &str, code: &'static str, message: &str) -> ContractError {
        self.events.push(json!({ "event": "agents_task_dispatch_failed", "reason": reason }));
        ContractError::with_message(code, message)
    }

    /// Runs a task at the best target. An id is given once; ids, executor and owner are the dispatcher's.
    fn run(
        &mut self,
        asked: &Object,
        caller: TaskCaller,
        targets: &Value,
        handler: Option<Result<Value>>,
    ) -> Result<Value> {
        self.made += 1;
        let (session_id, run_id) =
            (format!("task_session_{:032x}", self.made), format!("task_run_{:032x}", self.made));
        let input = TaskInput::parse(asked, TaskIds { session_id: &session_id, run_id: &run_id })?;
        let targets = TargetList::parse(targets)?;
        let Some(target) = select_target(&targets, &input.placement) else {
            let message = "No agents/run-task executor target is registered for the requested placement.";
            return Err(self.failed("no_handler", "agents_task_no_handler", message));
        };
        let Some(answer) = handler else {
            let message = "No agents/run-task handler is registered for the selected executor target.";
            return Err(self.failed("no_handler", "agents_task_no_handler", message));
        };
        let running = TaskResult::started(&input, target, caller.owner(), NOW)?;
        if self.runs.contains_key(running.run_id()) {
            let message = "The run_id has already been claimed for execution.";
            return Err(ContractError::with_message("agents_task_run_already_started", message));
        }
        self.runs.insert(running.run_id().to_owned(), running.clone());
        let (ended, answer) = self.settle(running, answer)?;
        self.runs.insert(ended.run_id().to_owned(), ended);
        answer
    }

    fn settle(&mut self, running: TaskResult, answer: Result<Value>) -> Result<(TaskResult, Result<Value>)> {
        match answer {
            Ok(answer) => match json::object_from(&answer) {
                Some(answer) => {
                    let result = running.answered(answer, NOW)?;
                    let shown = result.to_value();
                    Ok((result, Ok(shown)))
                }
                None => {
                    let message = "the handler of a task must answer with an object";
                    let error = self.failed("invalid_result", "agents_task_invalid_result", message);
                    Ok((running.failed(Object::new(), NOW), Err(error)))
                }
            },
            Err(error) => {
                let reason = json!({ "event": "agents_task_dispatch_failed", "reason": error.code() });
                self.events.push(reason);
                let diagnostics = json!({ "error_code": error.code(), "error_message": error.message() });
                Ok((running.failed(json::into_object(diagnostics), NOW), Err(error)))
            }
        }
    }

    fn get(&self, asked: &Object, backend: Option<Result<Value>>) -> Result<TaskResult> {
        match backend {
            Some(answer) => answered(asked, answer, "agents_task_run_invalid_status"),
            None => self.stored(asked),
        }
    }

    fn cancel(&mut self, asked: &Object, backend: Option<Result<Value>>) -> Result<Value> {
        let (result, cancelled) = match backend {
            Some(answer) => {
                let result = answered(asked, answer, "agents_task_run_invalid_cancel_result")?;
                let cancelled = matches!(result.status, TaskStatus::Cancelling | TaskStatus::Cancelled);
                (result, cancelled)
            }
            None => {
                let mut result = self.stored(asked)?;
                let cancelled = result.cancel(NOW);
                self.runs.insert(result.run_id().to_owned(), result.clone());
                (result, cancelled)
            }
        };
        let mut wire = json::into_object(result.to_value());
        wire.insert("cancelled".into(), cancelled.into());
        Ok(wire.into())
    }
}

/// What a backend that keeps its own runs answered about one.
fn answered(asked: &Object, answer: Result<Value>, code: &'static str) -> Result<TaskResult> {
    let address = TaskAddress::parse(asked)?;
    let answer = answer?;
    let refused = |message: &str| ContractError::with_message(code, message);
    if !answer.is_object() {
        return Err(refused("the answer about a run must be an object"));
    }
    let result = TaskResult::parse(&answer).map_err(|error| refused(error.message()))?;
    address.of(Some(result))
}

fn caller(user: &Value) -> TaskCaller {
    TaskCaller {
        user: UserId::new(input(user, "id").as_u64().unwrap_or_default()),
        manages: input(user, "manager") == &Value::Bool(true),
        reads: input(user, "reader") == &Value::Bool(true),
    }
}

/// What a script answers: `{returns}` or `{error: {code, message}}`; none without a script.
fn scripted(script: Option<&Value>) -> Option<Result<Value>> {
    let script = script.filter(|script| !script.is_null())?;
    Some(match script.get("error") {
        Some(error) => {
            Err(ContractError::with_message(text(error, "code").to_owned(), text(error, "message")))
        }
        None => Ok(input(script, "returns").clone()),
    })
}
