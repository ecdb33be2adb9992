//! A request to run a task.

use serde_json::Value;

use super::placement::Placement;
use crate::json::{self, Object};
use crate::{ContractError, Result, loose};

const CODE: &str = "agents_task_invalid_input";
const SCHEMA: &str = "agents-api/task-input/v1";
/// The keys of a request that its normal form writes itself.
const KEYS: [&str; 8] =
    ["schema", "task", "task_id", "session_id", "run_id", "placement", "client_context", "metadata"];
const TASK_KEYS: [&str; 6] = ["schema", "id", "instructions", "input", "attachments", "metadata"];

/// The ids of a request that names none; made by the caller, for nothing here is random.
#[derive(Clone, Copy, Debug)]
pub struct TaskIds<'a> {
    /// `task_session_` and 32 hex digits.
    pub session_id: &'a str,
    /// `task_run_` and 32 hex digits.
    pub run_id: &'a str,
}

/// What is to be done.
#[derive(Clone, Debug, PartialEq)]
pub struct Task {
    schema: String,
    /// Never blank.
    id: String,
    /// What to do, in words.
    pub instructions: String,
    /// What to do it with: an object or a list.
    pub input: Value,
    /// Things to look at.
    pub attachments: Vec<Value>,
    /// What the caller wants to remember beside it.
    pub metadata: Object,
    /// Fields we do not know, kept for the executor.
    extra: Object,
}

/// A request in normal form.
#[derive(Clone, Debug, PartialEq)]
pub struct TaskInput {
    schema: String,
    /// What is to be done.
    pub task: Task,
    /// Never blank.
    session_id: String,
    /// Never blank.
    run_id: String,
    /// Where it may run.
    pub placement: Placement,
    /// What the client told about itself.
    pub client_context: Object,
    /// What the caller wants to remember beside it.
    pub metadata: Object,
    /// Fields we do not know, kept for the executor.
    extra: Object,
}

impl TaskInput {
    /// Reads a request; only a task without an id is refused.
    pub fn parse(raw: &Object, ids: TaskIds<'_>) -> Result<Self> {
        let text = |key| raw.get(key).and_then(loose::text);
        Ok(Self {
            schema: text("schema").unwrap_or_else(|| SCHEMA.to_owned()),
            task: Task::parse(raw)?,
            session_id: text("session_id").unwrap_or_else(|| ids.session_id.to_owned()),
            run_id: text("run_id").unwrap_or_else(|| ids.run_id.to_owned()),
            // A request without placement hints of its own may carry them at its top level.
            placement: Placement::parse(json::object(raw, "placement").unwrap_or(raw)),
            client_context: json::object_or_empty(raw, "client_context"),
            metadata: json::object_or_empty(raw, "metadata"),
            extra: json::without(raw, &KEYS),
        })
    }

    /// The session the run belongs to.
    pub fn session_id(&self) -> &str {
        &self.session_id
    }

    /// The run to be started.
    pub fn run_id(&self) -> &str {
        &self.run_id
    }

    /// The wire form.
    pub fn to_value(&self) -> Value {
        let mut wire = self.extra.clone();
        wire.insert("schema".into(), self.schema.as_str().into());
        wire.insert("task".into(), self.task.to_value());
        wire.insert("task_id".into(), self.task.id.as_str().into());
        wire.insert("session_id".into(), self.session_id.as_str().into());
        wire.insert("run_id".into(), self.run_id.as_str().into());
        wire.insert("placement".into(), self.placement.to_value());
        wire.insert("client_context".into(), Value::Object(self.client_context.clone()));
        wire.insert("metadata".into(), Value::Object(self.metadata.clone()));
        Value::Object(wire)
    }
}

impl Task {
    /// Reads the task of a request. What it does not say itself, the top level of the request may.
    fn parse(request: &Object) -> Result<Self> {
        let none = Object::new();
        let raw = json::object(request, "task").unwrap_or(&none);
        let id = raw.get("id").and_then(loose::text).or_else(|| request.get("task_id").and_then(loose::text));
        let Some(id) = id else {
            let message = "agents/run-task input must include task.id or task_id.";
            return Err(ContractError::with_message(CODE, message));
        };
        let holders = [raw, request];
        let first = |key: &str, fits: fn(&&Value) -> bool| {
            holders.into_iter().find_map(|holder| holder.get(key).filter(fits))
        };
        let instructions =
            holders.into_iter().find_map(|holder| holder.get("instructions").and_then(loose::text));
        Ok(Self {
            schema: raw.get("schema").and_then(loose::text).unwrap_or_else(|| SCHEMA.to_owned()),
            id,
            instructions: instructions.unwrap_or_default(),
            input: json::container_or_empty(first("input", |input| json::is_container(input))),
            attachments: first("attachments", |list| list.is_array())
                .and_then(Value::as_array)
                .cloned()
                .unwrap_or_default(),
            metadata: json::object_or_empty(raw, "metadata"),
            extra: json::without(raw, &TASK_KEYS),
        })
    }

    /// What names it.
    pub fn id(&self) -> &str {
        &self.id
    }

    fn to_value(&self) -> Value {
        let mut wire = self.extra.clone();
        wire.insert("schema".into(), self.schema.as_str().into());
        wire.insert("id".into(), self.id.as_str().into());
        wire.insert("instructions".into(), self.instructions.as_str().into());
        wire.insert("input".into(), self.input.clone());
        wire.insert("attachments".into(), self.attachments.clone().into());
        wire.insert("metadata".into(), Value::Object(self.metadata.clone()));
        Value::Object(wire)
    }
}
