//! What came of a run.

use provost_contract::ContractError;
use provost_contract::json;
use provost_runtime::RunId;
use provost_runtime::driver::Finished;
use provost_runtime::engine::RunStatus;
use serde_json::Value;

/// A run that is over, or waits for somebody.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The run.
    pub run: RunId,
    /// The state it is in.
    pub status: RunStatus,
    /// Its whole result record.
    pub result: Value,
}

impl Outcome {
    pub(super) fn new(run: RunId, finished: Finished) -> Result<Self, ContractError> {
        Ok(Self { run, status: finished.status, result: finished.into_result()? })
    }

    /// The model's last words.
    pub fn text(&self) -> &str {
        self.result.as_object().and_then(|result| json::text(result, "final_content")).unwrap_or_default()
    }

    /// Whether it goes on when somebody answers.
    pub fn is_waiting(&self) -> bool {
        self.status.is_parked()
    }
}
