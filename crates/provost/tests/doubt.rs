//! A process that dies while a tool runs: what is not known is asked, and three answers settle it.

use std::sync::Arc;

use provost::{
    Call, Decision, EffectStatus, MemoryStore, Outcome, RunId, RunStatus, Runtime, Script, Store, Tool,
};
use provost_runtime::system::ManualClock;
use serde_json::json;

use crate::scene::{Ledger, Slow, Text, results, transcript, waits_for};

/// Longer than a worker that is gone holds its runs.
const LEASE_OVER_MS: i64 = 60_000;

struct Place {
    clock: Arc<ManualClock>,
    store: Arc<dyn Store>,
    ledger: Ledger,
}

impl Place {
    fn new() -> Self {
        let clock = Arc::new(ManualClock::at(1_780_000_000_000));
        let store: Arc<dyn Store> = Arc::new(MemoryStore::new(clock.clone()));
        Self { clock, store, ledger: Ledger::default() }
    }

    fn runtime(&self, tool: Tool) -> Runtime {
        let script = Script::new().call("slow/first", json!({ "text": "1" })).say("Done.");
        let builder = Runtime::builder().model(script).tool(tool).store(self.store.clone());
        builder.clock(self.clock.clone()).build().unwrap()
    }

    /// Begins a run in a process that dies while its tool is at work.
    fn dies(&self, reads: bool) -> RunId {
        let (slow, tool) = Slow::tool("slow/first", &Ledger::default());
        let runtime = self.runtime(if reads { tool.reads() } else { tool });
        let process = std::thread::spawn(move || {
            let threads = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            let run = threads.block_on(async {
                let run = runtime.start("Go.").await.unwrap();
                slow.began.notified().await;
                run.run().clone()
            });
            threads.shutdown_background();
            run
        });
        let run = process.join().unwrap();
        self.clock.advance(LEASE_OVER_MS);
        run
    }

    /// Another process, whose tool ends at once.
    fn next(&self, reads: bool) -> Runtime {
        let noted = self.ledger.clone();
        let tool = Tool::new("slow/first", "Notes.", move |text: Text| {
            noted.note(text.text);
            async { Ok("done") }
        });
        self.runtime(if reads { tool.reads() } else { tool })
    }
}

async fn go_on(runtime: &Runtime, run: &RunId) -> Outcome {
    runtime.resume(run).await.unwrap().outcome().await.unwrap()
}

#[tokio::test]
async fn a_call_of_which_nothing_is_known_is_asked_about_and_three_answers_settle_it() {
    let left = "call-1-1 The process that ran this was lost and may still run it, and it is not known whether it took effect. It was not \
                repeated: grace was asked and left it: no line. Look before you try again.";
    let cases = [
        (Decision::approve("grace"), "call-1-1 ok", json!("done"), 1),
        (Decision::reject("grace", "no line"), left, json!(null), 0),
        (Decision::happened("grace", "line 17"), "call-1-1 ok", json!("line 17"), 0),
    ];
    for (decision, told, result, ran) in cases {
        let place = Place::new();
        let run = place.dies(false);
        let runtime = place.next(false);
        let waiting = go_on(&runtime, &run).await;
        assert_eq!(waits_for(&waiting), ["in_doubt call-1-1"]);
        assert!(place.ledger.entries().is_empty(), "nothing is repeated unasked");
        let asked = runtime.pending().await.unwrap().remove(0);
        assert!(
            asked.in_doubt && asked.summary.contains("not known whether it took effect"),
            "{}",
            asked.summary
        );
        let decided = runtime.decide(&asked.wait.to_string(), decision).await.unwrap();
        let done = decided.outcome().await.unwrap();
        assert_eq!((done.status, results(&done)), (RunStatus::Completed, vec![told.to_owned()]));
        assert_eq!(done.result["tool_execution_results"][0]["result"]["result"], result);
        assert_eq!(place.ledger.entries().len(), ran);
    }
}

/// What only reads has no effect to doubt: it simply runs again.
#[tokio::test]
async fn what_only_reads_runs_again_unasked() {
    let place = Place::new();
    let run = place.dies(true);
    let done = go_on(&place.next(true), &run).await;
    assert_eq!((done.status, results(&done)), (RunStatus::Completed, vec!["call-1-1 ok".to_owned()]));
    assert_eq!(place.ledger.entries(), ["1"]);
}

/// A message takes no such question back: whether something happened does not change with it.
#[tokio::test]
async fn a_message_waits_behind_what_is_in_doubt() {
    let place = Place::new();
    let run = place.dies(false);
    let runtime = place.next(false);
    let waiting = go_on(&runtime, &run).await;
    let wait = waiting.waits[0].wait.to_string();
    let spoken = runtime.say(&run, "ada", "Well?").await.unwrap().outcome().await.unwrap();
    assert_eq!(waits_for(&spoken), ["in_doubt call-1-1"]);
    let decided = runtime.decide(&wait, Decision::reject("grace", "")).await.unwrap();
    let done = decided.outcome().await.unwrap();
    let said = transcript(&done);
    assert_eq!(said.last().map(String::as_str), Some("assistant text  Done."), "{said:?}");
    assert!(said.iter().any(|line| line == "user text  Well?"), "{said:?}");
}

/// What the tool itself finds out by its key, nobody is asked about.
#[tokio::test]
async fn a_probe_answers_for_a_call_that_was_under_way() {
    let found = [
        (EffectStatus::Done(json!("paid")), RunStatus::Completed, 0),
        // The process that began it is this one: it is not gone, so nothing runs again unasked.
        (EffectStatus::NotDone, RunStatus::Waiting, 0),
        (EffectStatus::Unknown, RunStatus::Waiting, 0),
    ];
    for (status, ended, times) in found {
        let place = Place::new();
        let run = place.dies(false);
        let (noted, known) = (place.ledger.clone(), status.clone());
        let tool = Tool::new("slow/first", "Notes.", move |text: Text| {
            noted.note(text.text);
            async { Ok("done") }
        });
        let tool = tool.probe_effect(move |_: Text, call: Call| {
            assert!(!call.key.is_empty());
            let known = known.clone();
            async move { known }
        });
        let outcome = go_on(&place.runtime(tool), &run).await;
        assert_eq!((outcome.status, place.ledger.entries().len()), (ended, times), "{status:?}");
    }
}
