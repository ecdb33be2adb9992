//! The doors: start, resume, answer, speak, stop.

use std::collections::BTreeMap;
use std::sync::Arc;

use provost_contract::approval::{PendingAction, PendingActionStatus};
use provost_contract::json::Object;
use provost_contract::tool::RuntimeToolRequest;
use provost_contract::{ContractError, Message, timestamp};
use provost_runtime::RunId;
use provost_runtime::driver::{Host, Resume, Start};
use provost_runtime::port::{
    ApprovalFilter, Fault, IdKind, Ids, PendingRequests, RememberedApproval, Seq, Signal, SparedQuestion,
    Stores,
};
use provost_runtime::service::client_tools::{ClientToolEvent, ClientToolEvents, ClientTools, Submission};
use provost_runtime::service::{DecideError, Decision, ServiceError, decide};
use provost_runtime::worker::Worker;
use serde_json::{Value, json};
use tokio::sync::Semaphore;
use tokio_util::task::TaskTracker;

use super::check::{Ignored, Known};
use super::work::Work;
use super::{Builder, Request, RunHandle};
use crate::Agent;
use crate::tool::Registry;

/// A governed agent runtime. Cheap to clone; every clone is the same runtime.
#[derive(Clone)]
pub struct Runtime(pub(super) Arc<Shared>);

pub(super) struct Shared {
    pub(super) stores: Stores,
    pub(super) worker: Worker,
    pub(super) host: Host,
    pub(super) ids: Arc<dyn Ids>,
    pub(super) agents: BTreeMap<String, Agent>,
    pub(super) registry: Registry,
    /// The declarations of an executor that brings its own tools.
    pub(super) declarations: Option<Value>,
    pub(super) known: Known,
    pub(super) tasks: TaskTracker,
    pub(super) places: Arc<Semaphore>,
}

