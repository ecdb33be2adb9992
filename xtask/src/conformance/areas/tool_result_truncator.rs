//! Area `tool-result-truncator`.

use provost_contract::tool::ToolResultTruncator;
use serde_json::{Value, json};

use super::{Answer, input, object, unknown_operation};

pub(super) fn run(op: &str, case: &Value) -> Answer {
    match op {
        "truncate" => {
            let limit = input(case, "max_bytes").as_i64();
            let truncator = limit.map_or_else(ToolResultTruncator::default, ToolResultTruncator::new);
            let truncation = truncator.truncate(&object(case, "result"));
            Ok(json!({
                "result": truncation.result,
                "truncated": truncation.truncated,
                "metadata": truncation.metadata,
            }))
        }
        _ => unknown_operation(op),
    }
}
