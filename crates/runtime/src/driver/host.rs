//! Everybody a run works with.

use std::sync::Arc;

use provost_contract::tool::ToolExecutorRegistry;
use serde_json::Value;

use super::known_tools::KnownTools;
use super::secrets::Secrets;
use crate::engine::{Asks, Continuation};
use crate::port::{
    ApprovalMemory, Approvals, ClientToolRequests, Clock, CompletionPolicy, ContinuePolicy, Deltas,
    EventSink, ExecutorError, Inbox, InterruptSource, Mediator, Model, Persister, PolicyProvider, Recalled,
    ResultDiagnostics, SessionLock, Summariser, ToolAction, ToolExecutor,
};

/// The parts of a host. Only clock and model are always there.
#[derive(Clone)]
pub struct Host {
    /// The clock.
    pub clock: Arc<dyn Clock>,
    /// The model.
    pub model: Arc<dyn Model>,
    /// Who carries out calls; without anybody the model's host does.
    pub executors: Option<Executors>,
    /// Who has a word in how calls may run.
    pub policy: Option<Arc<dyn PolicyProvider>>,
    /// Who may refuse or answer calls.
    pub mediator: Option<Arc<dyn Mediator>>,
    /// Who says that the work is done.
    pub completion: Option<Arc<dyn CompletionPolicy>>,
    /// Who notes something beside results.
    pub diagnostics: Option<Arc<dyn ResultDiagnostics>>,
    /// Who may have something to say between turns.
    pub interrupts: Option<Arc<dyn InterruptSource>>,
    /// Who says whether another turn follows.
    pub continuation: ContinueBy,
    /// Who sums up older messages.
    pub summariser: Option<Arc<dyn Summariser>>,
    /// Who locks sessions.
    pub lock: Option<Arc<dyn SessionLock>>,
    /// Who keeps the transcript.
    pub persister: Option<Arc<dyn Persister>>,
    /// Where calls wait that somebody must allow.
    pub approvals: Option<Arc<dyn Approvals>>,
    /// Questions that need not be asked again; without it none outlives its run.
    pub memory: Option<Arc<dyn ApprovalMemory>>,
    /// What comes for a run from outside.
    pub inbox: Option<Arc<dyn Inbox>>,
    /// Where calls wait that a client executes.
    pub client_requests: Option<Arc<dyn ClientToolRequests>>,
    /// Whether a person can be asked about exactly one call. Otherwise such a call is refused at once.
    pub attended: bool,
    /// Who watches.
    pub sink: Option<Arc<dyn EventSink>>,
    /// Who hears answers while they are spoken.
    pub deltas: Option<Arc<dyn Deltas>>,
    pub(super) known_tools: Arc<KnownTools>,
    pub(super) secrets: Arc<Secrets>,
}

/// Who says whether another turn follows.
#[derive(Clone, Default)]
pub enum ContinueBy {
    /// The engine: as long as the model calls tools.
    #[default]
    Calls,
    /// Nobody: one turn.
    Nobody,
    /// The host.
    Policy(Arc<dyn ContinuePolicy>),
}

impl Host {
    /// A host with a clock and a model, and nobody else.
    pub fn new(clock: Arc<dyn Clock>, model: Arc<dyn Model>) -> Self {
        Self {
            clock,
            model,
            executors: None,
            policy: None,
            mediator: None,
            completion: None,
            diagnostics: None,
            interrupts: None,
            continuation: ContinueBy::Calls,
            summariser: None,
            lock: None,
            persister: None,
            approvals: None,
            memory: None,
            inbox: None,
            client_requests: None,
            attended: true,
            sink: None,
            deltas: None,
            known_tools: Arc::default(),
            secrets: Arc::default(),
        }
    }

    /// Which parts take part in decisions.
    pub fn asks(&self) -> Asks {
        Asks {
            lock: self.lock.is_some(),
            mediator: self.mediator.is_some(),
            completion: self.completion.is_some(),
            interrupts: self.interrupts.is_some(),
            policy: self.policy.is_some(),
            continuation: match self.continuation {
                ContinueBy::Calls => Continuation::WhileCalling,
                ContinueBy::Nobody => Continuation::Never,
                ContinueBy::Policy(_) => Continuation::Asked,
            },
        }
    }
}

/// The executors of a host: one for every tool, and others for named targets.
#[derive(Clone)]
pub struct Executors {
    default: Arc<dyn ToolExecutor>,
    targets: ToolExecutorRegistry<Arc<dyn ToolExecutor>>,
}

impl Executors {
    /// One executor for every tool that names no target.
    pub fn new(default: Arc<dyn ToolExecutor>) -> Self {
        Self { default, targets: ToolExecutorRegistry::new([]) }
    }

    /// Executors for tools that name their target.
    #[must_use]
    pub fn with_targets(
        mut self,
        targets: impl IntoIterator<Item = (String, Arc<dyn ToolExecutor>)>,
    ) -> Self {
        self.targets = ToolExecutorRegistry::new(targets);
        self
    }

    /// Carries out a call. A tool that names a target nobody registered is carried out by nobody.
    ///
    /// # Errors
    /// What the executor says, or that there is none.
    pub async fn execute(&self, action: ToolAction<'_>) -> Result<Value, ExecutorError> {
        self.of(action)?.execute(action).await
    }

    /// Starts the process that will carry out a call, and names it.
    pub fn prepare(&self, action: ToolAction<'_>) -> Option<String> {
        self.of(action).ok()?.prepare(action)
    }

    /// Ends what was prepared for a run and is not needed any more.
    pub fn release(&self, run: &str) {
        self.default.release(run);
        self.targets.executors().for_each(|executor| executor.release(run));
    }

    /// Ends a process that an earlier runtime started for a tool with this target, if it still runs.
    ///
    /// # Errors
    /// Why it cannot be ended.
    pub async fn end_earlier(&self, target: Option<&str>, process: &str) -> Result<(), String> {
        match self.at(target) {
            Ok(executor) => executor.end_earlier(process).await,
            // An executor that is gone ends nothing; the default one may know the process.
            Err(_) => self.default.end_earlier(process).await,
        }
    }

    /// What a call would do, as far as its executor can tell.
    pub async fn preview(&self, action: ToolAction<'_>) -> Option<Value> {
        self.of(action).ok()?.preview(action).await
    }

    /// What became of a call that was started before the process died.
    pub async fn recall(&self, action: ToolAction<'_>) -> Recalled {
        match self.of(action) {
            Ok(executor) => executor.recall(action).await,
            Err(_) => Recalled::Unknown,
        }
    }

    fn of(&self, action: ToolAction<'_>) -> Result<&Arc<dyn ToolExecutor>, ExecutorError> {
        self.at(action.runtime.executor_target())
    }

    fn at(&self, target: Option<&str>) -> Result<&Arc<dyn ToolExecutor>, ExecutorError> {
        match target {
            None => Ok(&self.default),
            Some(target) => self.targets.get(target).ok_or(ExecutorError::TargetUnavailable),
        }
    }
}
