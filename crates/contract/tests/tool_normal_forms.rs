//! Every door takes anything without a panic, and what it lets in comes out the same the second time.

use proptest::prelude::*;
use provost_contract::tool::{
    GatheredTools, ParameterRules, RuntimeMetadata, RuntimeToolRequest, RuntimeToolResult, ToolCall,
    ToolCatalog, ToolDeclaration, ToolExecutor, ToolResult, ToolResultTruncator, canonical_name, result_hash,
    result_summary,
};
use provost_contract::{Citation, canonical, sensitivity};
use serde_json::{Map, Value, json};

use crate::any_json::{any_json, any_object};

/// A declaration of the host that is valid but for what `more` overwrites.
fn host_tool(more: Map<String, Value>) -> Map<String, Value> {
    with(json!({"name": "kb/find", "description": "Find."}), more)
}

fn with(base: Value, more: Map<String, Value>) -> Map<String, Value> {
    let mut object = base.as_object().cloned().unwrap_or_default();
    object.extend(more);
    object
}

fn object(value: &Value) -> Map<String, Value> {
    value.as_object().cloned().unwrap_or_default()
}

proptest! {
    #[test]
    fn declarations(more in any_object(), parameters in any_object(), client in any::<bool>()) {
        let mut raw = host_tool(more);
        raw.entry("parameters").or_insert(Value::Object(parameters));
        if client {
            raw.insert("name".into(), "client/find".into());
        }
        let Ok(declaration) = ToolDeclaration::parse_request(&raw) else { return Ok(()) };
        let wire = declaration.to_value();
        let again = match declaration.executor() {
            ToolExecutor::Client => ToolDeclaration::parse_client(&object(&wire)),
            ToolExecutor::Host => ToolDeclaration::parse_server(&object(&wire)),
        };
        prop_assert_eq!(again.as_ref().map(ToolDeclaration::to_value), Ok(wire));
        prop_assert_eq!(again, Ok(declaration));
    }

    #[test]
    fn calls(more in any_object()) {
        let raw = with(json!({"tool_name": "kb/find"}), more);
        let Ok(call) = ToolCall::parse(&raw.into()) else { return Ok(()) };
        prop_assert_eq!(ToolCall::parse(&call.to_value()), Ok(call));
    }

    #[test]
    fn results(more in any_object(), metadata in any_object()) {
        let raw = with(json!({"tool_name": "kb/find", "metadata": metadata}), more);
        let Ok(result) = ToolResult::parse(&raw.into()) else { return Ok(()) };
        prop_assert_eq!(ToolResult::parse(&result.to_value()), Ok(result));
    }

    #[test]
    fn client_calls_and_their_results(more in any_object()) {
        let raw = with(json!({"tool_name": "client/pick", "tool_call_id": "c", "request_id": "r"}), more).into();
        if let Ok(request) = RuntimeToolRequest::parse(&raw) {
            prop_assert_eq!(RuntimeToolRequest::parse(&request.to_value()), Ok(request));
        }
        if let Ok(result) = RuntimeToolResult::parse(&raw) {
            prop_assert_eq!(RuntimeToolResult::parse(&result.to_value()), Ok(result));
        }
    }

    #[test]
    fn metadata_and_citations(raw in any_object()) {
        let runtime = RuntimeMetadata::parse(&raw.clone().into());
        prop_assert_eq!(RuntimeMetadata::parse(&runtime.to_value()), runtime);
        let citation = Citation::parse(&raw);
        prop_assert_eq!(Citation::parse(&object(&citation.to_value())), citation);
    }

    #[test]
    fn redaction(declaration in any_object(), parameters in any_object()) {
        let rules = ParameterRules::read(&declaration);
        let redacted = rules.redact(&parameters);
        prop_assert_eq!(&rules.redact(redacted.as_object()), &redacted);
        let hidden = sensitivity::redact_names(&parameters.into());
        prop_assert_eq!(sensitivity::redact_names(&hidden), hidden);
    }

    #[test]
    fn no_door_panics(value in any_json(), other in any_object()) {
        let raw = value.as_object().unwrap_or(&other);
        let rules = ParameterRules::read(raw);
        rules.check_required(&rules.build(&other, raw));
        rules.model_schema();
        rules.sensitive_paths();
        prop_assert_eq!(result_hash(raw), canonical::hash(&result_summary(raw)));
        canonical_name("kb__find", raw);
        sensitivity::redact_names(&value);
        let shortened = ToolResultTruncator::new(20).truncate(raw);
        prop_assert_eq!(shortened.truncated, shortened.result != *raw);
        let catalog = ToolCatalog::read(&value);
        prop_assert!(catalog.tools().iter().all(|tool| catalog.get(tool.name().as_str()) == Some(tool)));
        let gathered = GatheredTools::gather([("one", &value), ("two", &value)]);
        prop_assert!(gathered.tools.len() <= raw.len());
    }
}
