//! Starting, resuming, messaging, cancelling and following runs.

use std::collections::BTreeMap;
use std::sync::Arc;

use provost_contract::json::Object;
use provost_contract::{ContractError, Message};
use provost_engine::event::{EventKind, MessageMode, Signal, WaitKind};
use provost_engine::state::OpenWait;
use provost_engine::{Actor, Agent as CompiledAgent, RunId, RunState, Seq, SessionId, WhenBusy, view};
use provost_runtime::actor::{Agents as _, LoadError, ReadRun, SealKey};
use provost_runtime::dispatch::{self, NewRunRequest, RunEvents, Scope};
use provost_runtime::host::{Host, Runs, RunsError, Start};
use provost_runtime::port::{Fault, IdKind, Ids};
use provost_runtime::store::{ResumeError, Store};
use provost_runtime::system::HashedIds;
use provost_runtime::verify::Anchor;
use serde_json::Value;
use tokio::sync::OnceCell;

use super::check::Known;
use super::principal::Principal;
use super::{BuildError, Builder, Ignored, Outcome, Request, RunHandle, RunStatus, StartError, WorkError};
use super::{output, principal};
use crate::Agent;

/// A governed agent runtime. Cheap to clone; clones share one runtime.
///
/// Its worker starts with the first run that is started, resumed or followed, on the tokio runtime of that
/// call.
///
/// ```
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// let runtime = provost::Runtime::builder().model(provost::Script::new().say("Hello.")).build()?;
/// let outcome = runtime.start("Hi.").await?.outcome().await?;
/// # drop(outcome);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Runtime(pub(super) Arc<Shared>);

pub(super) struct Shared {
    pub(super) store: Arc<dyn Store>,
    pub(super) runs: OnceCell<Runs>,
    pub(super) host: Host,
    pub(super) ids: Arc<dyn Ids>,
    pub(super) agents: BTreeMap<String, Agent>,
    /// The declarations of every tool, by name.
    pub(super) declarations: Value,
    pub(super) known: Known,
    pub(super) scope: Scope,
    pub(super) runs_max: usize,
    pub(super) seal: Option<SealKey>,
    pub(super) anchor: Option<Arc<dyn Anchor>>,
}

/// How an ended run is reopened.
///
/// ```
/// let more = provost::Resume { budgets: [("tokens".to_owned(), 400_000)].into(), ..provost::Resume::default() };
/// # drop(more);
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Resume {
    /// Budgets with their new limits; earlier usage still counts.
    pub budgets: BTreeMap<String, u64>,
    /// The reason.
    pub reason: String,
    /// The actor that reopens it.
    pub by: Option<Actor>,
}

impl Runtime {
    /// Returns a builder.
    ///
    /// ```
    /// let builder = provost::Runtime::builder();
    /// # drop(builder);
    /// ```
    pub fn builder() -> Builder {
        Builder::default()
    }

    pub(super) fn new(shared: Shared) -> Self {
        Self(Arc::new(shared))
    }

    /// Returns the store.
    ///
    /// ```
    /// fn shared(runtime: &provost::Runtime) -> std::sync::Arc<dyn provost::Store> {
    ///     runtime.store().clone()
    /// }
    /// ```
    pub fn store(&self) -> &Arc<dyn Store> {
        &self.0.store
    }

    /// Returns the dispatcher, which is started on first use.
    pub(crate) async fn runs(&self) -> Result<&Runs, RunsError> {
        let start = async || {
            let shared = &self.0;
            // A worker id is never reused, even if a test supplies a fixed source of ids.
            let ids = HashedIds::from_system(shared.host.clock.clone());
            let ids = ids.map_err(|error| Fault::Failed(error.into()))?;
            let worker = ids.make(IdKind::Worker).parse();
            let worker =
                worker.map_err(|_| Fault::Failed("the source of ids made none for a worker".into()))?;
            let config = dispatch::DispatcherConfig {
                runs_max: shared.runs_max,
                ..dispatch::DispatcherConfig::new(worker, shared.scope.clone())
            };
            let secrets = (shared.seal.clone(), shared.anchor.clone());
            let runs = Runs::start(shared.store.clone(), shared.host.clone(), config, secrets).await?;
            // Denials follow the current agents, not those of the time when the run was accepted.
            for agent in shared.agents.values() {
                if let Ok(compiled) = self.compiled(agent) {
                    runs.agents.add(compiled);
                }
            }
            Ok(runs)
        };
        self.0.runs.get_or_try_init(start).await
    }

