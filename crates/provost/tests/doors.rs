//! The doors to runs: keys of requests, events of any run, and several processes over one file.

use std::path::Path;

use provost::{
    Decision, EventKind, Request, RunEvents, RunStatus, Runtime, Script, Seq, StartError, Tool, WorkError,
};
use serde_json::json;

use crate::scene::{Ledger, Scene, Slow, Text, waits_for};

/// The kinds of the events up to the end of a run.
async fn kinds(events: &mut RunEvents) -> Vec<(u64, &'static str)> {
    let mut kinds = Vec::new();
    while let Some(event) = events.next_event().await {
        kinds.push((event.event.seq.0, event.event.kind.name()));
        if matches!(event.event.kind, EventKind::RunEnded(_)) {
            break;
        }
    }
    kinds
}

fn script() -> Script {
    Script::new().call("note/put", json!({ "text": "a" })).say("Done.")
}

#[tokio::test]
async fn a_request_with_a_key_begins_one_run() {
    let scene = Scene::new(script());
    let start = async |text: &str, key: Option<&str>| {
        let request = key.into_iter().fold(Request::new(text), |request, key| request.key(key));
        scene.runtime.start(request).await
    };
    let first = start("Go.", Some("k")).await.unwrap();
    let again = start("Go.", Some("k")).await.unwrap();
    assert_eq!(first.run(), again.run());
    assert_eq!(again.outcome().await.unwrap().status, RunStatus::Completed);
    let later = start("Go.", Some("k")).await.unwrap();
    assert_eq!((later.run(), scene.ledger.entries().len()), (first.run(), 1), "also when it is over");
    let other = start("Something else.", Some("k")).await.err();
    assert!(matches!(other, Some(StartError::KeyUsed { .. })), "{other:?}");
    for key in [Some("l"), None] {
        let own = start("Go.", key).await.unwrap();
        assert_ne!(own.run(), first.run());
        own.outcome().await.unwrap();
    }
    assert_eq!(scene.ledger.entries().len(), 3);
}

#[tokio::test]
async fn events_are_the_same_live_and_afterwards_and_from_any_position() {
    let scene = Scene::new(script());
    let run = scene.runtime.start("Go.").await.unwrap();
    let live = kinds(&mut run.events().await.unwrap()).await;
    assert_eq!(live.first(), Some(&(1, "run_accepted")));
    assert_eq!(
        live.iter().map(|(seq, _)| *seq).collect::<Vec<_>>(),
        (1..=live.len() as u64).collect::<Vec<_>>()
    );
    assert_eq!(kinds(&mut run.events().await.unwrap()).await, live);
    let rest = kinds(&mut scene.runtime.events(run.run(), Seq(3)).await.unwrap()).await;
    assert_eq!(rest, live[3..]);
}

/// A runtime of its own over a file, as another process has.
fn process(folder: &Path, script: Script, more: Vec<Tool>) -> (Runtime, Ledger) {
    let ledger = Ledger::default();
    let noted = ledger.clone();
    let look = Tool::new("note/look", "Looks.", move |text: Text| {
        noted.note(format!("look {}", text.text));
        async { Ok(()) }
    });
    let builder = Runtime::builder().model(script).tool(look.reads().asks());
    let builder = more.into_iter().fold(builder, provost::Builder::tool);
    (builder.sqlite(folder.join("provost.db")).build().unwrap(), ledger)
}

#[tokio::test]
async fn another_runtime_on_the_same_file_reads_runs_and_their_events() {
    let folder = tempfile::tempdir().unwrap();
    let (first, _) = process(folder.path(), Script::new().say("Done."), Vec::new());
    let run = first.start("Go.").await.unwrap();
    let done = run.outcome().await.unwrap();
    let seen = kinds(&mut run.events().await.unwrap()).await;
    let (second, _) = process(folder.path(), Script::new(), Vec::new());
    assert_eq!(kinds(&mut second.events(&done.run, Seq(0)).await.unwrap()).await, seen);
    let read = second.outcome(&done.run).await.unwrap();
    assert_eq!((read.status, read.result), (done.status, done.result));
    let unknown = second.outcome(&"run-none".parse().unwrap()).await.err();
    assert!(matches!(unknown, Some(WorkError::UnknownRun(_))), "{unknown:?}");
}

/// The run is at work in one process while another answers: the answer reaches it there.
#[tokio::test]
async fn an_answer_from_another_runtime_reaches_a_run_at_work() {
    let folder = tempfile::tempdir().unwrap();
    let (script, noted) = (Script::new(), Ledger::default());
    let script = script
        .calls([("note/look", json!({ "text": "a" })), ("slow/first", json!({ "text": "1" }))])
        .say("Done.");
    let (slow, tool) = Slow::tool("slow/first", &noted);
    let (first, ledger) = process(folder.path(), script.clone(), vec![tool.reads()]);
    let run = first.start("Go.").await.unwrap();
    let mut events = run.events().await.unwrap();
    slow.began.notified().await;

    let (_, other) = Slow::tool("slow/first", &noted);
    let (second, elsewhere) = process(folder.path(), script, vec![other.reads()]);
    let wait = second.pending().await.unwrap().remove(0);
    assert_eq!((&wait.wait.run, wait.label.as_str()), (run.run(), "call-1-1"));
    let answered = second.decide(&wait.wait.to_string(), Decision::approve("grace")).await.unwrap();
    // The tool that runs meanwhile ends only after the answer had its effect.
    let looked = async {
        while let Some(event) = events.next_event().await {
            if let EventKind::ActionEnded(ended) = &event.event.kind
                && ended.action == wait.action
            {
                return;
            }
        }
    };
    looked.await;
    assert_eq!((ledger.entries(), elsewhere.entries()), (vec!["look a".to_owned()], vec![]));
    slow.end.notify_one();
    assert_eq!(run.outcome().await.unwrap().status, RunStatus::Completed);
    assert_eq!(answered.outcome().await.unwrap().text(), "Done.");
}

/// A run that rests goes on where it is answered, also when the process that began it is there no more.
#[tokio::test]
async fn a_run_that_rests_goes_on_in_the_process_that_answers() {
    let folder = tempfile::tempdir().unwrap();
    let script = || Script::new().call("note/look", json!({ "text": "a" })).say("Done.");
    let (first, ledger) = process(folder.path(), script(), Vec::new());
    let waiting = first.start("Go.").await.unwrap().outcome().await.unwrap();
    assert_eq!(waits_for(&waiting), ["approval call-1-1"]);
    first.drain().await;
    let (second, elsewhere) = process(folder.path(), script(), Vec::new());
    let wait = second.pending().await.unwrap()[0].wait.to_string();
    let done = second.decide(&wait, Decision::approve("grace")).await.unwrap().outcome().await.unwrap();
    assert_eq!((done.status, done.text()), (RunStatus::Completed, "Done."));
    assert_eq!((ledger.entries(), elsewhere.entries()), (vec![], vec!["look a".to_owned()]));
}
