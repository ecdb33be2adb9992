//! From a project to a runtime that can work on its runs.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use provost_contract::json;
use provost_models::{Cassette, ConfigError, Masked, Masks, Player, Priced, Recorder, Retake};
use provost_policy::action_policy::{Consulted, Question, resolve};
use provost_policy::{ActionPolicy, Decision};
use provost_runtime::port::{Clock, Model};
use provost_runtime::store::Store;
use provost_tools::{CommandSpec, Environment, HttpAccess, Limits, Tools, Workspace};
use serde_json::{Value, json};

use super::anchor;
use super::clock;
use super::config::{AgentFile, ModelEntry, Project, ToolsPart};
use super::environment;
use super::failure::{Code, Failure};
use super::guard::Guard;
use super::place::Place;
use super::policy::ProjectPolicy;
use super::seal;
use super::summaries::Summaries;
use super::view::{Gauge, untouched};
use super::watched::Watched;
use crate::{Agent, Runtime};

/// Who answers, and whether it is written down.
pub(super) struct Answering {
    pub(super) entry: ModelEntry,
    pub(super) record: Option<PathBuf>,
    /// Whether a person can be asked about exactly one call.
    pub(super) attended: bool,
}

/// A runtime of a project.
pub(super) struct Setup {
    pub(super) runtime: Runtime,
    /// The tools, to show what a waiting call would do.
    pub(super) tools: Tools,
    /// Watches the files that govern the project.
    pub(super) guard: Option<Arc<Guard>>,
    /// The limits of a run that has not begun.
    pub(super) gauges: Vec<Gauge>,
}

impl Setup {
    /// Waits for work with the runtime, then gives up its lease: no process has to find out that this one is gone, and
    /// no log stays beside the database.
    pub(super) async fn closing<T>(&self, work: impl Future<Output = T>) -> T {
        let done = work.await;
        self.runtime.drain().await;
        done
    }

    /// Puts together what works on runs of a project in a folder.
    pub(super) fn new(
        project: &Project,
        agent: Option<&AgentFile>,
        answering: Answering,
        root: &Path,
        (store, place): (Arc<dyn Store>, &Place),
    ) -> Result<Self, Failure> {
        let attended = answering.attended;
        let model = answering.model(project, clock::clock())?;
        let guard = Guard::new(project, root, place).stopping(store.clone());
        Self::with_model(project, agent, model, root, store, attended, Some(Arc::new(guard)))
    }

    /// The same with a given model.
    pub(super) fn with_model(
        project: &Project,
        agent: Option<&AgentFile>,
        model: Arc<dyn Model>,
        root: &Path,
        store: Arc<dyn Store>,
        attended: bool,
        guard: Option<Arc<Guard>>,
    ) -> Result<Self, Failure> {
        let clock = clock::clock();
        let ids = clock::ids(clock.clone())?;
        let policy = Arc::new(ProjectPolicy::new(project, agent, root)?.guarded(guard.clone()));
        let tools = tools_within(&project.file.tools, root, &policy)?;
        let declarations = declarations(project, &tools, agent);
        let masks = masks(project);
        let model: Arc<dyn Model> = Arc::new(Masked::new(model, masks.clone()));
        let executor = Arc::new(Watched { tools: tools.clone(), guard: guard.clone(), masks });
        let mut builder = Runtime::builder()
            .store(store)
            .clock(clock)
            .ids(ids)
            .summariser(Arc::new(Summaries(model.clone())))
            .model(model)
            .policy(policy)
            .executor(declarations.clone(), executor);
        if !attended {
            builder = builder.unattended();
        }
        if let Some(anchor) = anchor::to_write(project, root)? {
            builder = builder.anchor_file(anchor);
        }
        if let Some(key) = seal::key(root) {
            builder = builder.seal_key(key);
        }
        if let Some(agent) = agent {
            builder = builder.agent(self::agent(project, agent)?);
        }
        let runtime = builder.build().map_err(|error| Failure::of(Code::Run, &error))?;
        let gauges = agent.map(|agent| limits(project, agent)).unwrap_or_default();
        Ok(Self { runtime, tools, guard, gauges })
    }
}

impl Answering {
    fn model(self, project: &Project, clock: Arc<dyn Clock>) -> Result<Arc<dyn Model>, Failure> {
        let cassette = |path: &Path| Cassette::read(path).map_err(|error| Failure::of(Code::Model, &error));
        Ok(match (self.entry, self.record) {
            (ModelEntry::Cassette(path), None) => Arc::new(Player::new(cassette(&path)?, Vec::new())),
            (ModelEntry::Cassette(path), Some(record)) => {
                let cassette = cassette(&path)?;
                let origin = cassette.origin();
                Arc::new(
                    Recorder::new(Retake::new(cassette), record, masks(project).secrets()).origin(origin),
                )
            }
            (ModelEntry::Remote(config), record) => {
                let remote = config.build(clock).map_err(|error| unusable(&error))?;
                let prices = Arc::new(project.file.prices.clone());
                match record {
                    None => Arc::new(Priced::new(remote, prices)),
                    // A key travels in a header, which is no part of a recording; but words may hold it.
                    Some(record) => {
                        let secrets = masks(project).secrets();
                        Arc::new(Recorder::new(Priced::new(remote, prices), record, secrets))
                    }
                }
            }
        })
    }
}

/// The keys of the project's models, which nothing that is recorded may hold.
fn masks(project: &Project) -> Masks {
    Masks::of(project.models.values().filter_map(|entry| match entry {
        ModelEntry::Remote(config) => Some(&**config),
        ModelEntry::Cassette(_) => None,
    }))
}