    /// Starts a run. It is durable when this returns; a worker continues it.
    ///
    /// ```
    /// # async fn example(runtime: &provost::Runtime) -> Result<(), provost::StartError> {
    /// let run = runtime.start("Where is the invoice?").await?;
    /// println!("{} is durable", run.run());
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// If the agent or session does not exist, the session is busy, or the request has a setting that the run
    /// would ignore.
    pub async fn start(&self, request: impl Into<Request>) -> Result<RunHandle, StartError> {
        let mut request = request.into();
        if let Some(session) = request.session.clone() {
            let session = named(&session)?;
            let row = self.0.store.session(session.clone()).await.map_err(RunsError::from)?;
            request.in_session(&row.ok_or(StartError::NoSession(session))?);
        }
        let (new, context) = self.new_run(&request)?;
        let begun = self.runs().await?.begin(new, context).await;
        let accepted = begun.map_err(|error| match error {
            RunsError::Start(error) => StartError::from(error),
            error => error.into(),
        })?;
        Ok(self.handle(accepted.run))
    }

    pub(super) fn handle(&self, run: RunId) -> RunHandle {
        RunHandle { run, runtime: self.clone() }
    }

    /// Converts a request to a run to accept, and the caller's context, which is never recorded.
    pub(super) fn new_run(&self, request: &Request) -> Result<(NewRunRequest, Object), StartError> {
        let agent = self.agent(request.agent.as_deref())?;
        self.0.known.options(&request.options)?;
        let principal = request.checked_principal(agent)?;
        let run = match &request.run {
            Some(run) => run.clone(),
            None => self.0.ids.make(IdKind::Run).parse().map_err(|_| unnamed())?,
        };
        let options = self.options(request, agent, &principal, &run);
        let mut start = Start::read(&request.messages, &options, &self.0.host, (run, &instructions(agent)))?;
        if let Some(wanted) = &request.output {
            start.wants(&output::read(wanted)?);
        }
        let mut new = start.request(request.actor())?;
        new.session = match &request.session {
            Some(session) => Some((named(session)?, WhenBusy::Refuse)),
            None => None,
        };
        new.key.clone_from(&request.key);
        Ok((new, start.context))
    }

    fn tools_of(&self, agent: &Agent) -> Value {
        chosen(&self.0.declarations, agent.tools.as_deref())
    }

    /// Returns the options of a run. They include the policy in force: decisions under another policy are made
    /// again.
    fn options(&self, request: &Request, agent: &Agent, principal: &Principal, run: &RunId) -> Object {
        let mut options = request.options(agent, principal, self.tools_of(agent), run);
        let policy = options.get_mut("policy").and_then(Value::as_object_mut);
        if let (Some(provider), Some(policy)) = (&self.0.host.policy, policy) {
            policy.insert("policy_version".to_owned(), provider.version().into());
        }
        options
    }

    /// Compiles an agent without the settings of a request.
    fn compiled(&self, agent: &Agent) -> Result<Arc<CompiledAgent>, ContractError> {
        let run: RunId = "run".parse().map_err(|_| unnamed())?;
        let options = self.options(&Request::default(), agent, &principal::own(), &run);
        Ok(Start::read(&[], &options, &self.0.host, (run, &instructions(agent)))?.agent)
    }

    /// Checks that every agent can start a run.
    pub(super) fn check_agents(&self) -> Result<(), BuildError> {
        self.0.agents.values().try_for_each(|agent| match self.compiled(agent) {
            Ok(_) => Ok(()),
            Err(error) => Err(BuildError::Invalid { agent: agent.name.clone(), error }),
        })
    }

    /// Starts the worker of this runtime, unless it has started: it expires overdue waits, continues the runs
    /// that were started or resumed here and, with [`Builder::works_on`], every run that matches. Starting or
    /// resuming a run does this too; a process that only works calls this method.
    ///
    /// ```
    /// use provost::{ClaimFilter, Runtime, Script};
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let worker = Runtime::builder().model(Script::new()).works_on(ClaimFilter::default()).build()?;
    /// worker.work().await?;
    /// worker.drain().await;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// If the store does not register the worker.
    pub async fn work(&self) -> Result<(), WorkError> {
        self.runs().await?;
        Ok(())
    }

    /// Continues a run after a crash, or after its wait was answered in another process. An ended run
    /// does not change; see [`Runtime::reopen`].
    ///
    /// ```
    /// # async fn example(runtime: &provost::Runtime, run: &provost::RunId) -> Result<(), provost::WorkError> {
    /// let outcome = runtime.resume(run).await?.outcome().await?;
    /// # drop(outcome);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// If the worker cannot be started.
    pub async fn resume(&self, run: &RunId) -> Result<RunHandle, WorkError> {
        self.runs().await?.dispatcher.ask(run);
        Ok(self.handle(run.clone()))
    }

