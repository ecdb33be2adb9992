//! Whole runs on the second engine: a scripted host behind the actor, over a store in memory.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use provost_contract::ContractError;
use provost_contract::json::Object;
use provost_engine::{Actor, RunId, SessionId, WhenBusy};
use provost_runtime::dispatch::{NewRunRequest, Scope, StartError};
use provost_runtime::driver::{Host, Start};
use provost_runtime::host::{FinishError, Runs, RunsError, request};
use provost_runtime::memory::ManualClock;
use provost_runtime::port::{ClientToolRecord, ClientToolRequests, LockError};
use provost_runtime::store::memory::MemoryStore;
use provost_runtime::store::{AcceptError, NewSession, Store, WaitFilter};
use serde_json::{Value, json};

use super::RUN;
use crate::conformance::Engine;

static CHOSEN: AtomicBool = AtomicBool::new(false);

/// Chooses the engine that carries out whole runs from now on.
pub(crate) fn choose(engine: Engine) {
    CHOSEN.store(engine == Engine::Second, Ordering::Relaxed);
}

pub(super) fn is_chosen() -> bool {
    CHOSEN.load(Ordering::Relaxed)
}

fn failed(error: impl std::fmt::Display) -> Value {
    json!({ "code": "second_engine", "message": error.to_string() })
}

/// Drives a run to its end and returns its result record.
pub(super) fn drive(
    clock: &Arc<ManualClock>,
    host: &Host,
    messages: &[Value],
    options: &Object,
) -> Result<Value, Value> {
    let start = Start::read(messages, options, host).map_err(|error| error.to_value())?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().map_err(failed)?;
    runtime.block_on(run(clock, host, &start))
}

async fn run(clock: &Arc<ManualClock>, host: &Host, start: &Start) -> Result<Value, Value> {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new(clock.clone()));
    let worker = "worker".parse().map_err(failed)?;
    let runs =
        Runs::start(store, host.clone(), (worker, Scope::Asked), (None, None)).await.map_err(failed)?;
    let id: RunId = RUN.parse().map_err(failed)?;
    let request = request(start, host, id.clone(), Actor::runtime()).map_err(|error| error.to_value())?;
    let locked = lock(&runs, host, start, &request).await?;
    match runs.begin(request.clone(), start.context.clone()).await {
        Ok(_) => {}
        Err(RunsError::Start(StartError::Accept(AcceptError::SessionBusy { .. }))) => {
            return runs.contended(&request).map_err(refused);
        }
        Err(error) => return Err(failed(error)),
    }
    let result = runs.finish(&id).await.map_err(refused);
    if let (Some(requests), Ok(result)) = (&host.client_requests, &result) {
        note_requests(&runs, &**requests, &id, result).await?;
    }
    if let (Some(token), Some(lock), Some(session)) = (locked, &host.lock, &start.spec.session) {
        drop(lock.release(&session.id, &token).await);
    }
    result
}

/// There is no port for client requests: a request is an open wait of the store.
async fn note_requests(
    runs: &Runs,
    requests: &dyn ClientToolRequests,
    run: &RunId,
    result: &Value,
) -> Result<(), Value> {
    let filter =
        WaitFilter { run: Some(run.clone()), kind: Some("client".to_owned()), ..WaitFilter::default() };
    let waits = runs.store.waits(filter, None, 100).await.map_err(failed)?;
    let request = result.get("runtime_tool_pending").and_then(Value::as_object).cloned();
    if let (Some(request), false) = (request, waits.items.is_empty()) {
        requests.create(ClientToolRecord(request)).await.map_err(failed)?;
    }
    Ok(())
}

fn refused(error: FinishError) -> Value {
    match error {
        FinishError::Broken(error) => ContractError::to_value(&error),
        FinishError::Runs(error) => failed(error),
    }
}

/// There is no lock port: the store decides who has a session. A script that says that the session is locked
/// is played by another run that has it.
async fn lock(
    runs: &Runs,
    host: &Host,
    start: &Start,
    request: &NewRunRequest,
) -> Result<Option<String>, Value> {
    let Some((session, _)) = &request.session else { return Ok(None) };
    let new = NewSession {
        session: session.clone(),
        workspace: request.spec.workspace.clone(),
        owner: String::new(),
        agent: request.spec.agent.clone(),
        context: String::new(),
        title: None,
        metadata: Value::Null,
    };
    runs.store.create_session(new).await.map_err(failed)?;
    let (Some(lock), Some(spec)) = (&host.lock, &start.spec.session) else { return Ok(None) };
    match lock.acquire(&spec.id, RUN, spec.lock_ttl_seconds).await {
        Ok(token) if !token.is_empty() => Ok(Some(token)),
        Ok(_) | Err(LockError::Contended | LockError::Failed(_)) => {
            hold(runs, request, session).await?;
            Ok(None)
        }
    }
}

async fn hold(runs: &Runs, request: &NewRunRequest, session: &SessionId) -> Result<(), Value> {
    let mut other = request.clone();
    other.spec.run = "run_other".parse().map_err(failed)?;
    other.session = Some((session.clone(), WhenBusy::Refuse));
    runs.doors.accept(other).await.map_err(failed)?;
    Ok(())
}
