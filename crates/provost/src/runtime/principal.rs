//! Who acts, read once where a request comes in.

use provost_contract::json;
use provost_contract::principal::ExecutionPrincipal;
use provost_contract::{ContractError, Result, sensitivity};
use serde_json::{Value, json};

const CODE: &str = "invalid_principal";
/// How a request of the embedding program is authenticated.
const EMBEDDED: &str = "embedded";

/// Reads the principal of a request for an agent, as it may be recorded. What it does not say of the request, the
/// library does.
pub(super) fn read(given: Option<&Value>, agent: &str) -> Result<Value> {
    let Some(given) = given else { return Ok(own()) };
    let Some(said) = given.as_object() else {
        return Err(ContractError::whole(CODE, "the principal must be an object"));
    };
    if said.get("acting_user_id").is_some_and(|user| !user.is_u64()) {
        return Err(ContractError::field(CODE, "acting_user_id", "must be a whole number, 0 for nobody"));
    }
    let mut whole = said.clone();
    for (key, value) in
        [("auth_source", EMBEDDED), ("effective_agent_id", agent), ("request_context", EMBEDDED)]
    {
        whole.entry(key).or_insert_with(|| value.into());
    }
    let declared = [EMBEDDED.to_owned()];
    let principal = ExecutionPrincipal::parse_declared(&Value::Object(whole), &declared)?;
    let known = json::into_object(principal.to_value());
    if let Some(key) = said.keys().find(|key| !known.contains_key(*key)) {
        return Err(ContractError::field(CODE, key, "is no field of a principal"));
    }
    Ok(sensitivity::redact_names(given))
}

/// The program itself.
pub(super) fn own() -> Value {
    json!({ "auth_source": EMBEDDED, "acting_user_id": 1 })
}
