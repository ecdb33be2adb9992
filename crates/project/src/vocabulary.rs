//! The names that a project may use: tools, their categories, and modes. An unknown name is an error,
//! because a rule about it would have no effect.

use provost_contract::json::{self, Object};
use provost_policy::ActionPolicy;
use provost_policy::rules::AgentWords;
use provost_policy::tool::WRITE_CATEGORIES;
use serde_json::Value;

use crate::config::{AgentFile, Project, did_you_mean, tool_of_budget};
use crate::failure::{Code, Failure};

/// The built-in tools, including those that a project has switched off.
const TOOLS: [&str; 8] =
    ["fs/list", "fs/search", "fs/read", "fs/write", "fs/edit", "shell/run", "http/get", "human/ask"];
/// Their categories.
const CATEGORIES: [&str; 6] = ["filesystem", "read", "shell", "network", "human", "command"];
/// The default mode of an agent.
pub const MODE: &str = "chat";

/// Rejects a project that uses an unknown name, or an agent that is less strict than its project.
pub(crate) fn check(project: &Project) -> Result<(), Failure> {
    let offered = json::into_object(project.tools()?.offered());
    let vocabulary = Vocabulary::of(project, &offered);
    vocabulary.check(project)?;
    let policy = project.policy(None)?;
    for agent in project.agents.values() {
        vocabulary.check_agent(project, agent)?;
        for tool in &vocabulary.tools {
            let declaration = offered.get(tool).unwrap_or(&Value::Null);
            not_looser(agent, tool, policy.word(tool, declaration).verdict)?;
        }
    }
    Ok(())
}

/// Rejects an agent whose policy for a tool is less strict than its project's: it would have no effect, and its
/// author would not notice.
fn not_looser(agent: &AgentFile, tool: &str, of_project: ActionPolicy) -> Result<(), Failure> {
    let words = agent.head.policy.iter().filter_map(|(name, word)| Some((name, ActionPolicy::parse(word)?)));
    let about = words.filter(|(name, policy)| {
        AgentWords::read([(name.as_str(), *policy)]).is_ok_and(|words| words.concern(tool))
    });
    let Some((name, own)) = about.max_by_key(|(_, policy)| *policy).filter(|(_, own)| *own < of_project)
    else {
        return Ok(());
    };
    let message = format!(
        "`{name}: {}` is looser than the project's policy, which says {} for `{tool}`",
        own.spoken(),
        of_project.spoken()
    );
    Err(Failure::new(Code::AgentFile, message)
        .hint(format!(
            "an agent may only be stricter: write `{tool}: {}`, or leave it out",
            of_project.spoken()
        ))
        .at(&agent.place("policy", name)))
}

/// The names of a project.
struct Vocabulary {
    tools: Vec<String>,
    /// The tools that are switched on.
    offered: Vec<String>,
    categories: Vec<String>,
    modes: Vec<String>,
}

impl Vocabulary {
    /// Returns the names of a project with these tools.
    fn of(project: &Project, offered: &Object) -> Self {
        let own = |list: &[&str]| list.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        let said = offered.values().filter_map(|tool| tool.get("categories")).flat_map(json::string_list);
        let mut modes: Vec<String> = project.file.tools.modes.values().flatten().cloned().collect();
        modes.push(MODE.to_owned());
        Self {
            offered: offered.keys().cloned().collect(),
            tools: own(&TOOLS).into_iter().chain(offered.keys().cloned()).collect(),
            categories: own(&CATEGORIES).into_iter().chain(own(&WRITE_CATEGORIES)).chain(said).collect(),
            modes,
        }
    }

    /// Checks the names in the project's configuration.
    fn check(&self, project: &Project) -> Result<(), Failure> {
        let file = &project.file;
        let known = |what, name: &str, names| {
            known(what, name, names, Code::Config).map_err(|no| no.at(&file.place_of(name)))
        };
        for name in file.policy.tools.keys().chain(file.tools.modes.keys()) {
            known("tool", name, &self.tools)?;
        }
        for name in file.policy.categories.keys() {
            known("category", name, &self.categories)?;
        }
        for name in file.budgets.keys() {
            let Some(tool) = tool_of_budget(name) else { continue };
            self.known_tool(tool, Code::Config).map_err(|no| no.at(&file.place_of(name)))?;
        }
        if let Some(name) = &file.defaults.agent {
            let here = |no: Failure| Failure { code: Code::Config, ..no }.at(&file.place(name));
            project.agent(Some(name.as_ref())).map_err(here)?;
        }
        if let Some(name) = &file.defaults.model {
            let here = |no: Failure| Failure { code: Code::Config, ..no }.at(&file.place(name));
            project.model(Some(name.as_ref()), None).map_err(here)?;
        }
        Ok(())
    }

    /// Checks the names in an agent file.
    fn check_agent(&self, project: &Project, agent: &AgentFile) -> Result<(), Failure> {
        let head = &agent.head;
        let known = |key, what, name: &String, names| {
            known(what, name, names, Code::AgentFile).map_err(|no| no.at(&agent.place(key, name)))
        };
        for name in head.tools.iter().flatten() {
            known("tools", "tool", name, &self.tools)?;
            if !self.offered.contains(name) {
                let message = format!("the tool `{name}` is switched off");
                return Err(Failure::new(Code::AgentFile, message)
                    .hint("[tools] of provost.toml switches it on")
                    .at(&agent.place("tools", name)));
            }
        }
        for name in head.policy.keys().filter(|name| !self.has_like(name)) {
            known("policy", "tool", name, &self.tools)?;
        }
        for name in head.categories.iter().flatten() {
            known("categories", "category", name, &self.categories)?;
        }
        for name in head.budgets.keys() {
            let Some(tool) = tool_of_budget(name) else { continue };
            self.known_tool(tool, Code::AgentFile).map_err(|no| no.at(&agent.place("budgets", name)))?;
        }
        if let Some(mode) = &head.mode {
            known("mode", "mode", mode, &self.modes)?;
        }
        if let Some(model) = &head.model {
            let here = |no: Failure| Failure { code: Code::AgentFile, ..no }.at(&agent.place("model", ""));
            project.model(Some(model), None).map_err(here)?;
        }
        Ok(())
    }

    fn known_tool(&self, name: &str, code: Code) -> Result<(), Failure> {
        known("tool", name, &self.tools, code)
    }

    /// Returns whether a pattern with `*` matches a known tool.
    fn has_like(&self, name: &str) -> bool {
        let words = AgentWords::read([(name, ActionPolicy::Forbidden)]);
        words.is_ok_and(|words| self.tools.iter().any(|tool| words.concern(tool)))
    }
}

fn known(what: &str, name: &str, names: &[String], code: Code) -> Result<(), Failure> {
    if names.iter().any(|known| known == name) {
        return Ok(());
    }
    let failure = Failure::new(code, format!("there is no {what} `{name}`"));
    let mut names: Vec<&str> = names.iter().map(String::as_str).collect();
    names.sort_unstable();
    names.dedup();
    Err(match did_you_mean(name, names.iter().copied()) {
        Some(meant) => failure.hint(format!("did you mean `{meant}`?")),
        None => failure.hint(format!("there are: {}", names.join(", "))),
    })
}
