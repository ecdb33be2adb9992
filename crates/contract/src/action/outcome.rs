//! What an action came to.

use serde::Serialize;
use serde_json::{Value, json};
use strum::{EnumString, IntoStaticStr, VariantArray};

use super::{ActionStatus, CODE};
use crate::json::{self as read, Object};
use crate::{ContractError, Result};

/// Why an action did not complete, for machines; `error` says it to people.
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
    /// Its loop ended before its goal was reached.
    RoundsExhausted,
    /// A decision left it out.
    Skipped,
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
    /// Structured facts of the tool, such as counts and exit codes; null when it gave none.
    pub native_summary: Value,
    /// The summary of a summariser that read the whole output.
    pub condensed: Option<String>,
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
            native_summary: Value::Null,
            condensed: None,
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

    /// Reads `{status, output?, summary?, native_summary?, condensed?, error?, excerpts?, reason?, …}`.
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
            native_summary: raw.get("native_summary").cloned().unwrap_or_default(),
            condensed: read::text(raw, "condensed").map(str::to_owned),
            error: read::text(raw, "error").map(str::to_owned),
            excerpts: excerpts(raw)?,
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
            if !value.is_null() {
                wire.insert(key.into(), value);
            }
        };
        let listed = |values: &[Value]| if values.is_empty() { Value::Null } else { json!(values) };
        put("output", self.output.clone());
        put("summary", json!(self.summary));
        put("native_summary", self.native_summary.clone());
        put("condensed", json!(self.condensed));
        put("error", json!(self.error));
        if !self.excerpts.is_empty() {
            put("excerpts", json!(self.excerpts));
        }
        put("reason", json!(self.reason));
        put("internal_calls", listed(&self.internal_calls));
        put("progress", listed(&self.progress));
        Value::Object(wire)
    }
}

/// Excerpts are kept as they are: their indentation and repetition may be what matters.
fn excerpts(raw: &Object) -> Result<Vec<String>> {
    let refuse = || ContractError::field(CODE, "excerpts", "must be a list of texts");
    match read::present(raw, "excerpts") {
        None => Ok(Vec::new()),
        Some(Value::Array(items)) => {
            items.iter().map(|item| item.as_str().map(str::to_owned).ok_or_else(refuse)).collect()
        }
        Some(_) => Err(refuse()),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_wire_form_reads_back_as_itself_and_an_empty_list_is_an_output() {
        let wire = json!({
            "status": "blocked",
            "output": [],
            "summary": "s",
            "native_summary": { "matches": 0 },
            "condensed": "c",
            "error": "e",
            "excerpts": ["  x", "", "  x"],
            "reason": "in_doubt",
            "internal_calls": [{ "tool": "fs/read" }],
            "progress": ["20%"],
        });
        assert_eq!(Outcome::parse(&wire).unwrap().to_value(), wire);
    }

    #[test]
    fn what_has_not_ended_has_no_outcome() {
        assert!(Outcome::parse(&json!({ "status": "waiting" })).is_ok());
        assert_eq!(Outcome::parse(&json!({ "status": "running" })).unwrap_err().field_paths(), ["status"]);
    }
}
