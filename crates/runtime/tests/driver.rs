//! The driver over ports in memory: what is durable when, what never enters the journal, who cannot hurt.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use provost_runtime::RunId;
use provost_runtime::driver::{Executors, Finished, Host, Run, RunError, Start};
use provost_runtime::engine::RunStatus;
use provost_runtime::memory::{ManualClock, Storage};
use provost_runtime::port::{
    Boxed, Epoch, EventSink, ExecutorError, FinishedRun, HostError, Journal, Model, ModelError, Observed,
    Persister, Record, Seq, ToolAction, ToolExecutor, TurnAnswer, TurnRequest,
};
use serde_json::{Value, json};

const SECRET: &str = "tok-9-do-not-write-this-down";

/// Calls one tool in each of its first turns, then stops.
struct Caller {
    turns: u64,
}

impl Model for Caller {
    fn turn<'a>(&'a self, request: TurnRequest<'a>) -> Boxed<'a, Result<TurnAnswer, ModelError>> {
        let question = format!("bed {:04}", request.turn);
        let calls = json!([{ "id": format!("call-{:04}", request.turn), "name": "kb/find", "parameters": { "q": question, "token": SECRET } }]);
        let calls = if request.turn <= self.turns { calls } else { json!([]) };
        Box::pin(async move { Ok(TurnAnswer::Host(json!({ "content": "", "tool_calls": calls }))) })
    }
}

/// Remembers what it was given, and how far the journal was durable by then.
struct Finder {
    journal: Arc<Storage>,
    given: Mutex<Vec<(Value, Vec<String>)>>,
}

impl ToolExecutor for Finder {
    fn execute<'a>(&'a self, action: ToolAction<'a>) -> Boxed<'a, Result<Value, ExecutorError>> {
        Box::pin(async move {
            let durable = records(&self.journal).await;
            let kinds = durable.iter().map(|record| record.kind.to_string()).collect();
            self.given.lock().unwrap().push((action.call.to_value(), kinds));
            Ok(json!({ "success": true, "result": { "found": true } }))
        })
    }
}

struct Failing(AtomicUsize);

impl EventSink for Failing {
    fn emit(&self, _observed: &Observed) -> Result<(), HostError> {
        self.0.fetch_add(1, Ordering::Relaxed);
        Err(HostError("nobody listens".to_owned()))
    }
}

impl Persister for Failing {
    fn persist<'a>(&'a self, _run: FinishedRun<'a>) -> Boxed<'a, Result<(), HostError>> {
        self.0.fetch_add(1, Ordering::Relaxed);
        Box::pin(async { Err(HostError("nothing is kept".to_owned())) })
    }
}

fn run_id() -> RunId {
    "run_driver".parse().unwrap()
}

pub(crate) async fn records(journal: &Storage) -> Vec<Record> {
    journal.read(&run_id(), Seq::FIRST, usize::MAX).await.unwrap()
}

pub(crate) struct Scene {
    pub(crate) journal: Arc<Storage>,
    finder: Arc<Finder>,
    pub(crate) clock: Arc<ManualClock>,
    pub(crate) host: Host,
}

impl Scene {
    pub(crate) fn new(turns: u64) -> Self {
        let clock = Arc::new(ManualClock::at(1_000));
        let journal = Storage::new();
        let finder = Arc::new(Finder { journal: journal.clone(), given: Mutex::default() });
        let mut host = Host::new(clock.clone(), Arc::new(Caller { turns }));
        host.executors = Some(Executors::new(finder.clone()));
        Self { journal, finder, clock, host }
    }

    pub(crate) async fn drive(&self, epoch: Epoch) -> Result<Finished, RunError> {
        let options = json!({
            "max_turns": 1_000,
            "tool_declarations": { "kb/find": { "name": "kb/find", "description": "Find." } },
        });
        let start = Start::read(&[], options.as_object().unwrap(), &self.host).unwrap();
        Run::drive(&self.host, &*self.journal, run_id(), epoch, start).await
    }
}

#[tokio::test]
async fn the_start_of_an_action_is_durable_before_anybody_acts() {
    let scene = Scene::new(2);
    let finished = scene.drive(Epoch::NONE).await.unwrap();
    assert_eq!(finished.status, RunStatus::Completed);
    let given = scene.finder.given.lock().unwrap().clone();
    assert_eq!(given.len(), 2);
    for (_, durable) in given {
        assert_eq!(durable.last().map(String::as_str), Some("action_started"));
    }
}

#[tokio::test]
async fn nothing_is_done_that_cannot_be_written_down() {
    let scene = Scene::new(1);
    let refused = scene.drive(Epoch(7)).await;
    assert!(matches!(refused, Err(RunError::Journal(_))), "the claim is not ours");
    assert!(scene.finder.given.lock().unwrap().is_empty());
}

#[tokio::test]
async fn a_secret_reaches_the_executor_and_nothing_that_is_kept() {
    let scene = Scene::new(1);
    let finished = scene.drive(Epoch::NONE).await.unwrap();
    let given = scene.finder.given.lock().unwrap().clone();
    assert_eq!(given[0].0["parameters"]["token"], SECRET);
    for record in records(&scene.journal).await {
        let body = String::from_utf8_lossy(&record.body).into_owned();
        assert!(!body.contains(SECRET), "{}: {body}", record.kind);
    }
    assert!(!finished.result().unwrap().to_string().contains(SECRET));
    assert!(finished.result().unwrap().to_string().contains("[redacted]"));
}

#[tokio::test]
async fn a_watcher_and_a_persister_that_fail_change_nothing() {
    let quiet = Scene::new(2).drive(Epoch::NONE).await.unwrap();
    let mut scene = Scene::new(2);
    let failing = Arc::new(Failing(AtomicUsize::new(0)));
    scene.host.sink = Some(failing.clone());
    scene.host.persister = Some(failing.clone());
    let watched = scene.drive(Epoch::NONE).await.unwrap();
    assert_eq!(watched.result().unwrap(), quiet.result().unwrap());
    assert!(failing.0.load(Ordering::Relaxed) > 3, "both were there");
}

#[tokio::test]
async fn a_turn_writes_what_happened_in_it_however_long_the_run_is() {
    let scene = Scene::new(200);
    scene.drive(Epoch::NONE).await.unwrap();
    let mut turns: Vec<usize> = Vec::new();
    for record in records(&scene.journal).await {
        if record.kind == "turn_started" {
            turns.push(0);
        }
        if let Some(bytes) = turns.last_mut() {
            *bytes += record.body.len();
        }
    }
    // The number of a turn may take a digit or two more.
    assert!(turns[190].abs_diff(turns[10]) < 40, "turn 10: {}, turn 190: {}", turns[10], turns[190]);
}
