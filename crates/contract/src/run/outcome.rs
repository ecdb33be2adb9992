//! The verdict on a run: `{schema, version, status, completed, stop_reason, retryable, …}`, derived from
//! a conversation result and from what its host says of it.

use serde::Serialize;
use serde_json::{Value, json};
use strum::{EnumString, IntoStaticStr, VariantArray};

use super::RunStatus;
use crate::json::{self, Object};
use crate::loose;

const SCHEMA: &str = "agents-api.run-outcome";
const VERSION: u64 = 1;
/// A conversation result's word for a transcript that another run holds.
const LOCK_CONTENTION: &str = "transcript_lock_contention";

/// How a run ended; the wire words are the snake-case names, in the order listed here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, EnumString, IntoStaticStr, VariantArray)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum OutcomeStatus {
    /// It said all it had to say.
    Completed,
    /// Something broke.
    Failed,
    /// It waits for a tool its client runs.
    RuntimeToolPending,
    /// It waits for a person's decision.
    ApprovalRequired,
    /// A budget ran out.
    BudgetExceeded,
    /// It no longer moved.
    Stalled,
    /// It was stopped on request.
    Cancelled,
    /// A message from outside stopped it.
    Interrupted,
    /// It ended early, and nobody said why.
    Incomplete,
    /// It never began: another run holds its transcript.
    Blocked,
}

impl OutcomeStatus {
    /// The state a run of this outcome is in. What is incomplete can go on; what was blocked is over
    /// for this run, though another may try.
    pub fn run_status(self) -> RunStatus {
        match self {
            Self::Completed => RunStatus::Completed,
            Self::Failed | Self::Blocked => RunStatus::Failed,
            Self::RuntimeToolPending => RunStatus::RuntimeToolPending,
            Self::ApprovalRequired => RunStatus::ApprovalRequired,
            Self::BudgetExceeded => RunStatus::BudgetExceeded,
            Self::Stalled => RunStatus::Stalled,
            Self::Cancelled => RunStatus::Cancelled,
            Self::Interrupted => RunStatus::Interrupted,
            Self::Incomplete => RunStatus::Running,
        }
    }

    /// The outcome a result's own status names; whether a run is complete is not for that word to say.
    fn named_by_result(word: &str) -> Option<Self> {
        if word == LOCK_CONTENTION {
            return Some(Self::Blocked);
        }
        word.parse().ok().filter(|status| !matches!(status, Self::Completed | Self::Incomplete))
    }

    fn is_retryable(self, result_status: &str) -> bool {
        match self {
            Self::RuntimeToolPending | Self::ApprovalRequired | Self::Cancelled | Self::Interrupted => false,
            Self::Failed | Self::Blocked => true,
            Self::Completed | Self::BudgetExceeded | Self::Stalled | Self::Incomplete => {
                result_status == "budget_exceeded"
            }
        }
    }
}

/// The verdict on a run.
#[derive(Clone, Debug, PartialEq)]
pub struct RunOutcome {
    status: OutcomeStatus,
    /// Only a completed run can be true here.
    completed: bool,
    /// Why it stopped, in a word.
    pub stop_reason: String,
    /// Whether running it again may help.
    pub retryable: bool,
    /// What broke.
    pub failure: Option<Object>,
    /// What broke on the provider's side.
    pub provider_error: Option<Object>,
    /// What the host checked: a list or an object, as it came.
    pub assertions: Option<Value>,
    /// What the host remembers beside it.
    pub metadata: Option<Object>,
}

impl RunOutcome {
    /// Derives the verdict on a conversation result. What the host supplied goes first, field by field;
    /// anything but an object supplies nothing.
    pub fn derive(supplied: &Value, result: &Object) -> Self {
        let nothing = Object::new();
        let supplied = supplied.as_object().unwrap_or(&nothing);
        let result_status = word(result, "status").unwrap_or_default();
        let flag = [supplied, result].iter().find_map(|part| json::present(part, "completed"));
        let flag = flag.is_none_or(loose::flag);
        let status = derive_status(supplied, result, &result_status, flag);
        let completed = flag && status == OutcomeStatus::Completed;
        let stop_reason = word(supplied, "stop_reason")
            .unwrap_or_else(|| derive_stop_reason(status, completed, result, result_status.clone()));
        let retryable = json::present(supplied, "retryable")
            .map_or_else(|| status.is_retryable(&result_status), loose::flag);
        let result_failure = json::object(result, "failure");
        let broken_provider = result_failure.filter(|_| stop_reason == "provider_error");
        Self {
            status,
            completed,
            failure: json::object(supplied, "failure").or(result_failure).cloned(),
            provider_error: json::object(supplied, "provider_error").or(broken_provider).cloned(),
            assertions: json::get(supplied, "assertions").filter(|value| json::is_container(value)).cloned(),
            metadata: json::object(supplied, "metadata").cloned(),
            stop_reason,
            retryable,
        }
    }

