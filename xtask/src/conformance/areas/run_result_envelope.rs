//! Area `run-result-envelope`.

use provost_contract::run::{self, ResultStatus, RunResult};
use serde_json::{Value, json};
use strum::VariantArray as _;

use super::{Answer, input, unknown_operation};

pub(super) fn run(op: &str, case: &Value) -> Answer {
    match op {
        "statuses" => Ok(json!(ResultStatus::VARIANTS)),
        "normalize" => Ok(RunResult::parse(input(case, "value")).to_value()),
        "normalize_status" => Ok(json!(ResultStatus::parse(input(case, "status")))),
        "normalize_refs" => Ok(json!(run::artifact_refs(input(case, "refs")))),
        _ => unknown_operation(op),
    }
}
