//! Building a runtime from a project.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use provost::{Agent, Mode, ProtocolSettings, Runtime};
use provost_models::{Cassette, ConfigError, Masked, Masks, Player, Priced, Recorder, ReplayInOrder};
use provost_runtime::port::{Clock, Model};
use provost_runtime::store::Store;
use provost_tools::Tools;

use crate::anchor;
use crate::clock;
use crate::config::{AgentFile, ModelEntry, Project, Speaks};
use crate::data_dir::DataDir;
use crate::failure::{Code, Failure};
use crate::guard::Guard;
use crate::guarded_tools::GuardedTools;
use crate::policy::ProjectPolicy;
use crate::seal;
use crate::summaries::Summaries;
use crate::tools::tools_within;

/// The key of the model in a run's context.
pub const MODEL: &str = "model_name";
/// The key of the recording in a run's context.
pub const CASSETTE: &str = "cassette";

/// The model of a runtime.
pub enum ModelSource {
    /// A model of the project's files; with a path, its responses are recorded there.
    Configured {
        /// The model.
        entry: ModelEntry,
        /// Where to record it.
        record: Option<PathBuf>,
    },
    /// A model supplied by the caller.
    Given(Arc<dyn Model>),
}

/// The settings of a project's runtime.
pub struct RuntimeOptions<'a> {
    /// The agent; without one the runtime has none of the project's agents.
    pub agent: Option<&'a AgentFile>,
    /// The model.
    pub model: ModelSource,
    /// The folder that tools work in: [`Project::root`], or a copy of it made by [`Project::workspace`].
    pub root: &'a Path,
    /// Where runs are stored.
    pub store: Arc<dyn Store>,
    /// Where changes of governing files are logged; without it they are not detected.
    pub data: Option<&'a DataDir>,
    /// Whether a person can give a one-time approval.
    pub attended: bool,
}

/// The limits of a run.
#[derive(Clone, Debug)]
pub struct Limits {
    /// The turn limit.
    pub turns_max: u64,
    /// The other limits by name, and `turns` if it is one of them.
    pub budgets: Vec<(String, u64)>,
}

/// A runtime of a project.
pub struct ProjectRuntime {
    /// The runtime.
    pub runtime: Runtime,
    /// The tools, for previews of waiting calls.
    pub tools: Tools,
    /// Checks the files that govern the project.
    pub guard: Option<Arc<Guard>>,
    /// The folder of the project.
    pub folder: PathBuf,
    /// The file that runs are stored in, if it is one.
    pub database: Option<PathBuf>,
    /// The limits of its runs, if the agent is known.
    pub limits: Option<Limits>,
}

impl ProjectRuntime {
    /// Runs a future with the runtime, then releases the lease, so that other processes need not detect that
    /// this one is gone, and no log stays beside the database.
    pub async fn closing<T>(&self, work: impl Future<Output = T>) -> T {
        let done = work.await;
        self.runtime.drain().await;
        done
    }
}

impl Project {
    /// Builds a runtime that works on runs of the project, under its policy.
    ///
    /// # Errors
    /// If the model, a tool, the anchor file or the agent cannot be used.
    pub fn runtime(&self, options: RuntimeOptions<'_>) -> Result<ProjectRuntime, Failure> {
        let RuntimeOptions { agent, model, root, store, data, attended } = options;
        let clock = clock::clock();
        if let (Some(agent), ModelSource::Configured { entry, .. }) = (agent, &model) {
            self.check_prices(agent, entry)?;
        }
        let model = model.build(self, clock.clone())?;
        let guard = data.map(|data| Arc::new(Guard::new(self, root, data).stopping(store.clone())));
        let ids = clock::ids(clock.clone())?;
        let policy = Arc::new(ProjectPolicy::new(self, agent, root)?.guarded(guard.clone()));
        let tools = tools_within(&self.file.tools, root, &policy)?;
        let declarations = self.declarations(&tools, agent);
        let masks = masks(self);
        let model: Arc<dyn Model> = Arc::new(Masked::new(model, masks.clone()));
        let executor = Arc::new(GuardedTools { tools: tools.clone(), guard: guard.clone(), masks });
        let mut builder = Runtime::builder()
            .store(store)
            .clock(clock)
            .ids(ids)
            .summariser(Arc::new(Summaries(model.clone())))
            .model(model)
            .policy(policy)
            .executor(declarations, executor);
        if !attended {
            builder = builder.unattended();
        }
        if let Some(anchor) = anchor::to_write(self, root)? {
            builder = builder.anchor_file(anchor);
        }
        if let Some(key) = seal::key(root) {
            builder = builder.seal_key(key);
        }
        if let Some(agent) = agent {
            builder = builder.agent(self.runtime_agent(agent)?);
        }
        let runtime = builder.build().map_err(|error| Failure::of(Code::Run, &error))?;
        let limits = agent.map(|agent| limits(self, agent));
        let (folder, database) = (self.folder.clone(), data.map(|data| data.database().to_owned()));
        Ok(ProjectRuntime { runtime, tools, guard, folder, database, limits })
    }