    /// Asks the questions of a waiting run again if the policy changed since they were asked, and returns whether it
    /// did. An answer counts only under the policy that its question was asked under, so call this before a question
    /// is shown that may be old.
    ///
    /// ```
    /// # async fn example(runtime: &provost::Runtime, run: &provost::RunId) -> Result<(), provost::WorkError> {
    /// if runtime.review(run).await? {
    ///     println!("the policy changed: what waits is asked again");
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// If the run does not exist or cannot be read or continued.
    pub async fn review(&self, run: &RunId) -> Result<bool, WorkError> {
        let runs = self.runs().await?;
        let listed = runs.store.run(run.clone()).await.map_err(RunsError::from)?;
        let row = listed.ok_or_else(|| WorkError::UnknownRun(run.clone()))?.row;
        if row.ended.is_some() || row.owner.is_some() || row.ready || row.status != "waiting" {
            return Ok(false);
        }
        let read = ReadRun::read(&*runs.store, &*runs.agents, run).await.map_err(RunsError::from)?;
        let state = RunState::fold(read.agent, read.history, &read.events).map_err(LoadError::from);
        let state = state.map_err(RunsError::from)?;
        let today = runs.agents.today(&state.spec.agent).map(|agent| agent.policy_digest());
        let asks = |wait: &OpenWait| matches!(wait.kind, WaitKind::Approval { change_set: None });
        if today.is_none_or(|today| today == state.policy) || !state.waits.values().any(asks) {
            return Ok(false);
        }
        // A worker that claims the run judges what waits; the signal only wakes the run.
        let changed = Signal::External { name: "policy_changed".to_owned(), payload: Value::Null };
        let posted = runs.doors.post(run, changed, Actor::runtime(), None).await;
        posted.map_err(WorkError::of)?;
        runs.settled(run).await?;
        Ok(true)
    }

    /// Reopens a run that failed, stalled, was interrupted or exceeded a budget, and continues it.
    ///
    /// ```
    /// # async fn example(runtime: &provost::Runtime, run: &provost::RunId) -> Result<(), provost::WorkError> {
    /// let more = provost::Resume { budgets: [("tokens".to_owned(), 400_000)].into(), ..Default::default() };
    /// runtime.reopen(run, more).await?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// If the run does not exist, has not ended, or its status is final, or if a budget does not exist or is 0.
    pub async fn reopen(&self, run: &RunId, resume: Resume) -> Result<RunHandle, WorkError> {
        for (name, ceiling) in &resume.budgets {
            let invalid = |no: Ignored| ContractError::field("invalid_budget", "budgets", &no.to_string());
            self.0.known.budget(name, *ceiling).map_err(invalid)?;
        }
        let runs = self.runs().await?;
        let by = resume.by.unwrap_or_else(crate::library);
        let resumed = runs.doors.resume(run, resume.budgets, &resume.reason, by).await;
        resumed.map_err(|error| match error {
            ResumeError::UnknownRun(run) => WorkError::UnknownRun(run),
            ResumeError::Storage(fault) => fault.into(),
            error => WorkError::NotResumable(error),
        })?;
        self.resume(run).await
    }

    /// Returns the events of a run after a position, and deltas while they stream. The run may be active or
    /// ended, and may be active in any process. The stream ends after the last event of an ended run; a position
    /// after that event counts as its own.
    ///
    /// From its beginning, `Seq(0)`, a run can be followed before it starts ([`Request::run`] chooses its id), so
    /// that no delta is missed: the stream waits for the start. Use [`RunHandle::events`] for a run that must
    /// exist.
    ///
    /// ```
    /// # async fn example(runtime: &provost::Runtime, run: &provost::RunId) -> Result<(), provost::WorkError> {
    /// use provost::{Delta, Followed, Seq};
    ///
    /// let mut events = runtime.events(run, Seq(0)).await?;
    /// while let Some(followed) = events.next().await {
    ///     match followed {
    ///         Followed::Event(event) => println!("{} {}", event.event.seq.0, event.event.kind.name()),
    ///         Followed::Delta(Delta::Text(text)) => print!("{text}"),
    ///         Followed::Lagged(count) => println!("{count} pieces were missed"),
    ///         Followed::Delta(_) | Followed::Unreadable(_) => {}
    ///     }
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// If the run does not exist and the position is not its beginning, the store fails, or the worker cannot be
    /// started.
    pub async fn events(&self, run: &RunId, after: Seq) -> Result<RunEvents, WorkError> {
        let after = match self.0.store.run(run.clone()).await? {
            Some(listed) => after.min(listed.row.head),
            None if after == Seq(0) => after,
            None => return Err(WorkError::UnknownRun(run.clone())),
        };
        Ok(self.runs().await?.events.follow(run, after))
    }

    /// Waits until a run ends or waits for an answer, and returns its outcome.
    ///
    /// ```
    /// # async fn example(runtime: &provost::Runtime, run: &provost::RunId) -> Result<(), provost::WorkError> {
    /// println!("{}", runtime.outcome(run).await?.text());
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// If the run does not exist, or this process cannot continue it.
    pub async fn outcome(&self, run: &RunId) -> Result<Outcome, WorkError> {
        let runs = self.runs().await?;
        runs.settled(run).await.map_err(unknown)?;
        let read = runs.read(run).await.map_err(unknown)?;
        self.outcome_of(run, &read)
    }

