//! A failure as turns and results report it: at least a `type` and a `message`.

use serde_json::Value;

use crate::{ContractError, Result, json};

/// Passes a failure that says what kind it is and what happened.
pub(crate) fn check_failure(code: &'static str, failure: &Value) -> Result<()> {
    if !json::is_container(failure) {
        return Err(ContractError::field(code, "failure", "must be an array when present"));
    }
    for key in ["type", "message"] {
        if failure.get(key).and_then(Value::as_str).is_none_or(str::is_empty) {
            return Err(ContractError::field(code, format!("failure.{key}"), "must be a non-empty string"));
        }
    }
    Ok(())
}
