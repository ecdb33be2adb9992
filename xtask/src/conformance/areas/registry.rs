//! Area `registry`.

use provost_contract::agent::{
    AgentDefinition, AgentIdentity, AgentRegistry, IdentityScope, InstalledAgent, MaterializationRequest,
    RuntimeOverrides,
};
use provost_contract::{ContractError, json};
use serde_json::{Value, json};

use super::{Answer, list, object, text, unknown_operation};

pub(super) fn run(op: &str, case: &Value) -> Answer {
    match op {
        "define" => Ok(definition(case)?.to_value()),
        "runtime_overrides" => Ok(json!(RuntimeOverrides::parse(&object(case, "overrides")))),
        "registry" => Ok(registry(list(case, "steps"))),
        "identity_key" => Ok(IdentityScope::parse(&json::into_object(case.clone()))?.key().into()),
        "materialize_identity" => {
            Ok(AgentIdentity::materialize(&definition(case)?, &object(case, "options"), 1)?.to_value())
        }
        "installed_agent" => {
            let agent = InstalledAgent::parse(&object(case, "agent"))?;
            Ok(json!({ "record": agent.to_value(), "key": agent.key() }))
        }
        "materialization_request" => {
            Ok(MaterializationRequest::parse(&definition(case)?, &object(case, "request"))?.to_value())
        }
        _ => unknown_operation(op),
    }
}

fn definition(case: &Value) -> Result<AgentDefinition, Value> {
    Ok(AgentDefinition::parse(text(case, "slug"), &object(case, "args"))?)
}

fn registry(steps: &[Value]) -> Value {
    let mut registry = AgentRegistry::default();
    let mut notices = Vec::new();
    let results: Vec<Value> = steps
        .iter()
        .map(|step| {
            call(&mut registry, &mut notices, step).unwrap_or_else(|error| {
                notices.push(error.message().to_owned());
                Value::Null
            })
        })
        .collect();
    let slugs: Vec<&str> = registry.iter().map(AgentDefinition::slug).collect();
    json!({ "results": results, "notices": notices, "slugs": slugs })
}

fn call(
    registry: &mut AgentRegistry,
    notices: &mut Vec<String>,
    step: &Value,
) -> Result<Value, ContractError> {
    let name = text(step, "slug");
    match text(step, "call") {
        "register" => {
            notices.extend(registry.register(name, &object(step, "args"))?);
            Ok(registry.get(name)?.slug().into())
        }
        "get" => Ok(registry.get(name)?.label.as_str().into()),
        "has" => Ok(registry.get(name).is_ok().into()),
        "unregister" => Ok(registry.unregister(name)?.slug().into()),
        other => Err(ContractError::with_message("unknown_call", other)),
    }
}
