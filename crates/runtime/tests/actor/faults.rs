//! A drain, and a run that makes no progress.

use provost_engine::event::{EndStatus, EventKind};
use serde_json::json;

use super::world::{Does, Process, Reply, end, gone, until};

#[tokio::test(start_paused = true)]
async fn a_drained_worker_leaves_its_run_to_the_next() {
    let process = Process::start(json!({})).await;
    process.tool("kb/read", Does::Never);
    process.replies([Reply::Calls(vec![("kb/read", json!({}))])]);
    let mut events = process.begin("run-1").await;
    process.script.began.notified().await;
    process.dispatcher.drain().await;
    let EventKind::AttemptEnded(lost) = until(&mut events, "attempt_ended").await else { panic!() };
    assert!(matches!(lost.outcome, provost_engine::event::Outcome::Lost { gone: true, .. }));
    let clock = super::world::clock();
    let other = Process::over(process.store.clone(), clock, "worker-2", json!({})).await;
    assert_eq!(end(&mut events).await, EndStatus::Completed);
    assert_eq!(other.script.executed(), ["kb/read"]);
}

#[tokio::test(start_paused = true)]
async fn a_run_that_is_claimed_again_and_again_without_progress_is_interrupted() {
    let process = Process::start(json!({})).await;
    *process.script.found.lock().unwrap() = gone();
    process.tool("kb/read", Does::Never);
    process.replies([Reply::Calls(vec![("kb/read", json!({}))])]);
    let mut events = process.begin("run-1").await;
    process.script.began.notified().await;
    let mut others = vec![process];
    for number in 2..8 {
        let store = others[0].store.clone();
        let clock = super::world::clock();
        let other = Process::over(store.clone(), clock, &format!("worker-{number}"), json!({})).await;
        other.tool("kb/read", Does::Never);
        *other.script.found.lock().unwrap() = gone();
        store.bury(format!("worker-{}", number - 1).parse().unwrap()).await.unwrap();
        let claimed = until(&mut events, "run_claimed");
        if tokio::time::timeout(std::time::Duration::from_secs(60), claimed).await.is_err() {
            break;
        }
        others.push(other);
    }
    let run = store_status(&others[0]).await;
    assert!(matches!(run.as_str(), "interrupted" | "completed"), "{run}");
}

async fn store_status(process: &Process) -> String {
    process.status("run-1").await
}
