//! Area `tokens-and-authorization`.

use provost_contract::access::{AccessGrant, AgentToken, CapabilityCeiling, Role, TokenHash};
use serde_json::{Value, json};
use strum::VariantArray as _;

use super::{Answer, input, text, unknown_operation};

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
