//! Limits on tokens, time, cost, retries and parallelism.

use serde_json::Value;

use super::CODE;
use super::rule::Policy;
use crate::json::{self as read, Object};
use crate::{ContractError, Result};

/// What may be spent; a limit nobody set does not bind.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BudgetPolicy {
    /// Tokens shown to the model of one result; at least one.
    pub max_tokens: Option<u64>,
    /// Milliseconds of wall clock; at least one.
    pub max_ms: Option<u64>,
    /// Millionths of the account's currency.
    pub max_cost_micros: Option<u64>,
    /// Attempts after the first.
    pub max_retries: Option<u64>,
    /// Actions at once; at least one.
    pub max_parallel: Option<u64>,
}

const KEYS: [&str; 5] = ["max_tokens", "max_ms", "max_cost_micros", "max_retries", "max_parallel"];

impl Policy for BudgetPolicy {
    fn read(field: &str, value: &Value) -> Result<Self> {
        let Some(raw) = value.as_object() else {
            return Err(ContractError::field(CODE, field, "must be an object of limits"));
        };
        read::only_keys(CODE, field, raw, &KEYS)?;
        let limit = |key, least| read_limit(field, raw, key, least);
        Ok(Self {
            max_tokens: limit("max_tokens", 1)?,
            max_ms: limit("max_ms", 1)?,
            max_cost_micros: limit("max_cost_micros", 0)?,
            max_retries: limit("max_retries", 0)?,
            max_parallel: limit("max_parallel", 1)?,
        })
    }

    fn wire(&self) -> Value {
        let limits =
            [self.max_tokens, self.max_ms, self.max_cost_micros, self.max_retries, self.max_parallel];
        let set = KEYS.into_iter().zip(limits).filter_map(|(key, limit)| Some((key, limit?)));
        Value::Object(set.map(|(key, limit)| (key.to_owned(), limit.into())).collect())
    }

    fn strictest(self, other: Self) -> Self {
        Self {
            max_tokens: lower(self.max_tokens, other.max_tokens),
            max_ms: lower(self.max_ms, other.max_ms),
            max_cost_micros: lower(self.max_cost_micros, other.max_cost_micros),
            max_retries: lower(self.max_retries, other.max_retries),
            max_parallel: lower(self.max_parallel, other.max_parallel),
        }
    }
}

fn lower(left: Option<u64>, right: Option<u64>) -> Option<u64> {
    left.into_iter().chain(right).min()
}

fn read_limit(field: &str, raw: &Object, key: &str, least: u64) -> Result<Option<u64>> {
    let Some(value) = read::present(raw, key) else { return Ok(None) };
    match value.as_u64().filter(|limit| *limit >= least) {
        Some(limit) => Ok(Some(limit)),
        None => {
            let reason = format!("must be an integer of at least {least}");
            Err(ContractError::field(CODE, format!("{field}.{key}"), &reason))
        }
    }
}
