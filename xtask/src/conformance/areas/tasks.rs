//! Area `tasks`.

mod script;

use provost_contract::run::RunResult;
use provost_contract::task::{
    Filter, Placement, Target, TargetList, TaskIds, TaskInput, TaskResult, select_target,
};
use serde_json::Value;

use super::{Answer, input, object, unknown_operation};

const IDS: TaskIds<'static> = TaskIds { session_id: "task_session_0", run_id: "task_run_0" };

pub(super) fn run(op: &str, case: &Value) -> Answer {
    match op {
        "normalize_input" => Ok(TaskInput::parse(&object(case, "input"), IDS)?.to_value()),
        "normalize_placement" => Ok(placement(case).to_value()),
        "normalize_target" => Ok(Target::parse(input(case, "target"))?.to_value()),
        "list_targets" => Ok(targets(case)?.to_value(&Filter::parse(&object(case, "filter")))),
        "select_target" => Ok(select_target(&targets(case)?, &placement(case)).map(Target::id).into()),
        "normalize_result" => Ok(result(case)?.to_value()),
        "to_run_envelope" => Ok(RunResult::from(&result(case)?).to_value()),
        "script" => script::run(case),
        _ => unknown_operation(op),
    }
}

fn result(case: &Value) -> Result<TaskResult, Value> {
    Ok(TaskResult::parse(input(case, "run"))?)
}

fn placement(case: &Value) -> Placement {
    Placement::parse(&object(case, "placement"))
}

fn targets(case: &Value) -> Result<TargetList, Value> {
    Ok(TargetList::parse(input(case, "targets"))?)
}
