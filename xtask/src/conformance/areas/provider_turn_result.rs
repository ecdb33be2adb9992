//! Area `provider-turn-result`.

use provost_contract::provider_turn::{CallSource, ProviderTurn, RequestedCall, extract_tool_calls};
use serde_json::Value;

use super::{Answer, object, unknown_operation};

pub(super) fn run(op: &str, case: &Value) -> Answer {
    let result = object(case, "result");
    match op {
        "normalize" => Ok(ProviderTurn::parse_with(&result, CallSource::ListOrText)?.to_value()),
        "extract_tool_calls" => {
            Ok(extract_tool_calls(&result)?.iter().map(RequestedCall::to_value).collect())
        }
        _ => unknown_operation(op),
    }
}
