//! Everything that works on the runs of one store in one process, put together.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use std::time::Duration;

use provost_contract::Message;
use provost_contract::json::Object;
use provost_contract::tool::ParameterRules;
use provost_engine::event::{Answer, Decision, MessageMode};
use provost_engine::state::Action;
use provost_engine::{ActionId, Actor, Agent, Args, Digest, RunId, Seq, SessionId, WaitId, hash_of};
use serde_json::Value;

use super::{Host, HostPerformer, Library, calls};
use crate::actor::{Agents, HandedIn, LoadError, LoadedRun, Performer, ReadRun, SealKey, Shared};
use crate::dispatch::{
    Dispatcher, DispatcherConfig, Doors, EventHub, NewRunRequest, RunError, RunEvents, SayOutcome, Sessions,
    StartError,
};
use crate::port::Fault;
use crate::store::{Accepted, AnswerError, Answered, ListedRun, RegisterError, Store};
use crate::verify::Anchor;

/// How often it is looked whether this process works on a run, or failed to.
const LOOK: Duration = Duration::from_millis(250);

/// How many waits the clock answers at a time.
const EXPIRED_MAX: usize = 256;

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

/// Why an answer with other arguments does not count.
#[derive(Debug, thiserror::Error)]
pub enum EditError {
    /// The arguments do not fit the tool.
    #[error("the arguments of {tool} do not fit: {}", faults.join("; "))]
    Unfit {
        /// The tool.
        tool: String,
        /// What does not fit.
        faults: Vec<String>,
    },
    /// The arguments have secrets, and there is no key to seal them with.
    #[error("the arguments have secrets, and there is no key to seal them with")]
    NoSealKey,
    /// The wait does not take the answer.
    #[error(transparent)]
    Answer(#[from] AnswerError),
    /// The run cannot be read.
    #[error(transparent)]
    Runs(#[from] RunsError),
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
    pub(super) shared: Arc<Shared>,
    seal: Option<SealKey>,
}

impl Runs {
    /// Starts a worker over a store with the parts of a host.
    ///
    /// # Errors
    /// If the store does not take the worker.
    pub async fn start(
        store: Arc<dyn Store>,
        host: Host,
        config: DispatcherConfig,
        (seal, anchor): (Option<SealKey>, Option<Arc<dyn Anchor>>),
    ) -> Result<Self, RunsError> {
        let events = EventHub::start(store.clone());
        let agents = Arc::new(AgentRegistry::default());
        let clock = host.clock.clone();
        let layer = host.layer.clone();
        let library = Library { store: store.clone(), agents: agents.clone() };
        let performer = Arc::new(HostPerformer::new(host, library));
        let around: Arc<dyn Performer> = performer.clone();
        let shared = Arc::new(Shared {
            store: store.clone(),
            performer: layer.map_or_else(|| around.clone(), |layer| layer(around.clone())),
            agents: agents.clone(),
            clock,
            deltas: Arc::new(events.clone()),
            seal: seal.clone(),
            anchor,
            handed_in: HandedIn::default(),
        });
        let dispatcher = Dispatcher::start(shared.clone(), config).await?;
        Ok(Self {
            store,
            doors: Doors::new(shared.clone()),
            sessions: Sessions::new(shared.clone()),
            shared,
            events,
            dispatcher,
            agents,
            performer,
            seal,
        })
    }

    /// Accepts a run and works on it. `context` is the caller's, with its secrets; it is written nowhere.
    ///
    /// # Errors
    /// If the run is not accepted.
    pub async fn begin(&self, request: NewRunRequest, context: Object) -> Result<Accepted, RunsError> {
        self.agents.add(request.agent.clone());
        let new = request.spec.run.clone();
        let is_first = self.performer.set_context(&new, context);
        let accepted = self.doors.accept(request).await;
        // Nothing stays in memory of a run that does not exist.
        if is_first && !accepted.as_ref().is_ok_and(|accepted| accepted.run == new) {
            Performer::forget(&*self.performer, &new);
        }
        let accepted = accepted?;
        self.dispatcher.ask(&accepted.run);
        Ok(accepted)
    }

    /// Says something in a session: to its active run, or by beginning the run of the request.
    ///
    /// # Errors
    /// If the session does not exist, or the store fails.
    pub async fn say(
        &self,
        session: &SessionId,
        message: Message,
        mode: MessageMode,
        (begin, context): (NewRunRequest, Object),
    ) -> Result<SayOutcome, RunsError> {
        self.agents.add(begin.agent.clone());
        let new = begin.spec.run.clone();
        let is_first = self.performer.set_context(&new, context);
        let said = self.doors.say(session, message, mode, begin).await;
        if is_first && !said.as_ref().is_ok_and(|said| *said.run() == new) {
            Performer::forget(&*self.performer, &new);
        }
        let said = said?;
        self.dispatcher.ask(said.run());
        Ok(said)
    }

    /// Answers a wait, an approval perhaps with other arguments. Secrets in them are sealed with the answer.
    ///
    /// # Errors
    /// If the arguments do not fit their tool, or the wait does not take the answer.
    pub async fn answer(
        &self,
        wait: &WaitId,
        answer: &Answer,
        by: Actor,
        edit: Option<&Object>,
    ) -> Result<Answered, EditError> {
        let (mut answer, mut sealed) = (answer.clone(), Vec::new());
        if let (Some(edit), Answer::Verdicts { verdicts, .. }) = (edit, &mut answer) {
            let loaded = LoadedRun::load(&*self.store, &*self.agents, &wait.run).await;
            let state = loaded.map_err(RunsError::from)?.state;
            for (id, decision) in verdicts.iter_mut() {
                let (Some(action), Decision::Approve { edit: said }) = (state.action(*id), decision) else {
                    continue;
                };
                let args = edited(&state.agent, action, edit)?;
                if args.hides {
                    let key = self.seal.as_ref().ok_or(EditError::NoSealKey)?;
                    let bytes = key.seal(&wait.run, *id, edit).ok_or(EditError::NoSealKey)?;
                    sealed.push((*id, bytes));
                }
                *said = Some(args);
            }
        }
        Ok(self.doors.answer_sealed(wait, &answer, by, sealed).await?)
    }

    /// Reads a run whole, with results that are artifacts.
    ///
    /// # Errors
    /// If it does not exist, is damaged, or the store fails.
    pub async fn read(&self, run: &RunId) -> Result<ReadRun, RunsError> {
        let read = ReadRun::read(&*self.store, &*self.agents, run).await?;
        Ok(read.with_artifacts(&*self.store).await?)
    }

    /// Returns the arguments of an action that waits for a client, with its secrets: they are opened for the client
    /// that answers it. None when they are not known any more.
    ///
    /// # Errors
    /// If the run does not exist, is damaged, or the store fails.
    pub async fn raw(&self, run: &RunId, action: ActionId) -> Result<Option<Object>, RunsError> {
        let state = LoadedRun::load(&*self.store, &*self.agents, run).await?.state;
        let Some(args) = state.action(action).map(|action| &action.args) else { return Ok(None) };
        if !args.hides {
            return Ok(Some(args.redacted.clone()));
        }
        let sealed = self.store.sealed(run.clone(), action).await?;
        let opened = sealed.and_then(|sealed| self.seal.as_ref()?.open(run, action, &sealed));
        Ok(opened.filter(|raw| hash_of(raw) == args.raw))
    }

    /// Waits until a run rests or is over.
    ///
    /// # Errors
    /// If working on it failed here, or it cannot be read.
    pub async fn settled(&self, run: &RunId) -> Result<(), RunsError> {
        self.dispatcher.ask(run);
        let mut events: Option<RunEvents> = None;
        loop {
            let released = self.dispatcher.released(run);
            let mut released = std::pin::pin!(released.notified());
            // What happens after the look at the row is not missed.
            released.as_mut().enable();
            if let Some(failure) = self.dispatcher.failure(run) {
                return Err(failure.into());
            }
            let listed = self.store.run(run.clone()).await?;
            let listed = listed.ok_or_else(|| LoadError::Unknown(run.clone()))?;
            if is_settled(&listed) && !self.expires(&listed).await? {
                return Ok(());
            }
            loop {
                tokio::select! {
                    () = released.as_mut() => break,
                    () = came(&mut events) => break,
                    () = tokio::time::sleep(LOOK) => {}
                }
                if self.dispatcher.failure(run).is_some() {
                    break;
                }
                // Another process works on it: its row changes with its journal.
                if events.is_none() && !self.dispatcher.works_on(run) {
                    events = Some(self.events.follow_stored(run, listed.row.head));
                }
            }
        }
    }

    /// Lets the clock answer what a resting run waits for, if its time came. Returns whether it had something to
    /// answer: then the run is looked at again.
    async fn expires(&self, listed: &ListedRun) -> Result<bool, RunsError> {
        let due = match listed.row.ended {
            Some(_) => None,
            None => self.store.next_due().await?,
        };
        if due.is_none_or(|due| due.0 > self.performer.host().clock.now_ms()) {
            return Ok(false);
        }
        self.store.expire_due(EXPIRED_MAX).await?;
        let now = self.store.run(listed.row.run.clone()).await?;
        Ok(now.is_none_or(|now| !is_settled(&now)))
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
}

/// Waits for the next event of a run; for ever when it is not followed.
async fn came(events: &mut Option<RunEvents>) {
    match events {
        Some(followed) => {
            if followed.next_event().await.is_none() {
                *events = None;
            }
        }
        None => std::future::pending().await,
    }
}

/// Whether a run is over, or rests until something other than the clock or a child wakes it.
fn is_settled(listed: &ListedRun) -> bool {
    let row = &listed.row;
    let waits = listed.summary.get("waits").and_then(Value::as_array).into_iter().flatten();
    let mut answerable = waits.filter(|kind| !matches!(kind.as_str(), Some("timer" | "child")));
    let rests = row.owner.is_none() && !row.ready && row.status == "waiting";
    row.ended.is_some() || (rests && answerable.next().is_some())
}

/// Changed arguments as the journal has them, if they fit the tool.
fn edited(agent: &Agent, action: &Action, given: &Object) -> Result<Args, EditError> {
    let Some(tool) = agent.catalog.get(&action.spec.operation) else {
        return Ok(Args::redacted(given, ParameterRules::default().redact(given).into_object()));
    };
    let called = action.spec.called.as_deref().unwrap_or(&action.spec.operation);
    let call = calls::tool_call(agent, called, &action.spec.label, &Object::new(), given);
    let faults = match &call {
        Some(call) => calls::faults(agent, tool, given, call),
        None => {
            let missing = tool.rules().missing(given);
            vec![format!("required and missing: {}", missing.join(", "))]
        }
    };
    if !faults.is_empty() {
        return Err(EditError::Unfit { tool: tool.name().to_string(), faults });
    }
    Ok(Args::redacted(given, tool.rules().redact(given).into_object()))
}
