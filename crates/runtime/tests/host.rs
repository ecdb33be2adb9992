//! Runs with the parts of a host.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use provost_policy::{ActionPolicy, HookAnswer};
use provost_runtime::host::{Executors, Host};
use provost_runtime::port::{
    Boxed, DiagnosedResult, ExecutorError, HostError, MediatedCall, Model, ModelError, PolicyProvider,
    Recalled, ResultDiagnostics, Ruling, ToolAction, ToolExecutor, TurnAnswer, TurnRequest,
};
use provost_runtime::store::Store;
use provost_runtime::store::memory::MemoryStore;
use provost_runtime::system::ManualClock;
use provost_runtime::testing::HostRun;
use serde_json::{Value, json};
use tokio::sync::Notify;

const SECRET: &str = "hunter2-hunter2";

/// Calls a tool in each of its first turns.
struct Caller {
    turns: u64,
    token: Option<&'static str>,
}

impl Model for Caller {
    fn turn<'a>(&'a self, request: TurnRequest<'a>) -> Boxed<'a, Result<TurnAnswer, ModelError>> {
        let mut parameters = json!({ "number": request.turn });
        if let Some(token) = self.token {
            parameters["token"] = token.into();
        }
        let id = format!("call-{:04}", request.turn);
        let call = json!({ "id": id, "name": "kb/find", "parameters": parameters });
        let calls = if request.turn <= self.turns { vec![call] } else { Vec::new() };
        Box::pin(async move { Ok(TurnAnswer::Host(json!({ "content": "", "tool_calls": calls }))) })
    }
}

/// Finds something, at once or after its first attempt was lost.
#[derive(Default)]
struct Finder {
    hangs: bool,
    asked: AtomicUsize,
    began: Notify,
    given: Mutex<Vec<Value>>,
}

impl ToolExecutor for Finder {
    fn execute<'a>(&'a self, action: ToolAction<'a>) -> Boxed<'a, Result<Value, ExecutorError>> {
        self.given.lock().unwrap().push(action.call.to_value());
        Box::pin(async move {
            if self.asked.fetch_add(1, Ordering::Relaxed) == 0 && self.hangs {
                self.began.notify_one();
                std::future::pending::<()>().await;
            }
            Ok(json!({ "success": true, "result": "found" }))
        })
    }

    /// What it starts can be ended by a later process.
    fn prepare(&self, _: ToolAction<'_>) -> Option<String> {
        self.hangs.then(|| "a process".to_owned())
    }

    fn recall<'a>(&'a self, _: ToolAction<'a>) -> Boxed<'a, Recalled> {
        Box::pin(async { Recalled::NotDone })
    }
}

fn host(turns: u64, finder: &Arc<Finder>) -> Host {
    let model = Arc::new(Caller { turns, token: None });
    let mut host = Host::new(Arc::new(ManualClock::at(1_000)), model);
    host.executors = Some(Executors::new(finder.clone()));
    host
}

fn options() -> Value {
    let find = json!({ "name": "kb/find", "description": "Find." });
    json!({ "max_turns": 1_000, "tool_declarations": { "kb/find": find } })
}

async fn run(host: Host) -> HostRun {
    HostRun::new(host, &[], &options()).await
}

#[tokio::test]
async fn a_secret_reaches_the_executor_and_nothing_that_is_kept() {
    let finder = Arc::new(Finder::default());
    let mut host = host(1, &finder);
    host.model = Arc::new(Caller { turns: 1, token: Some(SECRET) });
    let done = run(host).await;
    assert_eq!(finder.given.lock().unwrap()[0]["parameters"]["token"], SECRET);
    for event in done.runs.journal(&done.run).await.unwrap() {
        assert!(!format!("{event:?}").contains(SECRET), "{event:?}");
    }
    assert!(!done.result.to_string().contains(SECRET));
    assert!(done.result.to_string().contains("[redacted]"));
}

