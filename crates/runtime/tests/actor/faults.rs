//! A drain, and a run that makes no progress.

use provost_engine::event::{Answer, Decision, EndStatus, EventKind};
use provost_runtime::verify::{
    AnchorFile, AnchorFinding, AnchorLine, check_anchors, erase_words, verify_run, verify_store,
};
use serde_json::json;

use provost_runtime::testing::{Does, Process, Reply, end, gone, until};

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
    let clock = provost_runtime::testing::clock();
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
        let clock = provost_runtime::testing::clock();
        let other = Process::over(store.clone(), clock, &format!("worker-{number}"), json!({})).await;
        other.tool("kb/read", Does::Never);
        *other.script.found.lock().unwrap() = gone();
        store.bury(format!("worker-{}", number - 1).parse().unwrap()).await.unwrap();
        if !is_claimed(&mut events).await {
            break;
        }
        others.push(other);
    }
    let run = store_status(&others[0]).await;
    assert!(matches!(run.as_str(), "interrupted" | "completed"), "{run}");
}

/// Waits until a worker claims the run; false when the run ends first.
async fn is_claimed(events: &mut provost_runtime::dispatch::RunEvents) -> bool {
    while let Some(event) = events.next_event().await {
        if event.event.kind.name() == "run_claimed" {
            return true;
        }
    }
    false
}

async fn store_status(process: &Process) -> String {
    process.status("run-1").await
}

#[tokio::test(start_paused = true)]
async fn words_can_be_erased_and_everything_still_verifies_and_goes_on() {
    let asks = json!({ "agent_config": { "action_policy": { "tools": { "kb/write": "preview" } } } });
    let process = Process::start(asks).await;
    process.replies([
        Reply::Calls(vec![("kb/read", json!({ "text": "secret".repeat(3_000) }))]),
        Reply::Calls(vec![("kb/write", json!({}))]),
    ]);
    let mut events = process.begin("run-1").await;
    let asked = provost_runtime::testing::wait(&mut events).await;
    let run: provost_engine::RunId = "run-1".parse().unwrap();
    let records = process.store.journal(run.clone(), provost_engine::Seq(0), 100).await.unwrap();
    let ended = records.iter().find(|record| &*record.kind == "action_ended").unwrap().seq;
    let why = (provost_runtime::testing::ada(), provost_engine::Time(1), "a secret was found".to_owned());
    erase_words(&*process.store, &run, ended, why).await.unwrap();
    let report = verify_run(&*process.store, &run).await.unwrap();
    assert_eq!((report.problems, report.erased), (Vec::new(), 1));
    let verdicts = asked.actions.iter().map(|id| (*id, Decision::Approve { edit: None })).collect();
    let yes = Answer::Verdicts { verdicts, remember: None, binding: asked.binding, reason: String::new() };
    process.doors.answer(&asked.wait, &yes, provost_runtime::testing::ada()).await.unwrap();
    assert_eq!(end(&mut events).await, EndStatus::Completed);
    let mut heads = Vec::new();
    let all = verify_store(&*process.store, |report| heads.push(report.head)).await.unwrap();
    assert_eq!((all.runs, all.broken, heads.len()), (1, 0, 1));
}

#[tokio::test(start_paused = true)]
async fn a_witness_confirms_ends_and_reports_what_is_missing() {
    let process = Process::start(json!({})).await;
    end(&mut process.begin("run-1").await).await;
    end(&mut process.begin("run-2").await).await;
    let row = process.store.run("run-1".parse().unwrap()).await.unwrap().unwrap().row;
    let line =
        AnchorLine::Ended { run: row.run.clone(), seq: row.head, hash: row.head_hash, at: row.updated };
    let folder = tempfile::tempdir().unwrap();
    let file = AnchorFile::new(folder.path().join("anchors.jsonl"));
    file.append(&line).unwrap();
    let report = check_anchors(&*process.store, &file.lines().unwrap().read).await.unwrap();
    assert_eq!(report.confirmed, 1);
    assert_eq!(report.findings, [("run-2".parse().unwrap(), AnchorFinding::Unanchored)]);
    assert!(!report.is_failure());
    // A power loss cut the next line: what follows it stands alone, and the cut one is reported.
    let path = folder.path().join("anchors.jsonl");
    let whole = std::fs::read(&path).unwrap();
    std::fs::write(&path, [&whole[..], &whole[..20]].concat()).unwrap();
    file.append(&line).unwrap();
    let lines = file.lines().unwrap();
    assert_eq!((lines.read, lines.unreadable), (vec![line.clone(), line], vec![2]));
    let other = AnchorLine::Ended {
        run: row.run,
        seq: row.head,
        hash: provost_engine::Digest::ZERO,
        at: row.updated,
    };
    let gone = AnchorLine::Ended {
        run: "run-9".parse().unwrap(),
        seq: row.head,
        hash: row.head_hash,
        at: row.updated,
    };
    let report = check_anchors(&*process.store, &[other, gone]).await.unwrap();
    assert!(report.is_failure());
    assert!(report.findings.iter().any(|(_, finding)| matches!(finding, AnchorFinding::Differs(_))));
    assert!(report.findings.iter().any(|(_, finding)| *finding == AnchorFinding::Missing));
}

#[tokio::test(start_paused = true)]
async fn a_worker_that_was_taken_for_dead_goes_on_under_another_id() {
    let process = Process::start(json!({})).await;
    *process.script.found.lock().unwrap() = gone();
    process.tool("kb/read", Does::Never);
    process.replies([Reply::Calls(vec![("kb/read", json!({}))])]);
    let mut events = process.begin("run-1").await;
    process.script.began.notified().await;
    process.tool("kb/read", Does::Succeeds);
    process.store.bury("worker-1".parse().unwrap()).await.unwrap();
    assert_eq!(end(&mut events).await, EndStatus::Completed);
    assert!(process.store.held("worker-1".parse().unwrap()).await.unwrap().is_empty());
    let mut again = process.begin("run-2").await;
    assert_eq!(end(&mut again).await, EndStatus::Completed, "it takes new runs");
}
