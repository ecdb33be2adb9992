//! What an action came to.

use serde::Serialize;
use serde_json::{Value, json};
use strum::{EnumString, IntoStaticStr, VariantArray};

use super::{ActionStatus, CODE};
use crate::json::{self as read, Object};
use crate::{ContractError, Result};

/// Why an action was blocked or canceled, for machines; `error` says it to people.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, EnumString, IntoStaticStr, VariantArray)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum OutcomeReason {
    /// A dependency did not complete.
    DependencyNotCompleted,
    /// A policy or a person said no.
    Denied,
    /// It was started and nobody knows how it ended.
    InDoubt,
    /// Its `when` did not hold.
    ConditionNotMet,
    /// Another action failed and aborts the run.
    Aborted,
    /// A user or client canceled.
    CanceledByUser,
}

/// The end of one action, or its waiting for somebody.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// Neither pending nor running.
    status: ActionStatus,
    /// Text or JSON; null when there is none.
    pub output: Value,
    /// The executor's own summary.
    pub summary: Option<String>,
    /// What went wrong, for a reader.
    pub error: Option<String>,
    /// Chosen pieces of the output.
    pub excerpts: Vec<String>,
    /// Why it was blocked or canceled.
    pub reason: Option<OutcomeReason>,
    /// Calls made on the way; for the record, never for the model.
    pub internal_calls: Vec<Value>,
    /// Progress told on the way; for people, never for the model.
    pub progress: Vec<Value>,
}

impl Outcome {
    /// An outcome with a status and nothing else.
    pub fn new(status: ActionStatus) -> Self {
        debug_assert!(has_outcome(status), "pending and running actions have no outcome yet");
        Self {
            status,
            output: Value::Null,
            summary: None,
            error: None,
            excerpts: Vec::new(),
            reason: None,
            internal_calls: Vec::new(),
            progress: Vec::new(),
        }
    }

    /// The status.
    pub fn status(&self) -> ActionStatus {
        self.status
    }

    /// Reads `{status, output?, summary?, error?, excerpts?, reason?, internal_calls?, progress?}`.
    pub fn parse(value: &Value) -> Result<Self> {
        let Some(raw) = value.as_object() else {
            return Err(ContractError::whole(CODE, "outcome must be an object"));
        };
        let status = read::word(CODE, "status", raw.get("status").unwrap_or(&Value::Null))?;
        if !has_outcome(status) {
            return Err(ContractError::field(CODE, "status", "must not be pending or running in an outcome"));
        }
        let reason = read::present(raw, "reason").map(|word| read::word(CODE, "reason", word)).transpose()?;
        let values = |key| read::list(raw, key).cloned().unwrap_or_default();
        Ok(Self {
            output: raw.get("output").cloned().unwrap_or_default(),
            summary: read::text(raw, "summary").map(str::to_owned),
            error: read::text(raw, "error").map(str::to_owned),
            excerpts: read::present(raw, "excerpts")
                .map(|list| read::texts(CODE, "excerpts", list))
                .transpose()?
                .unwrap_or_default(),
            reason,
            internal_calls: values("internal_calls"),
            progress: values("progress"),
            ..Self::new(status)
        })
    }

    /// The wire form; what is absent is left out.
    pub fn to_value(&self) -> Value {
        let mut wire = Object::new();
        wire.insert("status".into(), json!(self.status));
        let mut put = |key: &str, value: Value| {
            let empty = value.is_null() || value.as_array().is_some_and(Vec::is_empty);
            if !empty {
                wire.insert(key.into(), value);
            }
        };
        put("output", self.output.clone());
        put("summary", json!(self.summary));
        put("error", json!(self.error));
        put("excerpts", json!(self.excerpts));
        put("reason", json!(self.reason));
        put("internal_calls", json!(self.internal_calls));
        put("progress", json!(self.progress));
        Value::Object(wire)
    }
}

fn has_outcome(status: ActionStatus) -> bool {
    match status {
        ActionStatus::Pending | ActionStatus::Running => false,
        ActionStatus::Waiting
        | ActionStatus::Completed
        | ActionStatus::Failed
        | ActionStatus::Blocked
        | ActionStatus::Canceled => true,
    }
}
