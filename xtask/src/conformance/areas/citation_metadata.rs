//! Area `citation-metadata`.

use provost_contract::Citation;
use serde_json::Value;

use super::{Answer, input, object, unknown_operation};

pub(super) fn run(op: &str, case: &Value) -> Answer {
    match op {
        "normalize" => Ok(Citation::parse(&object(case, "citation")).to_value()),
        "normalize_many" => {
            Ok(Citation::parse_many(input(case, "citations")).iter().map(Citation::to_value).collect())
        }
        "normalize_metadata" => Ok(Citation::in_metadata(object(case, "metadata")).into()),
        _ => unknown_operation(op),
    }
}
