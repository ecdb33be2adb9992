//! Building a runtime from its parts.

use std::collections::BTreeMap;
use std::sync::Arc;

use provost_contract::ContractError;
use provost_contract::json::Object;
use provost_runtime::dispatch::Scope;
use provost_runtime::host::{ClientRouter, ContinueBy, Executors, Host};
use provost_runtime::port::{Clock, Model};
use provost_runtime::store::Store;
use provost_runtime::store::memory::MemoryStore;
use provost_runtime::system::{HashedIds, NoRandomness, SystemClock};
#[cfg(feature = "sqlite")]
use provost_store::sqlite::{OpenError, SqliteOptions, SqliteStore};
use serde_json::Value;
use tokio::sync::OnceCell;

use super::builder::Storage;
use super::check::{self, Ignored, Known};
use super::start::Shared;
use super::{Builder, Runtime, values};
use crate::hooks::{AfterGuards, BeforeGuards, Completions, Continuations, Interrupts, Mediators, Notes};
use crate::model::NamedModels;
use crate::tool::{Registry, Toolbox};
use crate::{Agent, Tool};

/// Why a runtime cannot be built.
///
/// ```
/// use provost::{BuildError, Runtime};
/// assert!(matches!(Runtime::builder().build().err(), Some(BuildError::NoModel)));
/// ```
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// An agent has no model.
    #[error("a runtime needs a model: call `.model(…)`")]
    NoModel,
    /// Two models have the same name.
    #[error("two models are called {0}")]
    ModelTwice(String),
    /// An agent names an unknown model.
    #[error("the agent {agent} names the unknown model {model}: add it with `.named_model(…)`")]
    UnknownModel {
        /// The agent.
        agent: String,
        /// The model.
        model: String,
    },
    /// Two tools have the same name.
    #[error("two tools are called {0}")]
    ToolTwice(String),
    /// Two agents have the same name.
    #[error("two agents are called {0}")]
    AgentTwice(String),
    /// An agent names an unknown tool.
    #[error(
        "the agent {agent} names the unknown tool {tool}: add it with `.tool(…)` or `.tools(…)`, or leave it out of `Agent::tools`"
    )]
    NoTool {
        /// The agent.
        agent: String,
        /// The tool.
        tool: String,
    },
    /// A setting that every run would ignore.
    #[error(transparent)]
    Ignored(#[from] Ignored),
    /// An agent has an option or a tool with a malformed value.
    #[error("the agent `{agent}`: {error}")]
    Invalid {
        /// The agent.
        agent: String,
        /// The malformed value.
        #[source]
        error: ContractError,
    },
    /// The database cannot be opened.
    #[cfg(feature = "sqlite")]
    #[error(transparent)]
    Store(#[from] OpenError),
    /// The machine has no random bytes.
    #[error(transparent)]
    Randomness(#[from] NoRandomness),
}

impl Builder {
    /// Builds the runtime.
    ///
    /// ```
    /// let runtime = provost::Runtime::builder().model(provost::Script::new()).build();
    /// assert!(runtime.is_ok());
    /// ```
    ///
    /// # Errors
    /// If a part is missing, duplicated, cannot be opened, or would be ignored.
    pub fn build(mut self) -> Result<Runtime, BuildError> {
        if let Some(name) = self.model_twice.take() {
            return Err(BuildError::ModelTwice(name));
        }
        let clock = self.clock.take().unwrap_or_else(|| Arc::new(SystemClock));
        let ids = match self.ids.take() {
            Some(ids) => ids,
            None => Arc::new(HashedIds::from_system(clock.clone())?),
        };
        let (declarations, toolbox) = self.toolbox()?;
        let known = Known::of(&declarations, self.summariser.is_some());
        let agents = agents(std::mem::take(&mut self.agents), &declarations, &known)?;
        check_models(&self.models, &agents)?;
        values::retries(&self.backoff)?;
        let runs_max = values::runs_max(self.runs_max.unwrap_or(Self::RUNS_MAX))?;
        let store = std::mem::take(&mut self.storage).open(&clock)?;
        let (scope, seal, anchor) = (self.scope.take(), self.seal.take(), self.anchor.take());
        let runtime = Runtime::new(Shared {
            store,
            runs: OnceCell::new(),
            ids,
            agents,
            declarations,
            known,
            scope: scope.map_or(Scope::Asked, Scope::All),
            runs_max,
            seal,
            anchor,
            host: self.host(clock, toolbox),
        });
        runtime.check_agents()?;
        Ok(runtime)
    }

    /// Collects the tools of every source under unique names.
    fn toolbox(&mut self) -> Result<(Value, Toolbox), BuildError> {
        let (mut all, mut toolbox) = (Object::new(), Toolbox::default());
        let registry = registry(std::mem::take(&mut self.tools))?;
        let single = (registry.declarations(), Arc::new(registry) as Arc<_>);
        for (declared, executor) in std::iter::once(single).chain(std::mem::take(&mut self.sources)) {
            check::declarations(&declared)?;
            let Value::Object(declared) = declared else { continue };
            if let Some(name) = toolbox.add(declared.keys(), executor) {
                return Err(BuildError::ToolTwice(name));
            }
            all.extend(declared);
        }
        Ok((Value::Object(all), toolbox))
    }

    fn host(self, clock: Arc<dyn Clock>, toolbox: Toolbox) -> Host {
        let model: Arc<dyn Model> = match self.models.default {
            // A single model needs no selection by name.
            Some(model) if self.models.named.is_empty() => model,
            default => Arc::new(NamedModels { default, named: self.models.named }),
        };
        let mut host = Host::new(clock, model);
        host.executors = Some(Executors::new(Arc::new(ClientRouter(Arc::new(toolbox)))));
        host.policy = self.policy;
        host.attended = !self.unattended;
        host.backoff = self.backoff;
        host.mediator = some(self.mediators).map(|hooks| Arc::new(Mediators(hooks)) as Arc<_>);
        host.diagnostics = some(self.diagnostics).map(|hooks| Arc::new(Notes(hooks)) as Arc<_>);
        host.before_model = some(self.before_model).map(|hooks| Arc::new(BeforeGuards(hooks)) as Arc<_>);
        host.after_model = some(self.after_model).map(|hooks| Arc::new(AfterGuards(hooks)) as Arc<_>);
        host.completion = some(self.completion).map(|hooks| Arc::new(Completions(hooks)) as Arc<_>);
        host.interrupts = some(self.interrupts).map(|hooks| Arc::new(Interrupts(hooks)) as Arc<_>);
        if let Some(hooks) = some(self.continuation) {
            host.continuation = ContinueBy::Policy(Arc::new(Continuations(hooks)));
        }
        host.summariser = self.summariser;
        #[cfg(feature = "tracing")]
        {
            host.layer = Some(crate::trace::layer());
        }
        host
    }
}

impl Storage {
    fn open(self, clock: &Arc<dyn Clock>) -> Result<Arc<dyn Store>, BuildError> {
        match self {
            Self::Memory => Ok(Arc::new(MemoryStore::new(clock.clone()))),
            #[cfg(feature = "sqlite")]
            Self::Sqlite(path) => {
                values::database(&path)?;
                let options = SqliteOptions { clock: clock.clone(), ..SqliteOptions::default() };
                Ok(Arc::new(SqliteStore::open(&path, &options)?))
            }
            Self::Given(store) => Ok(store),
        }
    }
}

fn some<T>(hooks: Vec<T>) -> Option<Vec<T>> {
    (!hooks.is_empty()).then_some(hooks)
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

fn agents(given: Vec<Agent>, declared: &Value, known: &Known) -> Result<BTreeMap<String, Agent>, BuildError> {
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

/// Checks that every agent has a model.
fn check_models(models: &NamedModels, agents: &BTreeMap<String, Agent>) -> Result<(), BuildError> {
    for agent in agents.values() {
        match &agent.model {
            None if models.default.is_none() => return Err(BuildError::NoModel),
            Some(model) if !models.named.contains_key(model) => {
                let agent = agent.name.clone();
                return Err(BuildError::UnknownModel { agent, model: model.clone() });
            }
            None | Some(_) => {}
        }
    }
    Ok(())
}
