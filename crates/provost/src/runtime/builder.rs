//! The builder of a runtime.

use std::path::PathBuf;
use std::sync::Arc;

use provost_runtime::actor::SealKey;
use provost_runtime::port::{
    AfterModel, Backoff, BeforeModel, Clock, CompletionPolicy, ContinuePolicy, Ids, InterruptSource,
    Mediator, Model, PolicyProvider, ResultDiagnostics, Summariser, ToolExecutor,
};
use provost_runtime::store::{ClaimFilter, Store};
use provost_runtime::verify::{Anchor, AnchorFile};
use serde_json::Value;

use crate::model::NamedModels;
use crate::tool::ToolSource;
use crate::{Agent, Tool};

/// Builds a runtime. Only a model is required; without a store runs are stored in memory.
///
/// ```
/// use provost::{Agent, Runtime, Script};
/// # fn main() -> Result<(), provost::BuildError> {
/// let runtime = Runtime::builder()
///     .model(Script::new().say("Hello."))
///     .agent(Agent::new("clerk").instructions("Be brief."))
///     .build()?;
/// # drop(runtime);
/// # Ok(())
/// # }
/// ```
#[derive(Default)]
pub struct Builder {
    pub(super) models: NamedModels,
    pub(super) model_twice: Option<String>,
    pub(super) storage: Storage,
    pub(super) tools: Vec<Tool>,
    pub(super) sources: Vec<(Value, Arc<dyn ToolExecutor>)>,
    pub(super) agents: Vec<Agent>,
    pub(super) policy: Option<Arc<dyn PolicyProvider>>,
    pub(super) mediators: Vec<Arc<dyn Mediator>>,
    pub(super) diagnostics: Vec<Arc<dyn ResultDiagnostics>>,
    pub(super) before_model: Vec<Arc<dyn BeforeModel>>,
    pub(super) after_model: Vec<Arc<dyn AfterModel>>,
    pub(super) completion: Vec<Arc<dyn CompletionPolicy>>,
    pub(super) interrupts: Vec<Arc<dyn InterruptSource>>,
    pub(super) continuation: Vec<Arc<dyn ContinuePolicy>>,
    pub(super) summariser: Option<Arc<dyn Summariser>>,
    pub(super) backoff: Backoff,
    pub(super) clock: Option<Arc<dyn Clock>>,
    pub(super) ids: Option<Arc<dyn Ids>>,
    pub(super) runs_max: Option<usize>,
    pub(super) unattended: bool,
    pub(super) scope: Option<ClaimFilter>,
    pub(super) seal: Option<SealKey>,
    pub(super) anchor: Option<Arc<dyn Anchor>>,
}

/// Where runs are stored.
#[derive(Default)]
pub(super) enum Storage {
    #[default]
    Memory,
    #[cfg(feature = "sqlite")]
    Sqlite(PathBuf),
    Given(Arc<dyn Store>),
}

impl Builder {
    /// The default limit of concurrently active runs; further runs queue.
    ///
    /// ```
    /// assert_eq!(provost::Builder::RUNS_MAX, 1_024);
    /// ```
    pub const RUNS_MAX: usize = 1_024;

    /// Sets the model of every agent that names none.
    ///
    /// ```
    /// let builder = provost::Runtime::builder().model(provost::Script::new().say("Hello."));
    /// # drop(builder);
    /// ```
    #[must_use]
    pub fn model(mut self, model: impl Model + 'static) -> Self {
        self.models.default = Some(Arc::new(model));
        self
    }

    /// Adds a named model, for agents with [`Agent::model`].
    ///
    /// ```
    /// use provost::{Agent, Script};
    /// let builder = provost::Runtime::builder()
    ///     .named_model("small", Script::new().say("Hi."))
    ///     .agent(Agent::new("greeter").model("small"));
    /// # drop(builder);
    /// ```
    #[must_use]
    pub fn named_model(mut self, name: &str, model: impl Model + 'static) -> Self {
        if self.models.named.insert(name.to_owned(), Arc::new(model)).is_some() {
            self.model_twice = Some(name.to_owned());
        }
        self
    }

    /// Sets how often and when a model call is retried after a transient failure
    /// ([`ModelError::transient`](crate::port::ModelError::transient)). The default is two retries.
    ///
    /// ```
    /// use std::time::Duration;
    /// use provost::Backoff;
    /// let slow = Backoff { attempts: 5, first: Duration::from_secs(1), ..Backoff::default() };
    /// let builder = provost::Runtime::builder().retries(slow);
    /// # drop(builder);
    /// ```
    #[must_use]
    pub fn retries(mut self, backoff: Backoff) -> Self {
        self.backoff = backoff;
        self
    }

