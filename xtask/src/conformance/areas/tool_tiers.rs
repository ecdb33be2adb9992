//! Area `tool-tiers`.

use provost_contract::json;
use provost_policy::tool_tiers::{HARD_CAP_DEFAULT, TierRequest};
use serde_json::Value;

use super::{Answer, input, object, unknown_operation};

pub(super) fn run(op: &str, case: &Value) -> Answer {
    match op {
        "resolve" => {
            let hard_cap = input(case, "hard_cap").as_i64().unwrap_or(HARD_CAP_DEFAULT);
            let request = TierRequest::parse(&object(case, "context"), hard_cap);
            let usage = object(case, "usage");
            let most_used = usage.get(request.workspace()).map(json::string_list).unwrap_or_default();
            Ok(request.split(&object(case, "tools"), &most_used).to_value())
        }
        _ => unknown_operation(op),
    }
}