#[tokio::test]
async fn a_turn_writes_what_happened_in_it_however_long_the_run_is() {
    let done = run(host(200, &Arc::default())).await;
    let records = done.runs.store.journal(done.run, provost_engine::Seq(0), 100_000).await.unwrap();
    let mut turns: Vec<usize> = Vec::new();
    for record in records {
        if &*record.kind == "model_requested" {
            turns.push(0);
        }
        if let Some(bytes) = turns.last_mut() {
            *bytes += record.facts.len() + record.words.map_or(0, |words| words.len());
        }
    }
    // The number of a turn may take a digit or two more.
    assert!(turns[190].abs_diff(turns[10]) < 40, "turn 10: {}, turn 190: {}", turns[10], turns[190]);
}

/// What a host notes.
enum Noting {
    Says(Value),
    Fails,
    Panics,
}

impl ResultDiagnostics for Noting {
    fn diagnose<'a>(&'a self, result: DiagnosedResult<'a>) -> Boxed<'a, Result<Value, HostError>> {
        assert!(result.success && result.declaration.is_some());
        assert!(result.parameters_sha256.starts_with("sha256:"));
        Box::pin(async move {
            match self {
                Self::Says(notes) => Ok(notes.clone()),
                Self::Fails => Err(HostError("no notes".to_owned())),
                Self::Panics => panic!("no notes"),
            }
        })
    }
}

async fn noted(noting: Option<Noting>) -> Value {
    let mut host = host(1, &Arc::default());
    host.diagnostics = noting.map(|noting| Arc::new(noting) as _);
    run(host).await.result
}

#[tokio::test]
async fn notes_stand_beside_the_result_and_the_model_reads_nothing_of_them() {
    let notes = json!({ "trace": "t-1", "turn": "the host's own" });
    let (plain, noted) = (noted(None).await, noted(Some(Noting::Says(notes.clone()))).await);
    assert_eq!(noted.pointer("/tool_execution_results/0/diagnostics"), Some(&notes));
    let event = json!({ "tool_name": "kb/find", "tool_call_id": "call-0001", "turn": "the host's own", "trace": "t-1" });
    let event = json!({ "type": "tool_result_diagnostics", "metadata": event });
    assert_eq!(noted.pointer("/events/0"), Some(&event));
    assert_eq!(plain.get("messages"), noted.get("messages"));
}

#[tokio::test]
async fn a_host_that_fails_panics_or_says_nothing_usable_has_noted_nothing() {
    let undisturbed = noted(None).await;
    for noting in [
        Noting::Fails,
        Noting::Panics,
        Noting::Says(Value::Null),
        Noting::Says(json!(["a list"])),
        Noting::Says(json!({})),
    ] {
        assert_eq!(noted(Some(noting)).await, undisturbed);
    }
}

/// Allows everything until it does not.
#[derive(Default)]
struct Changing(AtomicBool);

impl PolicyProvider for Changing {
    fn rule<'a>(&'a self, _: MediatedCall<'a>) -> Boxed<'a, HookAnswer<Ruling>> {
        let forbids = self.0.load(Ordering::Relaxed);
        let policy = if forbids { ActionPolicy::Forbidden } else { ActionPolicy::Direct };
        Box::pin(async move { Ok(Some(Ruling::new(policy, "today", "the rules of today"))) })
    }
}

/// How often the executor is asked when its process dies in the first attempt and another goes on.
async fn asked(forbidden_since: bool) -> usize {
    let (finder, policy) =
        (Arc::new(Finder { hangs: true, ..Finder::default() }), Arc::new(Changing::default()));
    let mut host = host(1, &finder);
    host.policy = Some(policy.clone());
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new(host.clock.clone()));
    let (_first, run) = HostRun::begin(store.clone(), host.clone(), &[], &options()).await;
    finder.began.notified().await;
    policy.0.store(forbidden_since, Ordering::Relaxed);
    store.bury("worker".parse().unwrap()).await.unwrap();
    let second = HostRun::worker(store, host, "worker-2").await;
    HostRun::rest(&second, &run).await;
    finder.asked.load(Ordering::Relaxed)
}

#[tokio::test]
async fn what_was_forbidden_since_a_process_died_is_not_done_after_all() {
    assert_eq!(asked(true).await, 1);
    assert_eq!(asked(false).await, 2, "it is done when no policy forbids it");
}

/// Wants a person for every call.
struct PersonOnly;