    fn outcome_of(&self, run: &RunId, read: &ReadRun) -> Result<Outcome, WorkError> {
        let (status, waits) = match read.events.last().map(|event| &event.kind) {
            // An ended run has no open waits.
            Some(EventKind::RunEnded(ended)) => (ended.status.into(), Vec::new()),
            _ => {
                let waits = view::waits(&read.agent, &read.history, &read.events);
                (RunStatus::Waiting, waits.map_err(LoadError::from)?)
            }
        };
        let result = view::conversation_result(&read.agent, &read.history, &read.events)?;
        Ok(Outcome { run: run.clone(), status, waits, result })
    }

    /// Sends a message to a run: the model reads it in its next turn. Open questions are
    /// withdrawn.
    ///
    /// ```
    /// # async fn example(runtime: &provost::Runtime, run: &provost::RunId) -> Result<(), provost::WorkError> {
    /// let ada = provost::Actor::new(provost::ActorKind::Person, "user:ada");
    /// runtime.say(run, ada, "Only the last one, please.").await?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// If the run does not exist, or has ended.
    pub async fn say(&self, run: &RunId, by: impl Into<Actor>, text: &str) -> Result<RunHandle, WorkError> {
        let message = Message::parse(&serde_json::json!({ "role": "user", "content": text }))?;
        let (message, mode) = (Arc::new(message), MessageMode::Supersede);
        self.post(run, by.into(), Signal::Message { message, mode, leaves_doubt: false }).await
    }

    /// Cancels a run: running tools are stopped, and every call gets a result that says what happened.
    ///
    /// ```
    /// # async fn example(runtime: &provost::Runtime, run: &provost::RunId) -> Result<(), provost::WorkError> {
    /// let ada = provost::Actor::new(provost::ActorKind::Person, "user:ada");
    /// runtime.cancel(run, ada, "not needed any more").await?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// If the run does not exist, or has ended.
    pub async fn cancel(
        &self,
        run: &RunId,
        by: impl Into<Actor>,
        reason: &str,
    ) -> Result<RunHandle, WorkError> {
        self.post(run, by.into(), Signal::Cancel { actions: None, reason: reason.to_owned() }).await
    }

    async fn post(&self, run: &RunId, by: Actor, signal: Signal) -> Result<RunHandle, WorkError> {
        let runs = self.runs().await?;
        runs.doors.post(run, signal, by, None).await.map_err(WorkError::of)?;
        self.resume(run).await
    }

    /// Lets running attempts finish, releases the lease and stops the worker. Another worker, or the next
    /// process, continues runs that have not ended.
    ///
    /// ```
    /// async fn stop(runtime: provost::Runtime) {
    ///     runtime.drain().await;
    /// }
    /// ```
    pub async fn drain(&self) {
        if let Some(runs) = self.0.runs.get() {
            runs.dispatcher.drain().await;
        }
    }

    fn agent(&self, name: Option<&str>) -> Result<&Agent, StartError> {
        let known = || self.0.agents.keys().cloned().collect();
        match name {
            Some(name) => self
                .0
                .agents
                .get(name)
                .ok_or_else(|| StartError::UnknownAgent { name: name.to_owned(), known: known() }),
            None if self.0.agents.len() > 1 => Err(StartError::WhichAgent { known: known() }),
            None => self.0.agents.values().next().ok_or_else(|| StartError::WhichAgent { known: known() }),
        }
    }
}

pub(super) fn named(session: &str) -> Result<SessionId, ContractError> {
    session.parse().map_err(|error: provost_engine::IdError| {
        ContractError::field("invalid_session_id", "session", &error.to_string())
    })
}

/// The error for a run that does not exist.
pub(super) fn unknown(error: RunsError) -> WorkError {
    match error {
        RunsError::Load(error) => error.into(),
        error => error.into(),
    }
}

fn instructions(agent: &Agent) -> Vec<Arc<Message>> {
    let given = Some(&*agent.instructions).filter(|text| !text.is_empty());
    given.map(|text| Arc::new(Message::text("system", text))).into_iter().collect()
}

/// Returns the declarations that an agent selects, in their order.
fn chosen(declarations: &Value, names: Option<&[String]>) -> Value {
    let Some(names) = names else { return declarations.clone() };
    let entries = declarations.as_object().into_iter().flatten();
    let entries = entries.filter(|(name, _)| names.contains(*name));
    entries.map(|(name, tool)| (name.clone(), tool.clone())).collect()
}

fn unnamed() -> ContractError {
    ContractError::whole("invalid_run_id", "the source of ids made none that names a run")
}
