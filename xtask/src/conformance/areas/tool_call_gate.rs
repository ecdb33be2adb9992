//! Area `tool-call-gate`.

use provost_contract::Message;
use provost_policy::tool_call_gate::{self as gate, GateRule};
use serde_json::{Value, json};

use super::{Answer, list, text, unknown_operation};

pub(super) fn run(op: &str, case: &Value) -> Answer {
    let rules = gate::normalize_rules(list(case, "rules"));
    let messages = Message::parse_many(list(case, "messages"))?;
    match op {
        "normalize_rules" => Ok(rules.iter().map(GateRule::to_value).collect()),
        "evaluate_call" => Ok(gate::to_value(&gate::evaluate_call(
            &rules,
            text(case, "tool_name"),
            &gate::tool_calls(&messages),
        ))),
        "evaluate_completion" => {
            Ok(gate::to_value(&gate::evaluate_completion(&rules, &gate::tool_calls(&messages))))
        }
        "messages_before" => Ok(json!(gate::messages_before(&messages, text(case, "tool_call_id")).len())),
        _ => unknown_operation(op),
    }
}
