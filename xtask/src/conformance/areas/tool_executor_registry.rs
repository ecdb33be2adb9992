//! Area `tool-executor-registry`.

use provost_contract::tool::{RuntimeMetadata, ToolExecutorRegistry};
use serde_json::{Value, json};

use super::{Answer, object, text, unknown_operation};

pub(super) fn run(op: &str, case: &Value) -> Answer {
    match op {
        "target_of" => {
            let runtime = RuntimeMetadata::of(&object(case, "declaration"));
            Ok(runtime.executor_target().unwrap_or_default().into())
        }
        "lookup" => Ok(json!(registry(case).get(text(case, "target")))),
        "has_executors" => Ok((!registry(case).is_empty()).into()),
        _ => unknown_operation(op),
    }
}

/// Each executor is its own id; `false` stands for something that is no executor.
fn registry(case: &Value) -> ToolExecutorRegistry<String> {
    let executors = object(case, "registered").into_iter().filter(|(_, is_executor)| *is_executor == true);
    ToolExecutorRegistry::new(executors.map(|(id, _)| (id.clone(), id)))
}