/// Why a run was not started. Nothing was written.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// No agent has that name.
    #[error("there is no agent {name}; there are: {}", known.join(", "))]
    UnknownAgent {
        /// The name.
        name: String,
        /// The agents there are.
        known: Vec<String>,
    },
    /// There are several agents, and the request names none.
    #[error("the request names no agent; there are: {}", known.join(", "))]
    WhichAgent {
        /// The agents there are.
        known: Vec<String>,
    },
    /// The request is none.
    #[error(transparent)]
    Invalid(#[from] ContractError),
    /// The request has something that the run would ignore.
    #[error(transparent)]
    Ignored(#[from] Ignored),
}

/// Why a message or the wish to stop did not reach a run.
#[derive(Debug, thiserror::Error)]
pub enum SignalError {
    /// There is no such run.
    #[error("there is no run {0}")]
    UnknownRun(RunId),
    /// The message is none.
    #[error(transparent)]
    Invalid(#[from] ContractError),
    /// It could not be kept.
    #[error(transparent)]
    Storage(#[from] Fault),
}

impl Runtime {
    /// Gathers the parts of a runtime.
    pub fn builder() -> Builder {
        Builder::default()
    }

    pub(super) fn new(shared: Shared) -> Self {
        Self(Arc::new(shared))
    }

    /// Starts a run; it works on its own from here.
    ///
    /// # Errors
    /// When there is no such agent, or the request is none.
    pub fn start(&self, request: impl Into<Request>) -> Result<RunHandle, StartError> {
        let request = request.into();
        let agent = self.agent(request.agent.as_deref())?;
        self.0.known.options(&request.options)?;
        let tools = match &self.0.declarations {
            Some(declarations) => chosen(declarations, agent.tools.as_deref()),
            None => self.0.registry.declarations(agent.tools.as_deref()),
        };
        let run = match &request.run {
            Some(run) => run.clone(),
            None => self.0.ids.make(IdKind::Run).parse().map_err(|_| unnamed())?,
        };
        let options = request.options(agent, tools, &run);
        let start = Start::read(&request.transcript(agent), &options, &self.0.host)?;
        Ok(self.set_to_work(run, Work::Start(Box::new(start))))
    }

    /// Goes on with a run: after a crash, or when somebody answered what it waits for. A run that is over
    /// only tells its outcome again.
    pub fn resume(&self, run: RunId) -> RunHandle {
        self.resume_with(run, Resume::default())
    }

    /// Goes on with a run under changed limits, or with one that stopped short.
    pub fn resume_with(&self, run: RunId, resume: Resume) -> RunHandle {
        self.set_to_work(run, Work::Resume(resume))
    }

    /// What waits for a decision, in the order it was asked.
    ///
    /// # Errors
    /// When the storage fails.
    pub async fn pending(&self) -> Result<Vec<PendingAction>, Fault> {
        let filter =
            ApprovalFilter { status: Some(PendingActionStatus::Pending), ..ApprovalFilter::default() };
        self.0.stores.approvals.list(&filter).await
    }

    /// Decides about what waits, and lets its run go on.
    ///
    /// # Errors
    /// Why the decision does not count: nothing waits there, somebody was first, or may not decide.
    pub async fn decide(
        &self,
        action_id: &str,
        decision: Decision,
    ) -> Result<Option<RunHandle>, DecideError> {
        let now_ms = self.0.host.clock.now_ms();
        let action = decide(&*self.0.stores.approvals, action_id, &decision, now_ms).await?;
        let run = action.run_id().and_then(|run| run.parse().ok());
        Ok(run.map(|run| self.resume(run)))
    }

    /// The questions that need not be asked again, in the order that was said.
    ///
    /// # Errors
    /// When the storage fails.
    pub async fn remembered(&self) -> Result<Vec<RememberedApproval>, Fault> {
        self.0.stores.memory.remembered().await
    }

    /// Has a question asked again; says whether it was spared before.
    ///
    /// # Errors
    /// When the storage fails.
    pub async fn forget(&self, question: &SparedQuestion) -> Result<bool, Fault> {
        self.0.stores.memory.forget(question).await
    }

    /// The calls that wait for a client, in the order they were asked.
    ///
    /// # Errors
    /// When the storage fails.
    pub async fn client_requests(&self) -> Result<Vec<RuntimeToolRequest>, ServiceError> {
        self.client_tools().pending(&PendingRequests::default()).await
    }

    /// Takes a client's result, `{request_id, success?, result?, error?}`, and lets its run go on. The
    /// first result counts; a later one is told the first.
    ///
    /// # Errors
    /// When nothing waits under that id, the result is of another tool, or its time is over: then the run
    /// goes on without it when it is resumed.
    pub async fn submit(&self, result: &Value) -> Result<(Submission, Option<RunHandle>), ServiceError> {
        let submission = self.take_result(result).await?;
        let run = submission.request.get("run_id").and_then(Value::as_str).and_then(|run| run.parse().ok());
        let run = run.filter(|_| !submission.duplicate).map(|run| self.resume(run));
        Ok((submission, run))
    }

    /// Takes a client's result, unless it comes too late.
    pub(crate) async fn take_result(&self, result: &Value) -> Result<Submission, ServiceError> {
        let tools = self.client_tools();
        let id = result.get("request_id").and_then(Value::as_str).unwrap_or_default();
        let now = timestamp::iso8601(self.0.host.clock.now_ms().div_euclid(1_000));
        let record = tools.requests.get(id.trim()).await?;
        if let Some(late) = record.filter(|record| record.is_overdue(&now)) {
            // Whoever resumes the run gives the request up.
            let message = format!(
                "it was awaited until {}; the run goes on without it when resumed",
                late.timeout_at()
            );
            return Err(ContractError::with_message("runtime_tool_result_late", message).into());
        }
        tools.submit(result, None, &Object::new()).await
    }

    pub(crate) fn client_tools(&self) -> ClientTools {
        ClientTools { requests: self.0.stores.client_tool_requests.clone(), events: Arc::new(Unheard) }
    }

    /// Says something to a run: the model hears it in its next turn. What waits for a decision is taken
    /// back.
    ///
    /// # Errors
    /// When there is no such run, or nothing can be kept.
    pub async fn say(&self, run: &RunId, by: &str, text: &str) -> Result<(), SignalError> {
        let message = Message::parse(&json!({ "role": "user", "content": text }))?;
        self.post(run, by, Signal::Message(message.to_value())).await
    }

    /// Stops a run: tools that work are stopped, and every call gets an honest result.
    ///
    /// # Errors
    /// When there is no such run, or nothing can be kept.
    pub async fn cancel(&self, run: &RunId, by: &str, reason: &str) -> Result<(), SignalError> {
        self.post(run, by, Signal::Cancel { reason: reason.to_owned() }).await
    }

    /// Waits until no run works in this process any more. New ones can still be started.
    pub async fn idle(&self) {
        self.0.tasks.close();
        self.0.tasks.wait().await;
        self.0.tasks.reopen();
    }

    /// Where everything is kept.
    pub fn stores(&self) -> &Stores {
        &self.0.stores
    }

    async fn post(&self, run: &RunId, by: &str, signal: Signal) -> Result<(), SignalError> {
        let head = self.0.stores.journal.head(run).await?;
        if head == Seq::NONE {
            return Err(SignalError::UnknownRun(run.clone()));
        }
        let id = self.0.ids.make(IdKind::Action);
        let now_ms = self.0.host.clock.now_ms();
        self.0.stores.inbox.post(run, &id, by, signal, now_ms).await?;
        Ok(())
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

/// The declarations of an executor that an agent chooses, in their own order.
fn chosen(declarations: &Value, names: Option<&[String]>) -> Value {
    let Some(names) = names else { return declarations.clone() };
    let entries = declarations.as_object().into_iter().flatten();
    let entries = entries.filter(|(name, _)| names.contains(*name));
    entries.map(|(name, tool)| (name.clone(), tool.clone())).collect()
}

/// What clients do is in the journal of their run.
struct Unheard;

impl ClientToolEvents for Unheard {
    fn happened(&self, _event: ClientToolEvent) {}
}

fn unnamed() -> ContractError {
    ContractError::whole("invalid_run_id", "the source of names made none that names a run")
}
