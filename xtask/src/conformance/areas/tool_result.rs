//! Area `tool-result`.

use provost_contract::Citation;
use provost_contract::tool::{RuntimeMetadata, ToolResult};
use serde_json::Value;

use super::{Answer, input, object, text, unknown_operation};

pub(super) fn run(op: &str, case: &Value) -> Answer {
    let tool_name = text(case, "tool_name");
    let metadata = object(case, "metadata");
    let runtime = RuntimeMetadata::parse(input(case, "runtime"));
    match op {
        "normalize" => Ok(ToolResult::parse(input(case, "result"))?.to_value()),
        "success" => {
            let result = input(case, "result").clone();
            Ok(ToolResult::success(tool_name, result, metadata, runtime)?.to_value())
        }
        "error" => Ok(ToolResult::failure(tool_name, text(case, "error"), metadata, runtime)?.to_value()),
        "normalize_citations" => Ok(citations(input(case, "citations"))),
        _ => unknown_operation(op),
    }
}

fn citations(value: &Value) -> Value {
    Citation::parse_many(value).iter().map(Citation::to_value).collect()
}
