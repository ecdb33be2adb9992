//! Idle: runs that wait for a person and runs whose model takes its time, in one process on SQLite. What is measured
//! is the processor time of doing nothing.

use std::sync::Arc;
use std::time::Duration;

use provost::{Agent, Model, RunStatus, Runtime, Script, Tool};
use provost_runtime::port::{Boxed, ModelError, TurnAnswer, TurnRequest};
use serde_json::json;
use tokio::task::JoinSet;

use super::Job;
use super::process::Usage;
use crate::Failure;
use crate::bench::measure::{Measurement, timed};

const WAITING: usize = 1_000;
const ACTIVE: usize = 200;
const WATCHED: Duration = Duration::from_secs(10);
/// Runs that are started at once.
const AT_ONCE: usize = 100;
const RUNS: usize = 3;

/// Measures processes of their own.
pub(in crate::bench) fn run() -> Result<Vec<Measurement>, Failure> {
    let mut shares = Vec::new();
    for _ in 0..RUNS {
        let folder = tempfile::tempdir()?;
        let database = Some(folder.path().join("idle.db"));
        let told = Job { idle: true, database, ..Job::default() }.run()?;
        shares.push(100.0 * told.cpu_seconds / told.seconds);
    }
    let params = json!({ "waiting": WAITING, "active": ACTIVE });
    Ok(vec![Measurement { workload: "idle", params, metric: "of_a_core", unit: "%", runs: shares }])
}

/// The measured process.
pub(super) fn child(job: &Job) -> Result<(), Failure> {
    let threads = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let _inside = threads.enter();
    let pay = Tool::new("shop/pay", "Pays.", |_: serde_json::Value| async { Ok("paid") }).asks();
    let mut builder = Runtime::builder()
        .model(Arc::new(Slow(Script::new().call("shop/pay", json!({})))) as Arc<dyn Model>)
        .tool(pay)
        .agent(Agent::new("payer"))
        .runs_max(WAITING + ACTIVE);
    if let Some(path) = &job.database {
        builder = builder.sqlite(path);
    }
    let runtime = builder.build()?;
    let mut active = JoinSet::new();
    let before = threads.block_on(async {
        wait_for_people(&runtime).await?;
        for _ in 0..ACTIVE {
            let run = runtime.start(Slow::PROMPT).await?;
            active.spawn_on(async move { run.outcome().await.is_ok() }, threads.handle());
        }
        Usage::now()
    })?;
    let ((), seconds) = timed(|| threads.block_on(async { tokio::time::sleep(WATCHED).await }));
    let told = before.told(seconds, 0.0)?;
    if active.try_join_next().is_some() {
        return Err("a run that should be at work has ended".into());
    }
    println!("{told}");
    Ok(())
}

/// Starts runs until each of them waits for an answer.
async fn wait_for_people(runtime: &Runtime) -> Result<(), Failure> {
    for _ in 0..WAITING / AT_ONCE {
        let mut some = JoinSet::new();
        for _ in 0..AT_ONCE {
            let runtime = runtime.clone();
            some.spawn(async move { Some(runtime.start("Go.").await.ok()?.outcome().await.ok()?.status) });
        }
        if some.join_all().await.iter().any(|status| *status != Some(RunStatus::Waiting)) {
            return Err("a run does not wait".into());
        }
    }
    Ok(())
}

/// A model that never answers one prompt.
struct Slow(Script);

impl Slow {
    const PROMPT: &str = "Take your time.";
}

impl Model for Slow {
    fn turn<'a>(&'a self, request: TurnRequest<'a>) -> Boxed<'a, Result<TurnAnswer, ModelError>> {
        let mut messages = request.messages.messages();
        if messages.any(|message| message.content.as_text() == Some(Self::PROMPT)) {
            return Box::pin(std::future::pending());
        }
        self.0.turn(request)
    }
}
