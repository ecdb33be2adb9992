//! Tasks: what is normal stays so, and a selected target is one that is listed.

use proptest::prelude::*;
use provost_contract::json::{self, Object};
use provost_contract::task::{Placement, Target, TargetList, TaskIds, TaskInput, TaskResult, select_target};
use serde_json::Value;

use crate::corpus::{Corpus, check, normalising_twice_changes_nothing};

const IDS: TaskIds<'static> = TaskIds { session_id: "task_session_1", run_id: "task_run_1" };

fn object(value: &Value) -> Object {
    json::into_object(value.clone())
}

#[test]
fn normal_tasks_stay_as_they_are() {
    let tasks = Corpus::of("tasks");
    normalising_twice_changes_nothing(&tasks.near("input"), |value| {
        Ok(TaskInput::parse(&object(value), IDS)?.to_value())
    });
    normalising_twice_changes_nothing(&tasks.near("placement"), |value| {
        Ok(Placement::parse(&object(value)).to_value())
    });
    normalising_twice_changes_nothing(&tasks.near("target"), |value| Ok(Target::parse(value)?.to_value()));
    normalising_twice_changes_nothing(&tasks.near("run"), |value| Ok(TaskResult::parse(value)?.to_value()));
}

#[test]
fn a_selected_target_is_one_that_is_listed() {
    let tasks = Corpus::of("tasks");
    check(&(tasks.near("targets"), tasks.near("placement")), |(targets, placement)| {
        let Ok(targets) = TargetList::parse(&targets) else { return Ok(()) };
        let placement = Placement::parse(&object(&placement));
        let selected = select_target(&targets, &placement);
        prop_assert_eq!(selected.is_some(), targets.passing(placement.filter()).next().is_some());
        prop_assert!(selected.is_none_or(|target| target.passes(placement.filter())));
        Ok(())
    });
}