    /// The verdict on a conversation result that may carry one under `run_outcome`.
    pub fn of_result(result: &Object) -> Self {
        Self::derive(json::get(result, "run_outcome").unwrap_or(&Value::Null), result)
    }

    /// How the run ended.
    pub fn status(&self) -> OutcomeStatus {
        self.status
    }

    /// Whether the run said all it had to say.
    pub fn completed(&self) -> bool {
        self.completed
    }

    /// The wire form.
    pub fn to_value(&self) -> Value {
        let mut wire = json!({
            "schema": SCHEMA,
            "version": VERSION,
            "status": self.status,
            "completed": self.completed,
            "stop_reason": self.stop_reason,
            "retryable": self.retryable,
        });
        let object = |part: &Option<Object>| part.clone().map(Value::Object);
        let optional = [
            ("failure", object(&self.failure)),
            ("provider_error", object(&self.provider_error)),
            ("assertions", self.assertions.clone()),
            ("metadata", object(&self.metadata)),
        ];
        if let Some(map) = wire.as_object_mut() {
            map.extend(optional.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?))));
        }
        wire
    }
}

fn derive_status(supplied: &Object, result: &Object, result_status: &str, flag: bool) -> OutcomeStatus {
    let said = word(supplied, "status").and_then(|word| word.parse().ok());
    if let Some(status) = said.or_else(|| OutcomeStatus::named_by_result(result_status)) {
        return status;
    }
    match (json::present(result, "failure"), flag) {
        (Some(_), _) => OutcomeStatus::Failed,
        (None, true) => OutcomeStatus::Completed,
        (None, false) => OutcomeStatus::Incomplete,
    }
}

fn derive_stop_reason(
    status: OutcomeStatus,
    completed: bool,
    result: &Object,
    result_status: String,
) -> String {
    if result_status == "budget_exceeded" && word(result, "budget").as_deref() == Some("turns") {
        return "max_turns".to_owned();
    }
    if status == OutcomeStatus::Failed {
        return "provider_error".to_owned();
    }
    if completed {
        return "natural".to_owned();
    }
    if result_status.is_empty() { <&str>::from(status).to_owned() } else { result_status }
}

/// The trimmed, lower-case text under `key`, when it is not blank.
fn word(object: &Object, key: &str) -> Option<String> {
    json::get(object, key).and_then(loose::text).map(|text| text.to_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome_of(result: Value) -> RunOutcome {
        RunOutcome::of_result(result.as_object().unwrap())
    }

    #[test]
    fn a_locked_transcript_blocks_and_another_unknown_status_does_not() {
        let blocked = outcome_of(json!({"status": "transcript_lock_contention"}));
        assert_eq!((blocked.status(), blocked.completed()), (OutcomeStatus::Blocked, false));
        assert_eq!((blocked.stop_reason.as_str(), blocked.retryable), (LOCK_CONTENTION, true));
        assert_eq!(blocked.status().run_status(), RunStatus::Failed);
        assert_eq!(outcome_of(json!({"status": "paused"})).status(), OutcomeStatus::Completed);
    }

    #[test]
    fn a_supplied_failure_does_not_hide_the_provider_error_of_the_result() {
        let outcome =
            outcome_of(json!({"failure": {"type": "net"}, "run_outcome": {"failure": {"type": "host"}}}));
        assert_eq!(outcome.failure, json!({"type": "host"}).as_object().cloned());
        assert_eq!(outcome.provider_error, json!({"type": "net"}).as_object().cloned());
    }
}
