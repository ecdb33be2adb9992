//! Area `tool-pair-validator`.

use provost_contract::tool_pair::{self, Orphan};
use serde_json::{Value, json};

use super::{Answer, list, unknown_operation};

pub(super) fn run(op: &str, case: &Value) -> Answer {
    let messages = list(case, "messages");
    match op {
        "validate" => Ok(reports(&tool_pair::validate(messages)?)),
        "is_paired" => Ok(json!(tool_pair::is_paired(messages)?)),
        "prune" => {
            let pruned = tool_pair::prune(messages.to_vec())?;
            let (removed, event) = (reports(&pruned.removed), pruned.event());
            Ok(json!({ "messages": pruned.messages, "removed": removed, "events": [event] }))
        }
        _ => unknown_operation(op),
    }
}

fn reports(orphans: &[Orphan]) -> Value {
    orphans.iter().map(Orphan::to_value).collect()
}
