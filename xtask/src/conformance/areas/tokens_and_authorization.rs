//! Area `tokens-and-authorization`.

use provost_contract::access::{AccessGrant, AgentToken, CapabilityCeiling, Role, TokenHash};
use provost_contract::principal::RequestScope;
use provost_contract::{ExecutionPrincipal, UserId};
use provost_policy::authorization::{
    self, AccessQuestion, Admission, AutonomousDenials, BearerRequest, Grants, PublicAudience,
};
use provost_policy::{Authenticator, Decision, HookAnswer, Verdict};
use serde_json::{Value, json};
use strum::VariantArray as _;

use super::caller_context::{REQUEST_ID, headers, max_chain_depth};
use super::{Answer, input, list, object, text, unknown_operation};

/// The moment of a request that does not say when it happens.
const NOW: i64 = 1_780_000_000;

pub(super) fn run(op: &str, case: &Value) -> Answer {
    match op {
        "roles" => Ok(json!(Role::VARIANTS)),
        "grant_create" => Ok(grant(case)?.to_value()),
        "grant_role_meets" => Ok(json!(grant(case)?.role_meets(text(case, "minimum_role")))),
        "hash_token" => Ok(TokenHash::of(text(case, "raw_token")).expose().into()),
        "token_create" => Ok(token(case)?.to_value()),
        "token_is_expired" => {
            Ok(json!(token(case)?.is_expired(input(case, "now").as_i64().unwrap_or_default())))
        }
        "token_ceiling" => Ok(token(case)?.ceiling().to_value()),
        "ceiling_create" => Ok(CapabilityCeiling::parse(input(case, "ceiling"))?.to_value()),
        "ceiling_with" => ceiling_with(case),
        "ceiling_allows" => {
            let ceiling = CapabilityCeiling::parse(input(case, "ceiling"))?;
            Ok(allowed(&authorization::ceiling_allows(&ceiling, text(case, "capability"))))
        }
        "resolve_ceiling" => {
            let effective = authorization::effective_ceiling(&principal(case)?, &denials(case));
            Ok(json!(effective.ceiling.map(|ceiling| ceiling.to_value())))
        }
        "can" => can(case),
        "can_access_agent" => can_access_agent(case),
        "access_audiences" => {
            Ok(json!(authorization::access_audiences(&principal(case)?, public_audience(case))))
        }
        "authenticate" => authenticate(case),
        _ => unknown_operation(op),
    }
}

fn grant(case: &Value) -> Result<AccessGrant, Value> {
    Ok(AccessGrant::parse(input(case, "grant"))?)
}

fn token(case: &Value) -> Result<AgentToken, Value> {
    Ok(AgentToken::parse(input(case, "token"))?)
}

fn ceiling_with(case: &Value) -> Answer {
    let members = |key: &str| {
        let list = input(case, key).as_array()?;
        Some(list.iter().filter_map(|member| member.as_str().map(str::to_owned)).collect::<Vec<_>>())
    };
    let mut ceiling = CapabilityCeiling::parse(input(case, "ceiling"))?;
    if let Some(allowed) = members("allowed_capabilities") {
        ceiling = ceiling.with_allowed(allowed)?;
    }
    if let Some(denied) = members("denied_capabilities") {
        ceiling = ceiling.with_denied(denied)?;
    }
    Ok(ceiling.to_value())
}

fn principal(case: &Value) -> Result<ExecutionPrincipal, Value> {
    Ok(ExecutionPrincipal::parse(input(case, "principal"))?)
}

fn denials(case: &Value) -> AutonomousDenials {
    match input(case, "autonomous_denied_capabilities") {
        Value::Null => AutonomousDenials::default(),
        listed => AutonomousDenials::listed(listed),
    }
}

fn allowed(decision: &Decision<Verdict>) -> Value {
    json!(decision.verdict == Verdict::Allow)
}

fn can(case: &Value) -> Answer {
    let given = Some(input(case, "capability_ceiling")).filter(|ceiling| ceiling.is_object());
    let host_ceiling = given.map(CapabilityCeiling::parse).transpose()?;
    let holds = |user: UserId, capability: &str| -> HookAnswer<Verdict> {
        let held = list(input(case, "user_capabilities"), &user.to_string()).contains(&json!(capability));
        Ok(Some(if held { Verdict::Allow } else { Verdict::Deny }))
    };
    let explained = authorization::can(
        &principal(case)?,
        text(case, "capability"),
        host_ceiling.as_ref(),
        &denials(case),
        holds,
    );
    Ok(allowed(&explained.decision))
}

fn public_audience(case: &Value) -> PublicAudience {
    match input(case, "include_public_audience") {
        Value::Bool(false) => PublicAudience::Excluded,
        _ => PublicAudience::Included,
    }
}

fn can_access_agent(case: &Value) -> Answer {
    let all = list(case, "grants").iter().map(AccessGrant::parse).collect::<Result<Vec<_>, _>>()?;
    let grants = match (input(case, "grants"), input(case, "audience_grants")) {
        (Value::Null, _) => Grants::NoStore,
        (_, Value::Bool(true)) => Grants::OfUsersAndAudiences(&all),
        _ => Grants::OfUsers(&all),
    };
    let question = AccessQuestion {
        principal: &principal(case)?,
        agent_id: text(case, "agent_id"),
        minimum_role: input(case, "minimum_role").as_str().unwrap_or(Role::default().into()),
        public_audience: public_audience(case),
    };
    let host = Verdict::from_hook(input(case, "host_decision"));
    Ok(allowed(&authorization::can_access_agent(question, grants, host)))
}

fn authenticate(case: &Value) -> Answer {
    let tokens = list(case, "tokens").iter().map(AgentToken::parse).collect::<Result<Vec<_>, _>>()?;
    let authenticator = Authenticator {
        token_prefix: input(case, "token_prefix").as_str().map(str::to_owned),
        max_chain_depth: max_chain_depth(case)?,
    };
    let usual = RequestScope::default();
    let request = BearerRequest {
        headers: headers(input(case, "headers")),
        request_context: input(case, "request_context").as_str().unwrap_or(&usual.request_context),
        metadata: object(case, "metadata"),
        request_id: REQUEST_ID,
        now: NOW,
    };
    let mut store_calls = Vec::new();
    let mut admission: Option<Admission> = None;
    if let Ok(hash) = authenticator.recognise(text(case, "raw_token")) {
        store_calls.push(json!({ "call": "resolve_token_hash", "token_hash": hash.expose() }));
        let found = tokens.iter().find(|token| *token.token_hash() == hash);
        admission = authenticator.admit(&hash, found, &request).ok();
    }
    store_calls.extend(
        admission.iter().map(|admission| json!({ "call": "touch_token", "token_id": admission.touch })),
    );
    Ok(
        json!({ "principal": admission.map(|admission| admission.principal.to_value()), "store_calls": store_calls }),
    )
}
