//! Area `approvals`.

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
        "create" => Ok(action(case)?.to_object().into()),
        "approval_envelope" => {
            let instruction = input(case, "instruction").as_str();
            let message =
                approval_message(&action(case)?, instruction, list(case, "grants"), object(case, "metadata"));
            Ok(message.to_value())
        }
        _ => unknown_operation(op),
    }
}

fn action(case: &Value) -> Result<PendingAction, Value> {
    Ok(PendingAction::parse(input(case, "action"))?)
}