impl PolicyProvider for PersonOnly {
    fn rule<'a>(&'a self, _: MediatedCall<'a>) -> Boxed<'a, HookAnswer<Ruling>> {
        let ruling = Ruling::new(ActionPolicy::Preview, "guarded", "it is guarded").person_only();
        Box::pin(async move { Ok(Some(ruling)) })
    }
}

#[tokio::test]
async fn a_call_that_only_a_person_may_allow_waits_or_is_refused_where_there_is_none() {
    for attended in [true, false] {
        let finder = Arc::new(Finder::default());
        let mut host = host(1, &finder);
        host.policy = Some(Arc::new(PersonOnly));
        host.attended = attended;
        let result = run(host).await.result;
        let status = result["status"].as_str();
        assert_eq!(status == Some("approval_required"), attended, "{result}");
        assert_eq!(result.to_string().contains("none can be asked"), !attended, "{result}");
        assert_eq!(finder.asked.load(Ordering::Relaxed), 0);
    }
}

/// Calls three tools in one turn.
struct ThreeCalls;

impl Model for ThreeCalls {
    fn turn<'a>(&'a self, request: TurnRequest<'a>) -> Boxed<'a, Result<TurnAnswer, ModelError>> {
        let call = |number| json!({ "id": format!("call-{number}"), "name": "kb/find", "parameters": { "number": number } });
        let calls: Vec<Value> = if request.turn == 1 { (0..3).map(call).collect() } else { Vec::new() };
        Box::pin(async move { Ok(TurnAnswer::Host(json!({ "content": "", "tool_calls": calls }))) })
    }
}

/// Allows each call after a time of its own.
struct Thinks([u64; 3]);

impl PolicyProvider for Thinks {
    fn rule<'a>(&'a self, call: MediatedCall<'a>) -> Boxed<'a, HookAnswer<Ruling>> {
        let number = call.parameters["number"].as_u64().and_then(|number| usize::try_from(number).ok());
        let ms = self.0[number.unwrap()];
        Box::pin(async move {
            if ms > 0 {
                let _ = tokio::time::timeout(Duration::from_millis(ms), std::future::pending::<()>()).await;
            }
            Ok(Some(Ruling::new(ActionPolicy::Direct, "finds", "looking is allowed")))
        })
    }
}

/// An event: its kind, what it is about, and when it was recorded; events of one commit share the time.
type Recorded = (String, Value, i64);

async fn recorded(thinks: [u64; 3]) -> Vec<Recorded> {
    let mut host = host(1, &Arc::default());
    host.clock = provost_runtime::testing::clock();
    host.model = Arc::new(ThreeCalls);
    host.policy = Some(Arc::new(Thinks(thinks)));
    let mut options = options();
    options["tool_declarations"]["kb/find"]["side_effects"] = json!(["read"]);
    let done = HostRun::new(host, &[], &options).await;
    let records = done.runs.store.journal(done.run, provost_engine::Seq(0), 1_000).await.unwrap();
    let about = |facts: &str| {
        let facts: Value = serde_json::from_str(facts).unwrap();
        json!([facts["action"], facts["subject"]])
    };
    records.iter().map(|record| (record.kind.to_string(), about(&record.facts), record.at.0)).collect()
}

fn order(recorded: &[Recorded]) -> Vec<(&str, &Value)> {
    recorded.iter().map(|(kind, about, _)| (kind.as_str(), about)).collect()
}

#[tokio::test(start_paused = true)]
async fn one_turn_gives_one_journal_however_fast_each_ruling_is() {
    let first = recorded([30, 10, 20]).await;
    for thinks in [[10, 20, 30], [20, 30, 10], [1, 45, 2]] {
        assert_eq!(order(&recorded(thinks).await), order(&first), "{thinks:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_ruling_that_is_given_at_once_is_recorded_with_its_response() {
    let times = async |thinks| {
        let recorded = recorded(thinks).await;
        let of = |kind: &str| recorded.iter().find(|(each, ..)| each == kind).map(|(.., at)| *at).unwrap();
        (of("model_responded"), of("action_started"))
    };
    let (responded, started) = times([0; 3]).await;
    assert_eq!(responded, started);
    let (responded, started) = times([7; 3]).await;
    assert_eq!(responded + 7, started);
}
