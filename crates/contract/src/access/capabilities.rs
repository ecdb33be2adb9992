//! Lists of capabilities, as tokens and ceilings carry them.

use serde_json::Value;

use crate::json::{self, Object};
use crate::{ContractError, Result, loose};

/// Reads a list that restricts: null is no restriction, an empty list allows or denies nothing, and what
/// is no list at all counts as the empty one. A blank member is refused.
pub(super) fn parse(object: &Object, field: &str, code: &'static str) -> Result<Option<Vec<String>>> {
    let Some(value) = json::present(object, field) else { return Ok(None) };
    let members: Vec<String> = value.as_array().into_iter().flatten().filter_map(loose::scalar).collect();
    checked(members, field, code).map(Some)
}

/// Refuses a blank member. Members are compared exactly, so they are kept as they are written.
pub(super) fn checked(members: Vec<String>, field: &str, code: &'static str) -> Result<Vec<String>> {
    if members.iter().any(|member| member.trim().is_empty()) {
        return Err(ContractError::field(code, field, "must contain non-empty capability strings"));
    }
    Ok(members)
}

/// The wire form: null when nothing restricts.
pub(super) fn to_value(list: Option<&Vec<String>>) -> Value {
    list.map_or(Value::Null, |members| members.iter().map(String::as_str).collect())
}