fn unusable(error: &ConfigError) -> Failure {
    let failure = Failure::of(Code::Model, error);
    match error {
        ConfigError::Key(_) => failure.hint("set the variable, or name a file with key_file in provost.toml"),
        ConfigError::NoBaseUrl(_)
        | ConfigError::TwoKeys
        | ConfigError::Endpoint(_)
        | ConfigError::Client(_) => failure,
    }
}

/// The tools of a project.
pub(super) fn tools(project: &Project) -> Result<Tools, Failure> {
    let policy = Arc::new(ProjectPolicy::new(project, None, &project.root())?);
    tools_within(&project.file.tools, &project.root(), &policy)
}

/// The tools of a project in a folder, within what its policy lets them come to.
fn tools_within(part: &ToolsPart, root: &Path, policy: &Arc<ProjectPolicy>) -> Result<Tools, Failure> {
    let config = |error: &dyn std::error::Error| Failure::of(Code::Config, error);
    let workspace = Workspace::open_within(root, Limits::default(), Some(policy.clone()))
        .map_err(|error| Failure::of(Code::Project, &error))?;
    let environment = Environment::allow(environment::variables(), &variables(part));
    let mut tools = Tools::files(&workspace).map_err(|error| config(&error))?;
    if part.human {
        tools = tools.with_human().map_err(|error| config(&error))?;
    }
    if part.shell {
        tools = tools.with_shell(&workspace, &environment).map_err(|error| config(&error))?;
    }
    if !part.hosts.is_empty() {
        let hosts: Result<_, _> = part.hosts.iter().map(|host| host.parse()).collect();
        let hosts = hosts.map_err(|error| config(&error))?;
        let access = HttpAccess { hosts, ..HttpAccess::default() };
        tools = tools.with_http_within(access, policy.clone()).map_err(|error| config(&error))?;
    }
    for command in &part.commands {
        let spec = CommandSpec::parse(&Value::Object(command.clone()));
        let spec = spec.map_err(|error| Failure::new(Code::Config, format!("tools.commands: {error}")))?;
        tools = tools.with_command(spec, &workspace, &environment).map_err(|error| config(&error))?;
    }
    Ok(tools)
}

/// The names of the variables that programs get.
pub(super) fn variables(part: &ToolsPart) -> Vec<String> {
    let mut names: Vec<String> = Environment::COMMON.map(str::to_owned).into();
    names.extend(part.environment.iter().cloned());
    names
}

/// The declarations of the tools an agent names, or of all, with the modes the project keeps them for.
pub(super) fn declarations(project: &Project, tools: &Tools, agent: Option<&AgentFile>) -> Value {
    let mut all = json::into_object(tools.offered());
    for (name, modes) in &project.file.tools.modes {
        if let Some(declaration) = all.get_mut(name).and_then(Value::as_object_mut) {
            declaration.insert("modes".to_owned(), json!(modes));
        }
    }
    let Some(names) = agent.and_then(|agent| agent.head.tools.as_ref()) else { return Value::Object(all) };
    // In the agent's own order, for a model reads it.
    Value::Object(names.iter().filter_map(|name| all.remove_entry(name)).collect())
}

/// The agent of a file. How its calls may run is asked of the policy, call by call.
pub(super) fn agent(project: &Project, file: &AgentFile) -> Result<Agent, Failure> {
    let head = &file.head;
    let told = match project.context()? {
        Some(context) => format!("{}\n\n# AGENTS.md\n\n{context}", file.instructions),
        None => file.instructions.clone(),
    };
    let mut agent = Agent::new(&head.name).instructions(told).max_turns(max_turns(file));
    for (name, ceiling) in budgets(project, file) {
        agent = agent.budget(name, ceiling);
    }
    if let Some(limit) = head.repetition_limit.or(project.file.defaults.repetition_limit) {
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
    if !project.file.policy.approvers.is_empty() {
        agent = agent.approvers(project.file.policy.approvers.clone());
    }
    Ok(agent)
}

fn max_turns(file: &AgentFile) -> u64 {
    file.head.max_turns.unwrap_or(Agent::MAX_TURNS)
}

/// The turns a run of an agent has: its `turns` budget goes before `max_turns`.
pub(super) fn turns_max(project: &Project, file: &AgentFile) -> u64 {
    let budget = budgets(project, file).find_map(|(name, ceiling)| (name == "turns").then_some(ceiling));
    budget.unwrap_or_else(|| max_turns(file))
}

/// The project's limits, and the agent's own in their place.
fn budgets<'f>(project: &'f Project, file: &'f AgentFile) -> impl Iterator<Item = (&'f str, u64)> {
    let own = &file.head.budgets;
    let others = project.file.budgets.iter().filter(|(name, _)| !own.contains_key(*name));
    others.chain(own).map(|(name, ceiling)| (name.as_str(), *ceiling))
}

fn limits(project: &Project, file: &AgentFile) -> Vec<Gauge> {
    untouched(budgets(project, file).map(|(name, ceiling)| (name.to_owned(), ceiling)), max_turns(file))
}

/// How a tool may run under some rules, and by which of them.
pub(super) fn decision(name: &str, declaration: &Value, rules: &Value) -> Decision<ActionPolicy> {
    let asked = json!({ "tool_name": name, "tool_def": declaration, "action_policy": rules });
    let question = Question::parse(&json::into_object(asked), |_| None);
    resolve(&question, &Consulted::default()).decision
}
