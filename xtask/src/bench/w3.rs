//! W3: graphs whose tools return at once, through acceptance, engine, policy, journal and store.
//!
//! The shapes: one action, two hundred side by side, one that gathers them; and a thousand actions in twenty layers,
//! each with one to three parents in the layer before. Every run is accepted, carried out without a model, and folded
//! again from its journal to check that all of it was done.

use std::path::Path;
use std::sync::Arc;

use fastrand::Rng;
use provost_contract::json::{Object, into_object};
use provost_engine::view::graph_status;
use provost_engine::{Actor, RunId};
use provost_policy::{ActionPolicy, HookAnswer};
use provost_protocol::transcript::GraphStatus;
use provost_runtime::dispatch::{DispatcherConfig, Scope};
use provost_runtime::host::{Executors, Host, Runs, Start};
use provost_runtime::port::{
    Boxed, Clock, ExecutorError, MediatedCall, Model, ModelError, PolicyProvider, Ruling, ToolAction,
    ToolExecutor, TurnAnswer, TurnRequest,
};
use provost_runtime::store::Store;
use provost_runtime::store::memory::MemoryStore;
use provost_runtime::system::SystemClock;
use provost_store::sqlite::{SqliteOptions, SqliteStore};
use serde_json::{Value, json};

use super::conversations::cpu_ns;
use super::measure::Measurement;
use crate::Failure;

const RUNS: usize = 7;
const PARALLEL: usize = 64;
const TOOL: &str = "kb/lookup";
const WORKSPACE: &str = "workspace:1";

/// Runs every shape, in memory and on SQLite.
pub(super) fn run() -> Result<Vec<Measurement>, Failure> {
    let mut measurements = Vec::new();
    for (shape, calls) in [("fan_out_200", fan_out(200)), ("layers_20x50", layers())] {
        for store in ["memory", "sqlite"] {
            let (mut runs, mut cpu) = (Vec::new(), Vec::new());
            for _ in 0..RUNS {
                let took = measure(&calls, store)?;
                runs.push(calls.len() as f64 / took.seconds);
                cpu.push(took.cpu_seconds * 1e6 / calls.len() as f64);
            }
            let params = json!({ "shape": shape, "n": calls.len(), "store": store });
            let of = |metric, unit, runs| Measurement {
                workload: "W3",
                params: params.clone(),
                metric,
                unit,
                runs,
            };
            measurements.extend([of("nodes", "nodes/s", runs), of("cpu_per_node", "us", cpu)]);
        }
    }
    Ok(measurements)
}

/// What a run took from its acceptance to its end; on a busy machine the processor time is the steadier measure.
struct Took {
    seconds: f64,
    cpu_seconds: f64,
}

/// Carries a graph out in a store of its own.
fn measure(calls: &[Value], store: &str) -> Result<Took, Failure> {
    let folder = tempfile::tempdir()?;
    let clock: Arc<dyn Clock> = Arc::new(SystemClock);
    let store: Arc<dyn Store> = match store {
        "memory" => Arc::new(MemoryStore::new(clock.clone())),
        _ => Arc::new(sqlite(&folder.path().join("w3.db"), &clock)?),
    };
    let threads = tokio::runtime::Builder::new_current_thread().enable_time().build()?;
    threads.block_on(async {
        let mut host = Host::new(clock, Arc::new(Fake));
        host.executors = Some(Executors::new(Arc::new(Fake)));
        host.policy = Some(Arc::new(Fake));
        let config = DispatcherConfig::new("worker".parse()?, Scope::Asked);
        let runs = Runs::start(store, host.clone(), config, (None, None)).await?;
        // The first run of a process pays for what no later one pays for.
        let warm = fan_out(4);
        carry_out(&runs, &host, "warm".parse()?, &warm).await?;
        let took = carry_out(&runs, &host, "graph".parse()?, calls).await?;
        runs.dispatcher.drain().await;
        Ok(took)
    })
}

