//! The tools of a project, and their declarations for the model.

use std::path::Path;
use std::sync::Arc;

use provost_contract::json::{self, Object};
use provost_tools::{CommandSpec, Environment, HttpAccess, Limits, Tools, Workspace};
use serde_json::{Value, json};

use crate::config::{AgentFile, Project, ToolsPart};
use crate::environment;
use crate::failure::{Code, Failure};
use crate::policy::{ProjectPolicy, is_executable};

impl Project {
    /// Returns the tools of the project, in its own folder.
    pub fn tools(&self) -> Result<Tools, Failure> {
        let policy = Arc::new(self.policy(None)?);
        tools_within(&self.file.tools, &self.root(), &policy)
    }

    /// Returns the command tools whose program is not found, with that program.
    pub fn missing_programs(&self) -> Vec<(String, String)> {
        let text = |command: &Object, key: &str| command.get(key)?.as_str().map(str::to_owned);
        let missing = |command: &Object| {
            let program = command.get("argv")?.as_array()?.first()?.as_str()?.to_owned();
            let folder = self.root().join(text(command, "cwd").unwrap_or_default());
            let is_there = if program.contains('/') {
                is_executable(&folder.join(&program))
            } else {
                environment::path().iter().any(|folder| is_executable(&folder.join(&program)))
            };
            (!is_there).then_some((text(command, "name")?, program))
        };
        self.file.tools.commands.iter().filter_map(missing).collect()
    }

    /// Returns the declarations of the tools an agent names, or of all, with the modes that the project sets
    /// for them.
    pub fn declarations(&self, tools: &Tools, agent: Option<&AgentFile>) -> Value {
        let mut all = json::into_object(tools.offered());
        for (name, modes) in &self.file.tools.modes {
            if let Some(declaration) = all.get_mut(name).and_then(Value::as_object_mut) {
                declaration.insert("modes".to_owned(), json!(modes));
            }
        }
        let Some(names) = agent.and_then(|agent| agent.head.tools.as_ref()) else {
            return Value::Object(all);
        };
        // In the agent's order, because the model reads it.
        Value::Object(names.iter().filter_map(|name| all.remove_entry(name)).collect())
    }
}

/// Returns the tools of a project in a folder, limited to what its policy allows.
pub(crate) fn tools_within(
    part: &ToolsPart,
    root: &Path,
    policy: &Arc<ProjectPolicy>,
) -> Result<Tools, Failure> {
    let config = |error: &dyn std::error::Error| Failure::of(Code::Config, error);
    let workspace = Workspace::open_within(root, Limits::default(), Some(policy.clone()))
        .map_err(|error| Failure::of(Code::Project, &error))?;
    let environment = Environment::allow(environment::variables(), &part.variables());
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
