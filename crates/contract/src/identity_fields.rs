//! How principals, grants and tokens read their fields: loosely in type, strictly in meaning.

use std::num::NonZeroU64;

use serde_json::Value;

use crate::json::{self, Object};
use crate::{ContractError, Result, UserId, loose};

/// The text under `key`, untrimmed; empty when it is missing or no scalar.
pub(crate) fn text(raw: &Object, key: &str) -> String {
    raw.get(key).and_then(loose::scalar).unwrap_or_default()
}

/// The text under `key`; absent and null are none, what is no scalar is empty.
pub(crate) fn optional_text(raw: &Object, key: &str) -> Option<String> {
    json::present(raw, key).map(|value| loose::scalar(value).unwrap_or_default())
}

/// The text under `key`, which must hold more than blanks.
pub(crate) fn non_blank(raw: &Object, key: &str, code: &'static str) -> Result<String> {
    let text = text(raw, key);
    if text.trim().is_empty() {
        return Err(ContractError::field(code, key, "must be a non-empty string"));
    }
    Ok(text)
}

/// Refuses an optional text that is there but blank.
pub(crate) fn refuse_blank(text: Option<&str>, field: &str, code: &'static str) -> Result<()> {
    if text.is_some_and(|text| text.trim().is_empty()) {
        return Err(ContractError::field(code, field, "must be null or a non-empty string"));
    }
    Ok(())
}

/// The user under `key`; nobody when it is missing.
pub(crate) fn user(raw: &Object, key: &str, code: &'static str) -> Result<UserId> {
    raw.get(key).map_or(Ok(UserId::NOBODY), |value| UserId::parse(value, code, key))
}

/// The number under `key`, which must be positive.
pub(crate) fn positive(raw: &Object, key: &str, code: &'static str) -> Result<NonZeroU64> {
    raw.get(key)
        .and_then(positive_number)
        .ok_or_else(|| ContractError::field(code, key, "must be a positive integer"))
}

/// The number under `key`; absent and null are none, anything else must be positive.
pub(crate) fn optional_positive(raw: &Object, key: &str, code: &'static str) -> Result<Option<NonZeroU64>> {
    let Some(value) = json::present(raw, key) else { return Ok(None) };
    positive_number(value)
        .map(Some)
        .ok_or_else(|| ContractError::field(code, key, "must be null or a positive integer"))
}

fn positive_number(value: &Value) -> Option<NonZeroU64> {
    loose::integer(value).and_then(|number| u64::try_from(number).ok()).and_then(NonZeroU64::new)
}