    /// Stores runs in a SQLite file, created if missing. Requires the feature `sqlite`. For runs in memory leave
    /// this call out, or use [`Builder::store`] with a [`MemoryStore`](crate::MemoryStore).
    ///
    /// ```
    /// let builder = provost::Runtime::builder().sqlite(".provost/provost.db");
    /// # drop(builder);
    /// ```
    #[cfg(feature = "sqlite")]
    #[must_use]
    pub fn sqlite(mut self, path: impl Into<PathBuf>) -> Self {
        self.storage = Storage::Sqlite(path.into());
        self
    }

    /// Stores runs in a custom store.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use provost::{MemoryStore, SystemClock};
    /// let builder = provost::Runtime::builder().store(Arc::new(MemoryStore::new(Arc::new(SystemClock))));
    /// # drop(builder);
    /// ```
    #[must_use]
    pub fn store(mut self, store: Arc<dyn Store>) -> Self {
        self.storage = Storage::Given(store);
        self
    }

    /// Sets the key that seals secret arguments of waiting calls, so that another process can run them.
    /// Without a key such a call is rejected before a person or a client is asked.
    ///
    /// ```
    /// # let key = provost::SealKey::generate().unwrap();
    /// let builder = provost::Runtime::builder().seal_key(key);
    /// # drop(builder);
    /// ```
    #[must_use]
    pub fn seal_key(mut self, key: SealKey) -> Self {
        self.seal = Some(key);
        self
    }

    /// Appends a line with the last hash of every run that ends to a file outside the store.
    ///
    /// ```
    /// let builder = provost::Runtime::builder().anchor_file("/var/log/provost.anchor");
    /// # drop(builder);
    /// ```
    #[must_use]
    pub fn anchor_file(mut self, path: impl Into<PathBuf>) -> Self {
        self.anchor = Some(Arc::new(AnchorFile::new(path)));
        self
    }

    /// Works on every run of the store that matches the filter, not only on those that this runtime started
    /// or resumed.
    ///
    /// ```
    /// let builder = provost::Runtime::builder().works_on(provost::ClaimFilter::default());
    /// # drop(builder);
    /// ```
    #[must_use]
    pub fn works_on(mut self, filter: ClaimFilter) -> Self {
        self.scope = Some(filter);
        self
    }

    /// Adds a tool.
    ///
    /// ```
    /// # #[derive(serde::Deserialize, provost::JsonSchema)] struct No {}
    /// use provost::Tool;
    /// let builder = provost::Runtime::builder().tool(Tool::new("clock/now", "Tells the time.", |_: No| async { Ok("noon") }));
    /// # drop(builder);
    /// ```
    #[must_use]
    pub fn tool(mut self, tool: Tool) -> Self {
        self.tools.push(tool);
        self
    }

    /// Adds the tools of a source. A duplicate name is an error.
    ///
    /// ```
    /// use provost::port::{Boxed, ExecutorError, ToolAction, ToolExecutor};
    /// use serde_json::{Value, json};
    /// struct Echo;
    /// impl ToolExecutor for Echo {
    ///     fn execute<'a>(&'a self, action: ToolAction<'a>) -> Boxed<'a, Result<Value, ExecutorError>> {
    ///         Box::pin(async move { Ok(json!({ "success": true, "result": action.call.parameters })) })
    ///     }
    /// }
    /// let declared = json!({ "echo/say": { "name": "echo/say", "description": "Says it again.", "parameters": {} } });
    /// let builder = provost::Runtime::builder().tools((declared, Echo));
    /// # drop(builder);
    /// ```
    #[must_use]
    pub fn tools(mut self, source: impl ToolSource) -> Self {
        self.sources.push(source.into_parts());
        self
    }

    /// Adds the tools of an executor; `declarations` is an object, keyed by tool name. The same as
    /// [`Builder::tools`] with a pair of both.
    ///
    /// ```
    /// use provost::port::{Boxed, ExecutorError, ToolAction, ToolExecutor};
    /// use serde_json::{Value, json};
    /// struct Done;
    /// impl ToolExecutor for Done {
    ///     fn execute<'a>(&'a self, _: ToolAction<'a>) -> Boxed<'a, Result<Value, ExecutorError>> {
    ///         Box::pin(async { Ok(json!({ "success": true, "result": "done" })) })
    ///     }
    /// }
    /// let builder = provost::Runtime::builder().executor(json!({}), Done);
    /// # drop(builder);
    /// ```
    #[must_use]
    pub fn executor(self, declarations: Value, executor: impl ToolExecutor + 'static) -> Self {
        self.tools((declarations, executor))
    }

