//! Everything that works on the runs of one store in one process, put together.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use provost_engine::{Agent, Digest, RunId, Seq, WorkerId};

use super::HostPerformer;
use crate::actor::{Agents, LoadError, LoadedRun, SealKey, Shared};
use crate::dispatch::{
    Dispatcher, DispatcherConfig, Doors, EventHub, NewRunRequest, RunError, Scope, Sessions, StartError,
};
use crate::driver::Host;
use crate::port::Fault;
use crate::store::{Accepted, RegisterError, Store};
use crate::verify::Anchor;

/// The agents of a process: by digest, and by name as they are configured today.
#[derive(Debug, Default)]
pub struct AgentRegistry {
    compiled: Mutex<HashMap<Digest, Arc<Agent>>>,
    today: Mutex<HashMap<String, Arc<Agent>>>,
}

impl AgentRegistry {
    /// Adds an agent as it is configured today.
    pub fn add(&self, agent: Arc<Agent>) {
        let mut compiled = self.compiled.lock().unwrap_or_else(PoisonError::into_inner);
        compiled.insert(agent.digest, agent.clone());
        let mut today = self.today.lock().unwrap_or_else(PoisonError::into_inner);
        today.insert(agent.spec.name.clone(), agent);
    }
}

impl Agents for AgentRegistry {
    fn compiled(&self, digest: Digest) -> Option<Arc<Agent>> {
        self.compiled.lock().unwrap_or_else(PoisonError::into_inner).get(&digest).cloned()
    }

    fn today(&self, name: &str) -> Option<Arc<Agent>> {
        self.today.lock().unwrap_or_else(PoisonError::into_inner).get(name).cloned()
    }
}

/// Why a process cannot work on runs.
#[derive(Debug, thiserror::Error)]
pub enum RunsError {
    /// The store does not take the worker.
    #[error(transparent)]
    Register(#[from] RegisterError),
    /// The run was not accepted.
    #[error(transparent)]
    Start(#[from] StartError),
    /// The run cannot be read.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// Working on the run failed here.
    #[error(transparent)]
    Work(#[from] RunError),
    /// The storage failed.
    #[error(transparent)]
    Storage(#[from] Fault),
}

/// Everything that works on the runs of one store in one process. Cheap to clone.
#[derive(Clone)]
pub struct Runs {
    /// The store.
    pub store: Arc<dyn Store>,
    /// The doors to runs.
    pub doors: Doors,
    /// The doors to sessions.
    pub sessions: Sessions,
    /// The events of runs.
    pub events: EventHub,
    /// The worker.
    pub dispatcher: Dispatcher,
    /// The agents of the process.
    pub agents: Arc<AgentRegistry>,
    pub(super) performer: Arc<HostPerformer>,
}

impl Runs {
    /// Starts a worker over a store with the parts of a host.
    ///
    /// # Errors
    /// If the store does not take the worker.
    pub async fn start(
        store: Arc<dyn Store>,
        host: Host,
        (worker, scope): (WorkerId, Scope),
        (seal, anchor): (Option<SealKey>, Option<Arc<dyn Anchor>>),
    ) -> Result<Self, RunsError> {
        let events = EventHub::start(store.clone());
        let agents = Arc::new(AgentRegistry::default());
        let clock = host.clock.clone();
        let performer = Arc::new(HostPerformer::new(host));
        let shared = Arc::new(Shared {
            store: store.clone(),
            performer: performer.clone(),
            agents: agents.clone(),
            clock,
            deltas: Arc::new(events.clone()),
            seal,
            anchor,
        });
        let dispatcher = Dispatcher::start(shared.clone(), DispatcherConfig::new(worker, scope)).await?;
        Ok(Self {
            store,
            doors: Doors::new(shared.clone()),
            sessions: Sessions::new(shared),
            events,
            dispatcher,
            agents,
            performer,
        })
    }

    /// Accepts a run and works on it. `context` is the caller's, with its secrets; it is written nowhere.
    ///
    /// # Errors
    /// If the run is not accepted.
    pub async fn begin(
        &self,
        request: NewRunRequest,
        context: provost_contract::json::Object,
    ) -> Result<Accepted, RunsError> {
        self.agents.add(request.agent.clone());
        self.performer.set_context(&request.spec.run, context);
        let accepted = self.doors.accept(request).await?;
        self.dispatcher.ask(&accepted.run);
        Ok(accepted)
    }

    /// Waits until a run rests or is over, and returns it as it is stored.
    ///
    /// # Errors
    /// If working on it failed here, or it cannot be read.
    pub async fn settled(&self, run: &RunId) -> Result<LoadedRun, RunsError> {
        self.dispatcher.ask(run);
        let mut changes = self.store.watch();
        loop {
            changes.mark_unchanged();
            if let Some(failure) = self.dispatcher.failure(run) {
                return Err(failure.into());
            }
            let listed = self.store.run(run.clone()).await?;
            let listed = listed.ok_or_else(|| LoadError::Unknown(run.clone()))?;
            let rests = listed.row.owner.is_none() && !listed.row.ready && listed.row.due.is_none();
            if listed.row.ended.is_some() || (rests && listed.row.status == "waiting") {
                return Ok(LoadedRun::load(&*self.store, &*self.agents, run).await?);
            }
            let looked_again = tokio::time::sleep(std::time::Duration::from_millis(250));
            tokio::select! {
                _ = changes.changed() => {}
                () = looked_again => {}
            }
        }
    }

    /// Reads the whole journal of a run as events.
    ///
    /// # Errors
    /// If it is damaged or cannot be read.
    pub async fn journal(&self, run: &RunId) -> Result<Vec<provost_engine::Event>, RunsError> {
        let mut events = Vec::new();
        let mut after = Seq(0);
        loop {
            let page = self.store.journal(run.clone(), after, 1_000).await?;
            let Some(last) = page.last() else { return Ok(events) };
            after = last.seq;
            for record in &page {
                events.push(provost_engine::Event::from_record(record).map_err(LoadError::from)?);
            }
        }
    }

    /// Forgets what this process knows of a run that is over.
    pub fn forget(&self, run: &RunId) {
        self.performer.forget(run);
    }
}
