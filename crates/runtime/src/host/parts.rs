//! The parts of a host: model, executors and hooks.

use std::sync::Arc;

use provost_contract::tool::ToolExecutorRegistry;
use serde_json::Value;

use super::compiled::Compiled;
use super::protocol::Speeches;
use crate::actor::Performer;
use crate::port::{
    AfterModel, Backoff, BeforeModel, Clock, CompletionPolicy, ContinuePolicy, ExecutorError,
    InterruptSource, Mediator, Model, PolicyProvider, Recalled, ResultDiagnostics, Summariser, ToolAction,
    ToolExecutor,
};

/// The parts of a host. Only clock and model are always there.
#[derive(Clone)]
pub struct Host {
    /// The clock.
    pub clock: Arc<dyn Clock>,
    /// The model.
    pub model: Arc<dyn Model>,
    /// Carries out calls; without it the model's host does.
    pub executors: Option<Executors>,
    /// Has a word in how calls may run.
    pub policy: Option<Arc<dyn PolicyProvider>>,
    /// May refuse or answer calls.
    pub mediator: Option<Arc<dyn Mediator>>,
    /// May refuse a model call before it is made.
    pub before_model: Option<Arc<dyn BeforeModel>>,
    /// May refuse a response before it is read.
    pub after_model: Option<Arc<dyn AfterModel>>,
    /// Says that the work is done.
    pub completion: Option<Arc<dyn CompletionPolicy>>,
    /// Notes something beside results.
    pub diagnostics: Option<Arc<dyn ResultDiagnostics>>,
    /// May have something to say between turns.
    pub interrupts: Option<Arc<dyn InterruptSource>>,
    /// Says whether another turn follows.
    pub continuation: ContinueBy,
    /// Sums up older messages.
    pub summariser: Option<Arc<dyn Summariser>>,
    /// Whether a person can be asked about exactly one call. Otherwise such a call is refused at once.
    pub attended: bool,
    /// When a model is asked again after a transient failure.
    pub backoff: Backoff,
    /// Stands around everything that is performed, such as to measure it.
    pub layer: Option<PerformerLayer>,
    /// Agents that were compiled before.
    pub(super) compiled: Arc<Compiled>,
    /// What protocol agents were offered before.
    pub(super) speeches: Arc<Speeches>,
}

/// Puts something around the performer of a runtime.
pub type PerformerLayer = Arc<dyn Fn(Arc<dyn Performer>) -> Arc<dyn Performer> + Send + Sync>;

/// What says whether another turn follows.
#[derive(Clone, Default)]
pub enum ContinueBy {
    /// The engine: as long as the model calls tools.
    #[default]
    Calls,
    /// Nothing: one turn.
    Nobody,
    /// The host.
    Policy(Arc<dyn ContinuePolicy>),
}

impl Host {
    /// Returns a host of a clock and a model.
    pub fn new(clock: Arc<dyn Clock>, model: Arc<dyn Model>) -> Self {
        Self {
            clock,
            model,
            executors: None,
            policy: None,
            mediator: None,
            before_model: None,
            after_model: None,
            completion: None,
            diagnostics: None,
            interrupts: None,
            continuation: ContinueBy::Calls,
            summariser: None,
            attended: true,
            backoff: Backoff::default(),
            layer: None,
            compiled: Arc::default(),
            speeches: Arc::default(),
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
