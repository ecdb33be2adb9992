//! Area `run-outcome`.

use provost_contract::run::{OutcomeStatus, RunOutcome};
use serde_json::{Value, json};
use strum::VariantArray as _;

use super::{Answer, input, object, unknown_operation};

pub(super) fn run(op: &str, case: &Value) -> Answer {
    match op {
        "statuses" => Ok(json!(OutcomeStatus::VARIANTS)),
        "normalize" => Ok(RunOutcome::derive(input(case, "outcome"), &object(case, "result")).to_value()),
        "run_control_status" => {
            Ok(json!(RunOutcome::of_result(&object(case, "value")).status().run_status()))
        }
        _ => unknown_operation(op),
    }
}
