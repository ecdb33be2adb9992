//! Steps against one desk of tasks, with a handler and backends that follow the script.

use std::sync::{Arc, Mutex, PoisonError};

use provost_contract::task::{Target, TaskInput};
use provost_contract::{ContractError, UserId};
use provost_runtime::memory::{ManualClock, Storage};
use provost_runtime::port::Boxed;
use provost_runtime::service::tasks::{
    TaskCaller, TaskDesk, TaskEvents, TaskHandler, TaskHandlers, TaskLookup,
};
use provost_runtime::system::HashedIds;
use serde_json::{Value, json};

use crate::conformance::areas::{Answer, input, list, object, text, unknown_operation};

const NOW_MS: i64 = 1_780_000_000_000;

pub(super) async fn run(case: &Value) -> Answer {
    let clock = Arc::new(ManualClock::at(NOW_MS));
    let events = Arc::new(Heard::default());
    let ids = Arc::new(HashedIds::from_seed(1, clock.clone()));
    let desk = TaskDesk { runs: Storage::new(), events: events.clone(), ids, clock };
    let mut steps = Vec::new();
    for each in list(case, "steps") {
        steps.push(match step(&desk, input(case, "targets"), each).await {
            Ok(answer) => json!({ "ok": answer }),
            Err(error) => json!({ "error": error }),
        });
    }
    Ok(json!({ "steps": steps, "events": events.0.lock().unwrap_or_else(PoisonError::into_inner).clone() }))
}

async fn step(desk: &TaskDesk, targets: &Value, step: &Value) -> Answer {
    let (asked, caller) = (object(step, "input"), caller(input(step, "user")));
    let backend = |key| Scripted::of(input(step, "backend").get(key));
    let answer = match text(step, "op") {
        "run" => {
            let handlers = Handlers(Scripted::of(step.get("handler")));
            desk.run(&asked, caller, targets, &handlers).await.map(|result| result.to_value())
        }
        "get" => {
            let backend = backend("status");
            desk.get(&asked, caller, backend.as_ref().map(|it| it as &dyn TaskLookup)).await
        }
        "cancel" => {
            let backend = backend("cancel");
            let cancelled = desk.cancel(&asked, backend.as_ref().map(|it| it as &dyn TaskLookup)).await;
            cancelled.map(|cancelled| cancelled.to_value())
        }
        "may_run" => Ok(desk.may_run(&asked, caller).into()),
        "may_get" => Ok(desk.may_get(caller).into()),
        "may_cancel" => desk.may_cancel(&asked, caller).await.map(Value::from),
        op => return unknown_operation(op),
    };
    answer.map_err(|error| error.to_value())
}

fn caller(user: &Value) -> TaskCaller {
    TaskCaller {
        user: UserId::new(input(user, "id").as_u64().unwrap_or_default()),
        manages: input(user, "manager") == &Value::Bool(true),
        reads: input(user, "reader") == &Value::Bool(true),
    }
}

#[derive(Default)]
struct Heard(Mutex<Vec<Value>>);

impl TaskEvents for Heard {
    fn dispatch_failed(&self, reason: &str) {
        let event = json!({ "event": "agents_task_dispatch_failed", "reason": reason });
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(event);
    }
}

/// Answers `{returns}` or `{error: {code, message}}`.
struct Scripted(Value);

impl Scripted {
    fn of(script: Option<&Value>) -> Option<Self> {
        script.filter(|script| !script.is_null()).cloned().map(Self)
    }

    fn answer(&self) -> Boxed<'_, Result<Value, ContractError>> {
        let answer = match self.0.get("error") {
            Some(error) => {
                Err(ContractError::with_message(text(error, "code").to_owned(), text(error, "message")))
            }
            None => Ok(input(&self.0, "returns").clone()),
        };
        Box::pin(async move { answer })
    }
}

impl TaskHandler for Scripted {
    fn run<'a>(&'a self, _: &'a TaskInput, _: &'a Target) -> Boxed<'a, Result<Value, ContractError>> {
        self.answer()
    }
}

impl TaskLookup for Scripted {
    fn ask<'a>(&'a self, _: &'a str, _: &'a str) -> Boxed<'a, Result<Value, ContractError>> {
        self.answer()
    }
}

struct Handlers(Option<Scripted>);

impl TaskHandlers for Handlers {
    fn find(&self, _: &Target) -> Option<&dyn TaskHandler> {
        self.0.as_ref().map(|handler| handler as &dyn TaskHandler)
    }
}
