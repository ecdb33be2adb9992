//! The principal of a request, parsed once.

use provost_contract::json;
use provost_contract::principal::ExecutionPrincipal;
use provost_contract::{ContractError, Result, sensitivity};
use serde_json::{Value, json};

const CODE: &str = "invalid_principal";
/// How requests of the embedding program are authenticated.
const EMBEDDED: &str = "embedded";

/// A principal that was checked, as it is recorded.
#[derive(Clone, Debug)]
pub(super) struct Principal(Value);

impl Principal {
    /// Returns its recorded form.
    pub(super) fn to_value(&self) -> Value {
        self.0.clone()
    }
}

/// Parses the principal of a request for an agent, in the form in which it is recorded. Missing fields about
/// the request get the values of the embedding program.
pub(super) fn read(given: Option<&Value>, agent: &str) -> Result<Principal> {
    let Some(given) = given else { return Ok(own()) };
    let Some(said) = given.as_object() else {
        return Err(ContractError::whole(CODE, "the principal must be an object"));
    };
    if said.get("acting_user_id").is_some_and(|user| !user.is_u64()) {
        return Err(ContractError::field(CODE, "acting_user_id", "must be a whole number; 0 means no user"));
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
        return Err(ContractError::field(CODE, key, "is not a field of a principal"));
    }
    Ok(Principal(sensitivity::redact_names(given)))
}

/// The principal of the embedding program.
pub(super) fn own() -> Principal {
    Principal(json!({ "auth_source": EMBEDDED, "acting_user_id": 1 }))
}
