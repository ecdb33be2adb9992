//! Area `execution-principal`.

use std::num::NonZeroU64;

use provost_contract::principal::{
    AudienceClaims, AutonomousSources, EffectiveAgentQuestion, OwnedAgent, RequestScope,
};
use provost_contract::{ContractError, ExecutionPrincipal, UserId, json};
use serde_json::{Value, json};

use super::{Answer, input, list, object, text, unknown_operation};

const CODE: &str = "invalid_agent_execution_principal";

pub(super) fn run(op: &str, case: &Value) -> Answer {
    match op {
        "create" => Ok(created(case)?.to_value()),
        "user_session" => Ok(user_session(case)?.to_value()),
        "agent_token" => Ok(agent_token(case)?.to_value()),
        "audience" => Ok(ExecutionPrincipal::audience(
            text(case, "audience_id"),
            text(case, "effective_agent_id"),
            scope(case),
            audience(case),
        )?
        .to_value()),
        "runtime" => Ok(ExecutionPrincipal::runtime(
            text(case, "runtime_id"),
            text(case, "effective_agent_id"),
            scope(case),
            audience(case),
        )?
        .to_value()),
        "to_safe_metadata" => Ok(created(case)?.to_safe_metadata()),
        "conversation_owner" => Ok(json!(created(case)?.conversation_owner().map(|owner| owner.to_value()))),
        "is_autonomous" => Ok(json!(created(case)?.is_autonomous(&autonomous_sources(case)))),
        "with_request_metadata" => {
            let mut principal = created(case)?;
            principal.request_metadata = object(case, "request_metadata");
            Ok(principal.to_value())
        }
        "resolve_effective_agent" => resolve_effective_agent(case),
        "resolve_principal" => {
            let principal = ExecutionPrincipal::from_resolver(input(case, "resolver_returns"))?;
            Ok(json!(principal.map(|principal| principal.to_value())))
        }
        _ => unknown_operation(op),
    }
}

fn created(case: &Value) -> Result<ExecutionPrincipal, Value> {
    let declared = json::string_list(input(case, "extra_auth_sources"));
    Ok(ExecutionPrincipal::parse_declared(input(case, "principal"), &declared)?)
}

fn user_session(case: &Value) -> Result<ExecutionPrincipal, Value> {
    Ok(ExecutionPrincipal::user_session(acting_user(case)?, text(case, "effective_agent_id"), scope(case))?)
}

fn agent_token(case: &Value) -> Result<ExecutionPrincipal, Value> {
    let token_id = input(case, "token_id").as_u64().and_then(NonZeroU64::new);
    let principal = ExecutionPrincipal::agent_token(
        acting_user(case)?,
        text(case, "effective_agent_id"),
        token_id.unwrap_or(NonZeroU64::MIN),
        scope(case),
    )?;
    // The type has no token zero, so it is refused here, after everything that is checked before it.
    let refused = || ContractError::field(CODE, "token_id", "must be a positive integer");
    Ok(token_id.map(|_| principal).ok_or_else(refused)?)
}

fn acting_user(case: &Value) -> Result<UserId, Value> {
    Ok(UserId::parse(input(case, "acting_user_id"), CODE, "acting_user_id")?)
}

fn scope(case: &Value) -> RequestScope {
    let usual = RequestScope::default();
    let own = |key| input(case, key).as_str().map(str::to_owned);
    RequestScope {
        request_context: own("request_context").unwrap_or(usual.request_context),
        request_metadata: object(case, "request_metadata"),
        workspace_id: own("workspace_id"),
        client_id: own("client_id"),
    }
}

fn audience(case: &Value) -> AudienceClaims {
    AudienceClaims {
        claims: object(case, "audience_claims"),
        owner_key: input(case, "owner_key").as_str().map(str::to_owned),
    }
}

fn autonomous_sources(case: &Value) -> AutonomousSources {
    match input(case, "autonomous_auth_sources") {
        Value::Null => AutonomousSources::default(),
        listed => AutonomousSources::listed(json::string_list(listed)),
    }
}

fn resolve_effective_agent(case: &Value) -> Answer {
    let registered = list(case, "registered_agents").iter().map(|agent| OwnedAgent {
        slug: text(agent, "slug"),
        owner: UserId::new(input(agent, "owner_user_id").as_u64().unwrap_or_default()),
    });
    Ok(EffectiveAgentQuestion::parse(input(case, "context"))?.resolve(registered)?.into())
}
