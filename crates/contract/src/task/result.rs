//! What came of a task.

use serde::Serialize;
use serde_json::{Value, json};
use strum::{EnumString, IntoStaticStr, VariantArray};

use super::metrics::Metrics;
use crate::json::{self, Object};
use crate::principal::ConversationOwner;
use crate::{ContractError, Result, loose};

const CODE: &str = "invalid_argument";
const SCHEMA: &str = "agents-api/task-result/v1";

/// How far a task is.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, EnumString, IntoStaticStr, VariantArray,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum TaskStatus {
    /// Waiting for its executor.
    Queued,
    /// At work; also whatever a status we do not know may mean.
    #[default]
    Running,
    /// Asked to stop.
    Cancelling,
    /// Stopped.
    Cancelled,
    /// Done.
    Succeeded,
    /// Ended without success.
    Failed,
}

impl TaskStatus {
    /// Reads a status in any case; what is unknown counts as running.
    pub fn parse(value: &Value) -> Self {
        let word = loose::text(value).unwrap_or_default().to_lowercase();
        word.parse().unwrap_or_default()
    }

    /// Whether nothing more will happen.
    pub fn is_terminal(self) -> bool {
        match self {
            Self::Cancelled | Self::Succeeded | Self::Failed => true,
            Self::Queued | Self::Running | Self::Cancelling => false,
        }
    }
}

/// What came of a task, in normal form.
#[derive(Clone, Debug, PartialEq)]
pub struct TaskResult {
    /// Never blank.
    run_id: String,
    /// Never blank.
    session_id: String,
    /// Never blank.
    executor_id: String,
    /// How far it is.
    pub status: TaskStatus,
    /// Whom it belongs to.
    pub owner: Option<ConversationOwner>,
    /// What it cost.
    pub execution_metrics: Metrics,
    /// What it left behind.
    pub artifact_refs: Vec<Value>,
    /// What helps to understand a failure.
    pub diagnostics: Object,
    /// What happened on the way.
    pub events: Vec<Value>,
    /// Where it came from.
    pub provenance: Object,
    /// What it gave.
    pub output: Value,
    /// When it began, in its executor's words.
    pub started_at: String,
    /// When it last changed, in its executor's words.
    pub updated_at: String,
    /// What its executor wants to remember beside it.
    pub metadata: Object,
}

impl TaskResult {
    /// Reads a result; fields we do not know are dropped, ids must be there.
    pub fn parse(value: &Value) -> Result<Self> {
        let none = Object::new();
        let raw = value.as_object().unwrap_or(&none);
        let text = |key: &str| raw.get(key).and_then(loose::text);
        let required = |key: &str| text(key).ok_or_else(|| missing(key));
        let items = |key| json::list(raw, key).cloned().unwrap_or_default();
        let (run_id, session_id) = (required("run_id")?, required("session_id")?);
        let executor_id = required("executor_id")?;
        Ok(Self {
            status: raw.get("status").map(TaskStatus::parse).unwrap_or_default(),
            owner: raw.get("owner").and_then(parse_owner),
            execution_metrics: raw
                .get("execution_metrics")
                .map(|metrics| Metrics::parse(metrics, &executor_id))
                .unwrap_or_default(),
            artifact_refs: items("artifact_refs"),
            diagnostics: json::object_or_empty(raw, "diagnostics"),
            events: items("events"),
            provenance: json::object_or_empty(raw, "provenance"),
            output: raw.get("output").cloned().unwrap_or_default(),
            started_at: text("started_at").unwrap_or_default(),
            updated_at: text("updated_at").unwrap_or_default(),
            metadata: json::object_or_empty(raw, "metadata"),
            run_id,
            session_id,
            executor_id,
        })
    }

    /// The run.
    pub fn run_id(&self) -> &str {
        &self.run_id
    }

    /// The session the run belongs to.
    pub fn session_id(&self) -> &str {
        &self.session_id
    }

    /// The target that ran it.
    pub fn executor_id(&self) -> &str {
        &self.executor_id
    }

    /// The wire form.
    pub fn to_value(&self) -> Value {
        json!({
            "schema": SCHEMA,
            "run_id": self.run_id,
            "session_id": self.session_id,
            "status": self.status,
            "executor_id": self.executor_id,
            "owner": self.owner.as_ref().map_or_else(|| json!({}), ConversationOwner::to_value),
            "execution_metrics": self.execution_metrics.to_value(),
            "artifact_refs": self.artifact_refs,
            "diagnostics": self.diagnostics,
            "events": self.events,
            "provenance": self.provenance,
            "output": self.output,
            "started_at": self.started_at,
            "updated_at": self.updated_at,
            "metadata": self.metadata,
        })
    }
}

fn missing(key: &str) -> ContractError {
    ContractError::with_message(CODE, format!("{key} must be a non-empty string")).about(key)
}

/// Half an owner is none.
fn parse_owner(value: &Value) -> Option<ConversationOwner> {
    let part = |key| value.get(key).and_then(loose::text);
    ConversationOwner::new(part("type")?, part("key")?).ok()
}
