//! Putting a runtime together.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use provost_runtime::actor::SealKey;
use provost_runtime::dispatch::Scope;
use provost_runtime::host::{ClientRouter, Executors, Host};
use provost_runtime::port::{
    Clock, Ids, Mediator, Model, PolicyProvider, ResultDiagnostics, Summariser, ToolExecutor,
};
use provost_runtime::store::memory::MemoryStore;
use provost_runtime::store::{ClaimFilter, Store};
use provost_runtime::system::{HashedIds, NoRandomness, SystemClock};
use provost_runtime::verify::{Anchor, AnchorFile};
#[cfg(feature = "sqlite")]
use provost_store::sqlite::{OpenError, SqliteOptions, SqliteStore};
use tokio::sync::OnceCell;

use super::Runtime;
use super::check::{self, Ignored, Known};
use super::start::Shared;
use crate::tool::Registry;
use crate::{Agent, Tool};

/// Gathers the parts of a runtime. Only a model is needed; without a store runs live in memory.
#[derive(Default)]
pub struct Builder {
    model: Option<Arc<dyn Model>>,
    storage: Storage,
    tools: Vec<Tool>,
    executor: Option<(serde_json::Value, Arc<dyn ToolExecutor>)>,
    agents: Vec<Agent>,
    policy: Option<Arc<dyn PolicyProvider>>,
    mediator: Option<Arc<dyn Mediator>>,
    diagnostics: Option<Arc<dyn ResultDiagnostics>>,
    summariser: Option<Arc<dyn Summariser>>,
    clock: Option<Arc<dyn Clock>>,
    ids: Option<Arc<dyn Ids>>,
    runs_max: Option<usize>,
    unattended: bool,
    scope: Option<ClaimFilter>,
    seal: Option<SealKey>,
    anchor: Option<Arc<dyn Anchor>>,
}

/// Where runs are stored.
#[derive(Default)]
enum Storage {
    #[default]
    Memory,
    #[cfg(feature = "sqlite")]
    Sqlite(PathBuf),
    Given(Arc<dyn Store>),
}

