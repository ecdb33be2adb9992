//! Area `workspace-scope`.

use provost_contract::WorkspaceScope;
use serde_json::Value;

use super::{Answer, input, text, unknown_operation};

pub(super) fn run(op: &str, case: &Value) -> Answer {
    match op {
        "from_map" => Ok(WorkspaceScope::parse(input(case, "scope"))?.to_value()),
        "key" => Ok(WorkspaceScope::parse(input(case, "scope"))?.key().into()),
        "strict" => {
            Ok(WorkspaceScope::new(text(case, "workspace_type"), text(case, "workspace_id"))?.to_value())
        }
        _ => unknown_operation(op),
    }
}
