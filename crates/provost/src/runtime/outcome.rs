//! What came of a run.

use provost_contract::json;
use provost_engine::RunId;
use provost_engine::event::EndStatus;
use provost_engine::view::Pending;
use serde_json::Value;

/// Where a run stands.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, strum::IntoStaticStr, strum::EnumString, strum::VariantArray,
)]
#[strum(serialize_all = "snake_case")]
pub enum RunStatus {
    /// No worker has taken it yet.
    Queued,
    /// Something is under way.
    Running,
    /// It rests until a wait is answered.
    Waiting,
    /// It is cancelled, and work is still open.
    Cancelling,
    /// It did what it was asked to do.
    Completed,
    /// It could not go on.
    Failed,
    /// It was cancelled.
    Cancelled,
    /// It spent a budget in the middle of its work.
    BudgetExceeded,
    /// The model repeated itself.
    Stalled,
    /// Something outside stopped it.
    Interrupted,
}

impl RunStatus {
    /// Returns the word that rows and lists use.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

impl From<EndStatus> for RunStatus {
    fn from(status: EndStatus) -> Self {
        match status {
            EndStatus::Completed => Self::Completed,
            EndStatus::Failed => Self::Failed,
            EndStatus::Cancelled => Self::Cancelled,
            EndStatus::BudgetExceeded => Self::BudgetExceeded,
            EndStatus::Stalled => Self::Stalled,
            EndStatus::Interrupted => Self::Interrupted,
        }
    }
}

/// A run that is over, or rests.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The run.
    pub run: RunId,
    /// Where it stands.
    pub status: RunStatus,
    /// What it waits for.
    pub waits: Vec<Pending>,
    /// Its whole result record, `agents-api.conversation-result` v1.
    pub result: Value,
}

impl Outcome {
    /// Returns the model's last words.
    pub fn text(&self) -> &str {
        self.result.as_object().and_then(|result| json::text(result, "final_content")).unwrap_or_default()
    }

    /// Returns whether it goes on when a wait is answered.
    pub fn is_waiting(&self) -> bool {
        self.status == RunStatus::Waiting
    }
}
