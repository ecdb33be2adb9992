//! What came of a run.

use provost_contract::json;
use provost_engine::RunId;
use provost_engine::event::EndStatus;
use provost_engine::view::Pending;
use serde_json::Value;

/// Where a run stands.
///
/// ```
/// use provost::RunStatus;
/// assert_eq!(RunStatus::BudgetExceeded.as_str(), "budget_exceeded");
/// assert_eq!("waiting".parse(), Ok(RunStatus::Waiting));
/// ```
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
    ///
    /// ```
    /// assert_eq!(provost::RunStatus::Completed.as_str(), "completed");
    /// ```
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

/// Why a run could not go on.
///
/// ```
/// use provost::{Runtime, Script};
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let runtime = Runtime::builder().model(Script::new()).build()?;
/// let failure = runtime.start("Hi.").await?.outcome().await?.failure().unwrap();
/// assert_eq!((failure.code.as_str(), failure.message.as_str()), ("script", "the script has no more turns"));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct RunFailure {
    /// What kind of failure it is.
    pub code: String,
    /// What happened.
    pub message: String,
}

/// A run that is over, or rests.
///
/// ```
/// use provost::{RunStatus, Runtime, Script};
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let runtime = Runtime::builder().model(Script::new().say("Hello.")).build()?;
/// let outcome = runtime.start("Hi.").await?.outcome().await?;
/// assert_eq!((outcome.status, outcome.text(), outcome.is_waiting()), (RunStatus::Completed, "Hello.", false));
/// # Ok(())
/// # }
/// ```
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
    /// Returns the model's last words. Of a run that is not completed they are no answer: they may be from the middle of
    /// its work.
    ///
    /// ```
    /// fn answer(outcome: &provost::Outcome) -> Option<&str> {
    ///     (outcome.status == provost::RunStatus::Completed).then(|| outcome.text())
    /// }
    /// ```
    pub fn text(&self) -> &str {
        self.result.as_object().and_then(|result| json::text(result, "final_content")).unwrap_or_default()
    }

    /// Returns why the run could not go on, if it failed.
    ///
    /// ```
    /// fn told(outcome: &provost::Outcome) -> String {
    ///     outcome.failure().map(|failure| failure.message).unwrap_or_default()
    /// }
    /// ```
    pub fn failure(&self) -> Option<RunFailure> {
        let failure = self.result.get("failure")?;
        let text = |key: &str| failure.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
        Some(RunFailure { code: text("type"), message: text("message") })
    }

    /// Returns what the run has used: tokens by name, as the provider counted them.
    ///
    /// ```
    /// fn tokens(outcome: &provost::Outcome) -> u64 {
    ///     outcome.usage().get("total_tokens").and_then(serde_json::Value::as_u64).unwrap_or_default()
    /// }
    /// ```
    pub fn usage(&self) -> json::Object {
        self.result.as_object().map(|result| json::object_or_empty(result, "usage")).unwrap_or_default()
    }

    /// Returns whether it goes on when a wait is answered.
    ///
    /// ```
    /// fn asks(outcome: &provost::Outcome) -> usize {
    ///     if outcome.is_waiting() { outcome.waits.len() } else { 0 }
    /// }
    /// ```
    pub fn is_waiting(&self) -> bool {
        self.status == RunStatus::Waiting
    }
}
