//! Area `runtime-tool-lifecycle`.

mod records;
mod script;

use provost_contract::tool::{RuntimeMetadata, RuntimeToolRequest, RuntimeToolResult};
use serde_json::Value;

use super::{Answer, input, object, text, unknown_operation};

pub(super) fn run(op: &str, case: &Value) -> Answer {
    let request = || RuntimeToolRequest::parse(input(case, "request"));
    match op {
        "normalize_request" => Ok(request()?.to_value()),
        "from_tool_call" => Ok(RuntimeToolRequest::from_tool_call(
            text(case, "tool_name"),
            text(case, "tool_call_id"),
            object(case, "parameters"),
            &object(case, "context"),
            &RuntimeMetadata::parse(input(case, "runtime")),
            object(case, "metadata"),
        )?
        .to_value()),
        "mark_timeout" => Ok(request()?.timed_out().to_value()),
        "normalize_result" => Ok(RuntimeToolResult::parse(input(case, "result"))?.to_value()),
        "result_from_request" => {
            Ok(RuntimeToolResult::of_request(&request()?, input(case, "result"))?.to_value())
        }
        "script" => script::run(case),
        _ => unknown_operation(op),
    }
}
