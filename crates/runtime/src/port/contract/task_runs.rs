//! What the runs of tasks promise.

use provost_contract::task::{TaskResult, TaskStatus};
use serde_json::json;

use super::promises;
use super::sample::must;
use crate::port::{Stores, TaskCancel};

promises![
    a_run_is_claimed_once_for_ever,
    of_many_claimants_one_wins,
    a_result_replaces_what_was_known,
    a_run_nobody_claimed_takes_no_result,
    a_run_that_goes_on_is_asked_to_stop,
    a_run_that_ended_stays_as_it_is,
];

fn task(run_id: &str, status: TaskStatus) -> TaskResult {
    let raw = json!({
        "run_id": run_id, "session_id": "s", "executor_id": "any", "status": status,
        "owner": { "type": "user", "key": "7" }, "output": { "č": [1, null] }, "metadata": { "m": 1 },
        "execution_metrics": { "wall_time_ms": 5 }, "started_at": "then", "updated_at": "now",
    });
    must(TaskResult::parse(&raw))
}

async fn a_run_is_claimed_once_for_ever(stores: Stores) {
    assert_eq!(must(stores.task_runs.get("r").await), None);
    assert!(must(stores.task_runs.claim(task("r", TaskStatus::Running)).await));
    assert!(!must(stores.task_runs.claim(task("r", TaskStatus::Queued)).await));
    must(stores.task_runs.put(task("r", TaskStatus::Failed)).await);
    assert!(!must(stores.task_runs.claim(task("r", TaskStatus::Running)).await), "also after it ended");
    assert_eq!(must(stores.task_runs.get("r").await), Some(task("r", TaskStatus::Failed)));
}

async fn of_many_claimants_one_wins(stores: Stores) {
    let mut claimants = tokio::task::JoinSet::new();
    for _ in 0..16 {
        let task_runs = stores.task_runs.clone();
        claimants.spawn(async move { must(task_runs.claim(task("r", TaskStatus::Running)).await) });
    }
    assert_eq!(claimants.join_all().await.into_iter().filter(|won| *won).count(), 1);
}

async fn a_result_replaces_what_was_known(stores: Stores) {
    must(stores.task_runs.claim(task("r", TaskStatus::Running)).await);
    assert!(must(stores.task_runs.put(task("r", TaskStatus::Succeeded)).await));
    assert_eq!(must(stores.task_runs.get("r").await), Some(task("r", TaskStatus::Succeeded)));
}

async fn a_run_nobody_claimed_takes_no_result(stores: Stores) {
    assert!(!must(stores.task_runs.put(task("r", TaskStatus::Succeeded)).await));
    assert_eq!(must(stores.task_runs.get("r").await), None);
    assert_eq!(must(stores.task_runs.cancel("r", "later").await), TaskCancel::Unknown);
}

async fn a_run_that_goes_on_is_asked_to_stop(stores: Stores) {
    must(stores.task_runs.claim(task("r", TaskStatus::Running)).await);
    let mut asked = task("r", TaskStatus::Cancelling);
    asked.updated_at = "later".to_owned();
    assert_eq!(must(stores.task_runs.cancel("r", "later").await), TaskCancel::Asked(asked.clone()));
    assert_eq!(must(stores.task_runs.cancel("r", "later").await), TaskCancel::Asked(asked.clone()));
    assert_eq!(must(stores.task_runs.get("r").await), Some(asked));
}

async fn a_run_that_ended_stays_as_it_is(stores: Stores) {
    must(stores.task_runs.claim(task("r", TaskStatus::Running)).await);
    must(stores.task_runs.put(task("r", TaskStatus::Succeeded)).await);
    let ended = task("r", TaskStatus::Succeeded);
    assert_eq!(must(stores.task_runs.cancel("r", "later").await), TaskCancel::Ended(ended.clone()));
    assert_eq!(must(stores.task_runs.get("r").await), Some(ended));
}
