//! The outcome of a run.

use provost_contract::json;
use provost_engine::RunId;
use provost_engine::event::EndStatus;
use provost_engine::view::Pending;
use serde_json::Value;

/// The status of a run.
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
    /// No worker has claimed it yet.
    Queued,
    /// It is active.
    Running,
    /// It waits for an answer.
    Waiting,
    /// It is being cancelled, and work is still open.
    Cancelling,
    /// It completed its task.
    Completed,
    /// It failed.
    Failed,
    /// It was cancelled.
    Cancelled,
    /// It reached a limit before its work was done.
    BudgetExceeded,
    /// The model repeated itself.
    Stalled,
    /// It was interrupted from outside.
    Interrupted,
}

impl RunStatus {
    /// Returns the name used in rows and lists.
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

/// Why a run failed.
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
    /// The kind of failure.
    pub code: String,
    /// The message.
    pub message: String,
}

/// A run that has ended or waits.
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
    /// Its status.
    pub status: RunStatus,
    /// Its open waits.
    pub waits: Vec<Pending>,
    /// Its result record, `agents-api.conversation-result` v1.
    pub result: Value,
}

impl Outcome {
    /// Returns the model's last text. It is an answer only if the run is completed; otherwise it may come
    /// from the middle of its work.
    ///
    /// ```
    /// fn answer(outcome: &provost::Outcome) -> Option<&str> {
    ///     (outcome.status == provost::RunStatus::Completed).then(|| outcome.text())
    /// }
    /// ```
    pub fn text(&self) -> &str {
        self.result.as_object().and_then(|result| json::text(result, "final_content")).unwrap_or_default()
    }

    /// Returns the failure, if the run failed.
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

    /// Returns the usage of the run: tokens by name, as the provider counted them.
    ///
    /// ```
    /// fn tokens(outcome: &provost::Outcome) -> u64 {
    ///     outcome.usage().get("total_tokens").and_then(serde_json::Value::as_u64).unwrap_or_default()
    /// }
    /// ```
    pub fn usage(&self) -> json::Object {
        self.result.as_object().map(|result| json::object_or_empty(result, "usage")).unwrap_or_default()
    }

    /// Returns whether the run continues once a wait is answered.
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