/// Why a runtime cannot be built.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// There is nobody to ask.
    #[error("a runtime needs a model: call `.model(…)`")]
    NoModel,
    /// Two tools have one name.
    #[error("two tools are called {0}")]
    ToolTwice(String),
    /// Two agents have one name.
    #[error("two agents are called {0}")]
    AgentTwice(String),
    /// An agent wants a tool that is not there.
    #[error(
        "the agent {agent} wants the tool {tool}, which is not there: add it with `.tool(…)`, or leave it out of `Agent::tools`"
    )]
    NoTool {
        /// The agent.
        agent: String,
        /// The tool.
        tool: String,
    },
    /// There are an executor and single tools, and the executor brings all tools itself.
    #[error("an executor brings its tools itself, so {} would not exist: declare them with the executor, or leave `.executor(…)` out", tools.join(", "))]
    ToolsBesideExecutor {
        /// The single tools.
        tools: Vec<String>,
    },
    /// Something that every run would ignore.
    #[error(transparent)]
    Ignored(#[from] Ignored),
    /// The database cannot be opened.
    #[cfg(feature = "sqlite")]
    #[error(transparent)]
    Store(#[from] OpenError),
    /// The machine has no randomness to give.
    #[error(transparent)]
    Randomness(#[from] NoRandomness),
}

impl Builder {
    /// How many runs work at once unless said otherwise; more wait for their turn.
    pub const RUNS_MAX: usize = 1_024;

    /// The model.
    #[must_use]
    pub fn model(mut self, model: impl Into<Arc<dyn Model>>) -> Self {
        self.model = Some(model.into());
        self
    }

    /// Stores runs in a SQLite file, made when it is missing. Needs the feature `sqlite`.
    #[cfg(feature = "sqlite")]
    #[must_use]
    pub fn sqlite(mut self, path: impl Into<PathBuf>) -> Self {
        self.storage = Storage::Sqlite(path.into());
        self
    }

    /// Stores runs in a store of the caller's own.
    #[must_use]
    pub fn store(mut self, store: Arc<dyn Store>) -> Self {
        self.storage = Storage::Given(store);
        self
    }

    /// Seals secret arguments of calls that wait, so that another process can go on with them. Without a key such
    /// a call is refused before a person or a client is asked.
    #[must_use]
    pub fn seal_key(mut self, key: SealKey) -> Self {
        self.seal = Some(key);
        self
    }

    /// Writes a line to a file outside the store for every run that ends: a witness of its hash.
    #[must_use]
    pub fn anchor_file(mut self, path: impl Into<PathBuf>) -> Self {
        self.anchor = Some(Arc::new(AnchorFile::new(path)));
        self
    }

    /// Works on every run of the store that fits, not only on those that this runtime was asked for.
    #[must_use]
    pub fn works_on(mut self, filter: ClaimFilter) -> Self {
        self.scope = Some(filter);
        self
    }

    /// A tool.
    #[must_use]
    pub fn tool(mut self, tool: Tool) -> Self {
        self.tools.push(tool);
        self
    }

    /// An executor with tools of its own, in the place of single tools; `declarations` as an object, by the
    /// names of the tools. [`Agent::tools`] chooses among them.
    #[must_use]
    pub fn executor(mut self, declarations: serde_json::Value, executor: Arc<dyn ToolExecutor>) -> Self {
        self.executor = Some((declarations, executor));
        self
    }

    /// An agent; without any there is one called `agent`.
    #[must_use]
    pub fn agent(mut self, agent: Agent) -> Self {
        self.agents.push(agent);
        self
    }

    /// Who has a word in how calls may run.
    #[must_use]
    pub fn policy(mut self, policy: Arc<dyn PolicyProvider>) -> Self {
        self.policy = Some(policy);
        self
    }

    /// Who may refuse or answer calls.
    #[must_use]
    pub fn mediator(mut self, mediator: Arc<dyn Mediator>) -> Self {
        self.mediator = Some(mediator);
        self
    }

    /// Who notes something beside results.
    #[must_use]
    pub fn diagnostics(mut self, diagnostics: Arc<dyn ResultDiagnostics>) -> Self {
        self.diagnostics = Some(diagnostics);
        self
    }

    /// Who sums up older messages.
    #[must_use]
    pub fn summariser(mut self, summariser: Arc<dyn Summariser>) -> Self {
        self.summariser = Some(summariser);
        self
    }

    /// A clock of the caller's own.
    #[must_use]
    pub fn clock(mut self, clock: Arc<dyn Clock>) -> Self {
        self.clock = Some(clock);
        self
    }

    /// Names of the caller's own making.
    #[must_use]
    pub fn ids(mut self, ids: Arc<dyn Ids>) -> Self {
        self.ids = Some(ids);
        self
    }

    /// No person can be asked about exactly one call ([`Ruling::person_only`](crate::port::Ruling::person_only)):
    /// such a call is refused at once, and the run goes on. Ordinary questions wait as ever.
    #[must_use]
    pub fn unattended(mut self) -> Self {
        self.unattended = true;
        self
    }

    /// How many runs work at once; more wait for their turn.
    #[must_use]
    pub fn runs_max(mut self, runs: usize) -> Self {
        self.runs_max = Some(runs.max(1));
        self
    }

    /// Puts the parts together.
    ///
    /// # Errors
    /// When a part is missing, there twice, or cannot be opened.
    pub fn build(self) -> Result<Runtime, BuildError> {
        let model = self.model.ok_or(BuildError::NoModel)?;
        let clock = self.clock.unwrap_or_else(|| Arc::new(SystemClock));
        let ids = match self.ids {
            Some(ids) => ids,
            None => Arc::new(HashedIds::from_system(clock.clone())?),
        };
        let store = self.storage.open(&clock)?;
        let registry = registry(self.tools)?;
        let all = registry.declarations(None);
        if let (Some(_), Some(tools)) = (&self.executor, all.as_object().filter(|tools| !tools.is_empty())) {
            return Err(BuildError::ToolsBesideExecutor { tools: tools.keys().cloned().collect() });
        }
        let all = self.executor.as_ref().map_or(all, |(declarations, _)| declarations.clone());
        check::declarations(&all)?;
        let known = Known::of(&all, self.summariser.is_some());
        let agents = agents(self.agents, &all, &known)?;
        let mut host = Host::new(clock.clone(), model);
        let (declarations, executor): (_, Arc<dyn ToolExecutor>) = match self.executor {
            Some((declarations, executor)) => (Some(declarations), executor),
            None => (None, Arc::new(registry.clone())),
        };
        host.executors = Some(Executors::new(Arc::new(ClientRouter(executor))));
        host.policy = self.policy;
        host.attended = !self.unattended;
        host.mediator = self.mediator;
        host.diagnostics = self.diagnostics;
        host.summariser = self.summariser;
        Ok(Runtime::new(Shared {
            store,
            runs: OnceCell::new(),
            host,
            ids,
            agents,
            registry,
            declarations,
            known,
            scope: self.scope.map_or(Scope::Asked, Scope::All),
            runs_max: self.runs_max.unwrap_or(Self::RUNS_MAX),
            seal: self.seal,
            anchor: self.anchor,
        }))
    }
}

impl Storage {
    fn open(self, clock: &Arc<dyn Clock>) -> Result<Arc<dyn Store>, BuildError> {
        match self {
            Self::Memory => Ok(Arc::new(MemoryStore::new(clock.clone()))),
            #[cfg(feature = "sqlite")]
            Self::Sqlite(path) => {
                let options = SqliteOptions { clock: clock.clone(), ..SqliteOptions::default() };
                Ok(Arc::new(SqliteStore::open(&path, &options)?))
            }
            Self::Given(store) => Ok(store),
        }
    }
}

fn registry(tools: Vec<Tool>) -> Result<Registry, BuildError> {
    let mut registry = Registry::default();
    for tool in tools {
        let name = tool.name().to_owned();
        if !registry.add(tool) {
            return Err(BuildError::ToolTwice(name));
        }
    }
    Ok(registry)
}

fn agents(
    given: Vec<Agent>,
    declared: &serde_json::Value,
    known: &Known,
) -> Result<BTreeMap<String, Agent>, BuildError> {
    let given = if given.is_empty() { vec![Agent::new("agent")] } else { given };
    let mut agents = BTreeMap::new();
    for agent in given {
        let missing = agent.tools.iter().flatten().find(|tool| declared.get(tool.as_str()).is_none());
        if let Some(tool) = missing {
            return Err(BuildError::NoTool { agent: agent.name.clone(), tool: tool.clone() });
        }
        known.check(&agent)?;
        let name = agent.name.clone();
        if agents.insert(name.clone(), agent).is_some() {
            return Err(BuildError::AgentTwice(name));
        }
    }
    Ok(agents)
}