    /// Rejects a cost limit if the model has no price.
    ///
    /// # Errors
    /// If an agent has such a limit and its model has no price.
    pub fn check_prices(&self, agent: &AgentFile, model: &ModelEntry) -> Result<(), Failure> {
        let ModelEntry::Remote(config) = model else { return Ok(()) };
        let name = &config.settings.model;
        let is_limited = budgets(self, agent).any(|(budget, _)| budget == "cost_microusd");
        if !is_limited || self.file.prices.price(name).is_some() {
            return Ok(());
        }
        let message = format!("the budget `cost_microusd` would not hold: the model `{name}` has no price");
        let example = format!(
            "[prices.models.\"{name}\"] with `input` and `output` in micro-dollars for a million tokens"
        );
        Err(Failure::new(Code::Config, message).hint(format!("write {example}, or limit `tokens`")))
    }

    /// Returns the agent of a file. How its calls may run is decided by the policy, call by call.
    pub fn runtime_agent(&self, file: &AgentFile) -> Result<Agent, Failure> {
        let head = &file.head;
        let told = match self.context()? {
            Some(context) => format!("{}\n\n# AGENTS.md\n\n{context}", file.instructions),
            None => file.instructions.clone(),
        };
        let mut agent = Agent::new(&head.name).instructions(told).max_turns(max_turns(file));
        for (name, ceiling) in budgets(self, file) {
            agent = agent.budget(name, ceiling);
        }
        if let Some(limit) = head.repetition_limit.or(self.file.defaults.repetition_limit) {
            agent = agent.repetition_limit(limit);
        }
        if let Some(mode) = &head.mode {
            agent = agent.mode(mode);
        }
        if let Some(categories) = &head.categories {
            agent = agent.categories(categories.clone());
        }
        if let Some(compaction) = &head.compaction {
            agent = agent.option("compaction_policy", compaction.policy());
        }
        if head.speaks == Speaks::Protocol {
            agent = agent.speaks(Mode::Protocol);
        }
        let (runtime_policies, policies) = (self.file.policies.clone(), head.policies.clone());
        agent =
            agent.protocol(ProtocolSettings { runtime_policies, policies, ..ProtocolSettings::default() });
        if !self.file.policy.approvers.is_empty() {
            agent = agent.approvers(self.file.policy.approvers.clone());
        }
        Ok(agent)
    }

    /// Returns the turn limit of an agent's runs: a `turns` budget takes precedence over `max_turns`.
    pub fn turns_max(&self, file: &AgentFile) -> u64 {
        let budget = budgets(self, file).find_map(|(name, ceiling)| (name == "turns").then_some(ceiling));
        budget.unwrap_or_else(|| max_turns(file))
    }
}

impl ModelSource {
    fn build(self, project: &Project, clock: Arc<dyn Clock>) -> Result<Arc<dyn Model>, Failure> {
        let (entry, record) = match self {
            Self::Configured { entry, record } => (entry, record),
            Self::Given(model) => return Ok(model),
        };
        let cassette = |path: &Path| {
            Cassette::read(path).map_err(|error| {
                Failure::of(Code::Model, &error)
                    .hint("name another file with --cassette, or with `cassette` in provost.toml")
            })
        };
        Ok(match (entry, record) {
            (ModelEntry::Cassette(path), None) => Arc::new(Player::new(cassette(&path)?, Vec::new())),
            (ModelEntry::Cassette(path), Some(record)) => {
                let cassette = cassette(&path)?;
                let origin = cassette.origin();
                Arc::new(
                    Recorder::new(ReplayInOrder::new(cassette), record, masks(project).secrets())
                        .origin(origin),
                )
            }
            (ModelEntry::Remote(config), record) => {
                let remote = config.build(clock).map_err(|error| unusable(&error))?;
                let prices = Arc::new(project.file.prices.clone());
                match record {
                    None => Arc::new(Priced::new(remote, prices)),
                    // A key is sent in a header, which is not recorded; but text may contain it.
                    Some(record) => {
                        let secrets = masks(project).secrets();
                        Arc::new(Recorder::new(Priced::new(remote, prices), record, secrets))
                    }
                }
            }
        })
    }
}

/// Returns the keys of the project's models, which must not be recorded.
pub(crate) fn masks(project: &Project) -> Masks {
    Masks::of(project.models.values().filter_map(|entry| match entry {
        ModelEntry::Remote(config) => Some(&**config),
        ModelEntry::Cassette(_) => None,
    }))
}

fn unusable(error: &ConfigError) -> Failure {
    let failure = Failure::of(Code::Model, error);
    match error {
        ConfigError::Key(_) => failure.hint("set the variable, or name a file with key_file in provost.toml"),
        ConfigError::NoBaseUrl(_) | ConfigError::Endpoint(_) => {
            failure.hint("correct base_url of the model; provost doctor says where it is written")
        }
        ConfigError::TwoKeys | ConfigError::Client(_) => failure,
    }
}

fn max_turns(file: &AgentFile) -> u64 {
    file.head.max_turns.unwrap_or(Agent::MAX_TURNS)
}

/// Returns the project's limits, overridden by the agent's.
fn budgets<'f>(project: &'f Project, file: &'f AgentFile) -> impl Iterator<Item = (&'f str, u64)> {
    let own = &file.head.budgets;
    let others = project.file.budgets.iter().filter(|(name, _)| !own.contains_key(*name));
    others.chain(own).map(|(name, ceiling)| (name.as_str(), *ceiling))
}

fn limits(project: &Project, file: &AgentFile) -> Limits {
    let budgets = budgets(project, file).map(|(name, ceiling)| (name.to_owned(), ceiling)).collect();
    Limits { turns_max: max_turns(file), budgets }
}