async fn carry_out(runs: &Runs, host: &Host, run: RunId, calls: &[Value]) -> Result<Took, Failure> {
    let start = Start::read(&[], &options(), host, (run.clone(), &[]))?;
    let declaration = json!({ "kind": "act", "calls": calls }).to_string();
    let context = Object::new();
    let submission = runs.read_declaration(&declaration, &start.agent, &context, (WORKSPACE, None)).await?;
    let request = start.request(Actor::runtime())?;
    #[expect(clippy::disallowed_methods, reason = "a benchmark reads the clock")]
    let (began, worked) = (std::time::Instant::now(), cpu_ns());
    runs.execute(submission, request, context).await?;
    runs.settled(&run).await?;
    let took = Took { seconds: began.elapsed().as_secs_f64(), cpu_seconds: (cpu_ns() - worked) as f64 / 1e9 };
    let read = runs.read(&run).await?;
    let state = provost_engine::RunState::fold(read.agent, read.history, &read.events)?;
    match (graph_status(&state), state.actions.len()) {
        (GraphStatus::Completed, count) if count == calls.len() && state.ended.is_some() => Ok(took),
        (status, count) => Err(format!("{count} actions ended as {}", <&str>::from(status)).into()),
    }
}

fn sqlite(path: &Path, clock: &Arc<dyn Clock>) -> Result<SqliteStore, Failure> {
    Ok(SqliteStore::open(path, &SqliteOptions { clock: clock.clone(), ..SqliteOptions::default() })?)
}

fn options() -> Object {
    into_object(json!({
        "about": { "workspace": WORKSPACE, "agent": "reader", "principal": null },
        "speaks": "protocol",
        "limits": { "parallel_max": PARALLEL },
        "tool_declarations": { TOOL: {
            "name": TOOL,
            "description": "Look something up.",
            "parameters": {
                "type": "object",
                "required": ["query"],
                "properties": { "query": { "type": "string" } },
            },
            "side_effects": ["read"],
        } },
    }))
}

fn call(id: String, depends: Vec<String>) -> Value {
    let query = format!("what is {id}?");
    json!({ "id": id, "type": "tool", "name": TOOL, "args": { "query": query }, "depends": depends })
}

fn fan_out(width: usize) -> Vec<Value> {
    let middle: Vec<String> = (0..width).map(|number| format!("m{number}")).collect();
    let mut calls = vec![call("first".into(), Vec::new())];
    calls.extend(middle.iter().map(|id| call(id.clone(), vec!["first".into()])));
    calls.push(call("last".into(), middle));
    calls
}

/// Twenty layers of fifty.
fn layers() -> Vec<Value> {
    let mut rng = Rng::with_seed(7);
    let name = |layer: usize, place: usize| format!("n{layer}_{place}");
    let mut calls = Vec::new();
    for layer in 0..20_usize {
        for place in 0..50 {
            let parents = if layer == 0 { 0 } else { rng.usize(1..=3) };
            let mut places = rng.choose_multiple(0..50, parents);
            places.sort_unstable();
            let parents = places.iter().map(|parent| name(layer - 1, *parent)).collect();
            calls.push(call(name(layer, place), parents));
        }
    }
    calls
}

/// A tool that returns at once, the policy that lets it run, and a model that is never asked.
struct Fake;

impl ToolExecutor for Fake {
    fn execute<'a>(&'a self, action: ToolAction<'a>) -> Boxed<'a, Result<Value, ExecutorError>> {
        let asked = action.call.parameters.get("query").cloned();
        Box::pin(async move { Ok(json!({ "success": true, "result": { "asked": asked } })) })
    }
}

impl PolicyProvider for Fake {
    fn rule<'a>(&'a self, _call: MediatedCall<'a>) -> Boxed<'a, HookAnswer<Ruling>> {
        let ruling = Ruling::new(ActionPolicy::Direct, "lookups-run", "looking something up is allowed");
        Box::pin(async move { Ok(Some(ruling)) })
    }
}

impl Model for Fake {
    fn turn<'a>(&'a self, _request: TurnRequest<'a>) -> Boxed<'a, Result<TurnAnswer, ModelError>> {
        Box::pin(async { Err(ModelError::new("asked", "a run without a model asked one")) })
    }
}