    /// Adds an agent. The default is one agent named `agent`.
    ///
    /// ```
    /// let builder = provost::Runtime::builder().agent(provost::Agent::new("clerk"));
    /// # drop(builder);
    /// ```
    #[must_use]
    pub fn agent(mut self, agent: Agent) -> Self {
        self.agents.push(agent);
        self
    }

    /// Adds a provider that decides how calls may run, in addition to agents and tools. Nothing overrides
    /// what it forbids.
    ///
    /// ```
    /// use provost::port::{Boxed, MediatedCall, PolicyProvider, Ruling};
    /// use provost::{ActionPolicy, HookAnswer};
    /// struct NoMail;
    /// impl PolicyProvider for NoMail {
    ///     fn rule<'a>(&'a self, call: MediatedCall<'a>) -> Boxed<'a, HookAnswer<Ruling>> {
    ///         let no = || Ruling::new(ActionPolicy::Forbidden, "no-mail", "mail is not sent from here");
    ///         let ruling = call.tool_name.starts_with("mail/").then(no);
    ///         Box::pin(async move { Ok(ruling) })
    ///     }
    /// }
    /// let builder = provost::Runtime::builder().policy(NoMail);
    /// # drop(builder);
    /// ```
    #[must_use]
    pub fn policy(mut self, policy: impl PolicyProvider + 'static) -> Self {
        self.policy = Some(Arc::new(policy));
        self
    }

    /// Sets the summariser for agents with a `compaction_policy`.
    ///
    /// ```
    /// use provost::port::{Boxed, HostError, Summariser};
    /// use provost::{Message, Object, Summary};
    /// struct Count;
    /// impl Summariser for Count {
    ///     fn summarise<'a>(&'a self, messages: &'a [Message], _: &'a Object) -> Boxed<'a, Result<Summary, HostError>> {
    ///         let text = format!("{} messages", messages.len());
    ///         Box::pin(async move { Summary::new(&text).map_err(|error| HostError(error.to_string())) })
    ///     }
    /// }
    /// let builder = provost::Runtime::builder().summariser(Count);
    /// # drop(builder);
    /// ```
    #[must_use]
    pub fn summariser(mut self, summariser: impl Summariser + 'static) -> Self {
        self.summariser = Some(Arc::new(summariser));
        self
    }

    /// Sets a custom clock.
    ///
    /// ```
    /// let builder = provost::Runtime::builder().clock(provost::SystemClock);
    /// # drop(builder);
    /// ```
    #[must_use]
    pub fn clock(mut self, clock: impl Clock + 'static) -> Self {
        self.clock = Some(Arc::new(clock));
        self
    }

    /// Sets a custom source of ids.
    ///
    /// ```
    /// use std::sync::atomic::{AtomicU64, Ordering};
    /// use provost::port::{IdKind, Ids};
    /// #[derive(Default)]
    /// struct Counted(AtomicU64);
    /// impl Ids for Counted {
    ///     fn make(&self, _: IdKind) -> String {
    ///         format!("id-{}", self.0.fetch_add(1, Ordering::Relaxed))
    ///     }
    /// }
    /// let builder = provost::Runtime::builder().ids(Counted::default());
    /// # drop(builder);
    /// ```
    #[must_use]
    pub fn ids(mut self, ids: impl Ids + 'static) -> Self {
        self.ids = Some(Arc::new(ids));
        self
    }

    /// Declares that no person can give a one-time approval
    /// ([`Ruling::person_only`](crate::port::Ruling::person_only)): such a call is rejected at once. Other
    /// questions wait.
    ///
    /// ```
    /// let builder = provost::Runtime::builder().unattended();
    /// # drop(builder);
    /// ```
    #[must_use]
    pub fn unattended(mut self) -> Self {
        self.unattended = true;
        self
    }

    /// Limits the number of concurrently active runs, at least 1; further runs queue.
    ///
    /// ```
    /// let builder = provost::Runtime::builder().runs_max(16);
    /// # drop(builder);
    /// ```
    #[must_use]
    pub fn runs_max(mut self, runs: usize) -> Self {
        self.runs_max = Some(runs);
        self
    }
}
