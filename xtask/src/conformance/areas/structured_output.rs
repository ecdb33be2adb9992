//! Area `structured-output`.

use provost_contract::structured_output::{StructuredOutputRequest, check};
use serde_json::{Value, json};

use super::{Answer, input, object, unknown_operation};

pub(super) fn run(op: &str, case: &Value) -> Answer {
    match op {
        "normalize" => Ok(StructuredOutputRequest::parse(input(case, "request"))?.to_value()),
        "validate" => Ok(json!(check(&object(case, "schema"), input(case, "value")).err())),
        _ => unknown_operation(op),
    }
}
