//! Area `caller-context`.

use provost_contract::{CallerContext, MaxChainDepth};
use serde_json::{Value, json};

use super::{Answer, input, text, unknown_operation};

/// Stands in for the id a host gives each request.
pub(super) const REQUEST_ID: &str = "request-1";

pub(super) fn run(op: &str, case: &Value) -> Answer {
    match op {
        "from_headers" => Ok(from_headers(case)?.to_value()),
        "from_array" => Ok(stored(case)?.to_value()),
        "top_of_chain" => Ok(top_of_chain(text(case, "chain_root_request_id"))?.to_value()),
        "to_headers" => Ok(stored(case)?.to_headers()),
        "is_cross_site" => Ok(json!(stored(case)?.is_cross_site())),
        _ => unknown_operation(op),
    }
}

fn stored(case: &Value) -> Result<CallerContext, Value> {
    Ok(CallerContext::parse(input(case, "context"))?)
}

fn top_of_chain(given: &str) -> Result<CallerContext, Value> {
    Ok(CallerContext::top_of_chain(if given.is_empty() { REQUEST_ID } else { given })?)
}

fn from_headers(case: &Value) -> Result<CallerContext, Value> {
    let headers = headers(input(case, "headers"));
    Ok(CallerContext::from_headers(headers, max_chain_depth(case)?, REQUEST_ID)?)
}

/// The limit a case sets, or the usual one.
pub(super) fn max_chain_depth(case: &Value) -> Result<MaxChainDepth, Value> {
    Ok(input(case, "max_chain_depth").as_i64().map(MaxChainDepth::new).transpose()?.unwrap_or_default())
}

/// A map of header name to value or values, as the pairs a server reads.
pub(super) fn headers(map: &Value) -> Vec<(&str, &str)> {
    map.as_object()
        .into_iter()
        .flatten()
        .flat_map(|(name, value)| match value {
            Value::Array(values) => values.iter().map(|value| (name.as_str(), value)).collect(),
            _ => vec![(name.as_str(), value)],
        })
        .filter_map(|(name, value)| Some((name, value.as_str()?)))
        .collect()
}
