//! Whole runs: a scripted host behind the actor, over a store in memory, as a caller, its observers and its
//! persister see them.

use std::sync::Arc;

use provost_contract::json::Object;
use provost_contract::{ContractError, loose};
use provost_engine::event::{Event, EventKind};
use provost_engine::view::{self, Observed};
use provost_engine::{Actor, RunId, SessionId, WhenBusy};
use provost_runtime::dispatch::{DispatcherConfig, NewRunRequest, Scope, StartError};
use provost_runtime::host::{Host, Runs, RunsError, Start};
use provost_runtime::store::memory::MemoryStore;
use provost_runtime::store::{AcceptError, NewSession, Store, WaitFilter};
use provost_runtime::system::ManualClock;
use serde_json::{Value, json};

use super::{Script, ScriptedLock, ScriptedPersister, ScriptedSink};

const RUN: &str = "run_scripted";
const LOCK_TTL_SECONDS: i64 = 300;

/// What stands around a run and has no part in it.
#[derive(Default)]
pub(crate) struct Around {
    pub(crate) lock: Option<Arc<ScriptedLock>>,
    pub(crate) persister: Option<Arc<ScriptedPersister>>,
    pub(crate) sink: Option<Arc<ScriptedSink>>,
    /// Takes the requests that wait for a client.
    pub(crate) requests: Option<Arc<Script>>,
}

fn failed(error: impl std::fmt::Display) -> Value {
    json!({ "code": "run_failed", "message": error.to_string() })
}

/// Drives a run to its end and returns its result record.
pub(crate) fn drive(
    clock: &Arc<ManualClock>,
    host: &Host,
    around: &Around,
    (messages, options): (&[Value], &Object),
) -> Result<Value, Value> {
    let run = RUN.parse().map_err(failed)?;
    let start = Start::read(messages, options, host, (run, &[])).map_err(|error| error.to_value())?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().map_err(failed)?;
    let ttl = options.get("transcript_lock_ttl").and_then(loose::integer).unwrap_or(LOCK_TTL_SECONDS);
    runtime.block_on(around.run(clock, host, &start, ttl.max(1)))
}

impl Around {
    async fn run(
        &self,
        clock: &Arc<ManualClock>,
        host: &Host,
        start: &Start,
        ttl_seconds: i64,
    ) -> Result<Value, Value> {
        let store: Arc<dyn Store> = Arc::new(MemoryStore::new(clock.clone()));
        let config = DispatcherConfig::new("worker".parse().map_err(failed)?, Scope::Asked);
        let runs = Runs::start(store, host.clone(), config, (None, None)).await.map_err(failed)?;
        let request = start.request(Actor::runtime()).map_err(|error| error.to_value())?;
        let token = self.lock(&runs, start, &request, ttl_seconds).await?;
        match runs.begin(request.clone(), start.context.clone()).await {
            Ok(_) => {}
            Err(RunsError::Start(StartError::Accept(AcceptError::SessionBusy { .. }))) => {
                return self.contended(host, &request);
            }
            Err(error) => return Err(failed(error)),
        }
        let result = self.finish(&runs, host, &start.spec.run).await;
        if let (Some(requests), Ok(result)) = (&self.requests, &result) {
            note_requests(&runs, requests, &start.spec.run, result).await?;
        }
        if let (Some(token), Some(lock), Some(session)) = (token, &self.lock, &start.session) {
            lock.release(session, &token);
        }
        result
    }

    /// There is no lock: the store decides which run has a session. A script that says that the session is
    /// locked is played by another run that has it.
    async fn lock(
        &self,
        runs: &Runs,
        start: &Start,
        request: &NewRunRequest,
        ttl_seconds: i64,
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
        let (Some(lock), Some(name)) = (&self.lock, &start.session) else { return Ok(None) };
        let token = lock.acquire(name, ttl_seconds);
        if token.is_none() {
            hold(runs, request, session).await?;
        }
        Ok(token)
    }

    /// Waits until the run rests or is over. What observers and persister make of it changes nothing.
    async fn finish(&self, runs: &Runs, host: &Host, run: &RunId) -> Result<Value, Value> {
        runs.settled(run).await.map_err(failed)?;
        let read = runs.read(run).await.map_err(failed)?;
        let mediates = host.executors.is_some();
        let observed = view::observer::observed(&read.agent, &read.history, &read.events, mediates);
        let observed = observed.map_err(failed)?;
        if let Some(fault) = view::result::broken(&read.events) {
            self.show(&observed);
            let paths = fault.fields.get("fields").and_then(Value::as_array).into_iter().flatten();
            let error = ContractError::with_message(fault.code.clone(), &*fault.message);
            return Err(paths
                .filter_map(Value::as_str)
                .fold(error, |error, path| error.about(path))
                .to_value());
        }
        let result = view::conversation_result(&read.agent, &read.history, &read.events);
        let result = result.map_err(|error| error.to_value())?;
        // An orderly end is announced when everything else is done.
        let ends = observed.last().is_some_and(|last| last.event == "completed");
        let (before, end) = observed.split_at(observed.len() - usize::from(ends));
        self.show(before);
        if let Some(persister) = &self.persister {
            persister.persist(turns(&read.events), &result);
        }
        self.show(end);
        Ok(result)
    }

    /// The result record of a run that was refused because another one is active in its session.
    fn contended(&self, host: &Host, request: &NewRunRequest) -> Result<Value, Value> {
        let session = request.session.as_ref().map(|(session, _)| session.as_str()).unwrap_or_default();
        self.show(&view::observer::contended(&request.agent, session, host.executors.is_some()));
        view::result::contended(&request.agent, &request.spec).map_err(|error| error.to_value())
    }

    fn show(&self, observed: &[Observed]) {
        let Some(sink) = &self.sink else { return };
        for Observed { event, payload } in observed {
            sink.events.note(json!({ "event": event, "payload": payload }));
        }
    }
}

/// A request for a client is an open wait of the store.
async fn note_requests(runs: &Runs, requests: &Script, run: &RunId, result: &Value) -> Result<(), Value> {
    let filter =
        WaitFilter { run: Some(run.clone()), kind: Some("client".to_owned()), ..WaitFilter::default() };
    let waits = runs.store.waits(filter, None, 100).await.map_err(failed)?;
    let request = result.get("runtime_tool_pending").filter(|request| request.is_object());
    if let (Some(request), false) = (request, waits.items.is_empty()) {
        requests.note(request.clone());
    }
    Ok(())
}

async fn hold(runs: &Runs, request: &NewRunRequest, session: &SessionId) -> Result<(), Value> {
    let mut other = request.clone();
    other.spec.run = "run_other".parse().map_err(failed)?;
    other.session = Some((session.clone(), WhenBusy::Refuse));
    runs.doors.accept(other).await.map_err(failed)?;
    Ok(())
}

/// How many turns a run may have.
fn turns(events: &[Event]) -> u32 {
    match events.first().map(|event| &event.kind) {
        Some(EventKind::RunAccepted(accepted)) => accepted.spec.limits.turns,
        _ => 0,
    }
}
