//! Area `approvals`.

mod scripted;

use provost_contract::approval::{Decision, PendingAction, PendingActionStatus, Verdict, approval_message};
use serde_json::Value;

use super::{Answer, input, list, object, text, unknown_operation};

pub(super) fn run(op: &str, case: &Value) -> Answer {
    match op {
        "status" => Ok(PendingActionStatus::parse(text(case, "status"))?.to_value()),
        "decision" => {
            let verdict = Verdict::parse(text(case, "value"))?;
            let remember = input(case, "remember").as_bool().unwrap_or_default();
            Ok(Decision { verdict, remember }.to_value())
        }
        "create" => Ok(PendingAction::parse(input(case, "action"))?.to_object().into()),
        "approval_envelope" => {
            let instruction = input(case, "instruction").as_str();
            let action = PendingAction::parse(input(case, "action"))?;
            let message =
                approval_message(&action, instruction, list(case, "grants"), object(case, "metadata"));
            Ok(message.to_value())
        }
        "resolve" => scripted::resolve(case),
        "get" => scripted::get(case),
        "list" => scripted::list_actions(case),
        "store_script" => scripted::store_script(case),
        "resolve_with_handler" => scripted::resolve_with_handler(case),
        _ => unknown_operation(op),
    }
}
