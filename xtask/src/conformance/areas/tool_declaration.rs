//! Area `tool-declaration`.

use provost_contract::tool::{
    RuntimeMetadata, ToolCatalog, ToolDeclaration, ToolExecution, canonical_name, provider_safe_name,
};
use serde_json::{Value, json};

use super::{Answer, input, object, text, unknown_operation};

pub(super) fn run(op: &str, case: &Value) -> Answer {
    let declaration = object(case, "declaration");
    match op {
        "normalize" => Ok(ToolDeclaration::parse_client(&declaration)?.to_value()),
        "normalize_server" => Ok(ToolDeclaration::parse_server(&declaration)?.to_value()),
        "normalize_request" => Ok(ToolDeclaration::parse_request(&declaration)?.to_value()),
        "validate" => Ok(json!(ToolDeclaration::invalid_client_fields(&declaration))),
        "validate_server" => Ok(json!(ToolDeclaration::invalid_server_fields(&declaration))),
        "normalize_runtime_metadata" => Ok(RuntimeMetadata::parse(input(case, "runtime")).to_value()),
        "provider_safe_name" => Ok(provider_safe_name(text(case, "name")).into()),
        "canonical_name" => Ok(canonical_name(text(case, "tool_name"), &object(case, "tools")).into()),
        "catalog" => Ok(ToolCatalog::read(input(case, "declarations")).to_value()),
        "diagnostics" => Ok(diagnostics(case)),
        _ => unknown_operation(op),
    }
}

fn diagnostics(case: &Value) -> Value {
    let has_executor = input(case, "has_executor") == &Value::Bool(true);
    let execution = if has_executor { ToolExecution::Mediated } else { ToolExecution::CallerManaged };
    let events = ToolCatalog::read(input(case, "declarations")).events(execution);
    events.into_iter().map(|event| json!({ "event": event.event, "payload": event.payload })).collect()
}
