//! The names a project may use: of tools, of their categories, and of modes. A name nobody knows is an error,
//! for a rule about it would not hold.

use provost_contract::json::{self, Object};
use provost_policy::ActionPolicy;
use provost_policy::rules::AgentWords;
use provost_policy::tool::WRITE_CATEGORIES;

use super::config::{AgentFile, Project, did_you_mean};
use super::failure::{Code, Failure};

/// The tools of the program, also those a project has switched off.
const TOOLS: [&str; 8] =
    ["fs/list", "fs/search", "fs/read", "fs/write", "fs/edit", "shell/run", "http/get", "human/ask"];
/// Their categories.
const CATEGORIES: [&str; 6] = ["filesystem", "read", "shell", "network", "human", "command"];
/// The mode of an agent that names none.
pub(super) const MODE: &str = "chat";

/// The names of one project.
pub(super) struct Vocabulary {
    tools: Vec<String>,
    categories: Vec<String>,
    modes: Vec<String>,
}

impl Vocabulary {
    /// The names of a project with these tools.
    pub(super) fn of(project: &Project, offered: &Object) -> Self {
        let own = |list: &[&str]| list.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        let said = offered.values().filter_map(|tool| tool.get("categories")).flat_map(json::string_list);
        let mut modes: Vec<String> = project.file.tools.modes.values().flatten().cloned().collect();
        modes.push(MODE.to_owned());
        Self {
            tools: own(&TOOLS).into_iter().chain(offered.keys().cloned()).collect(),
            categories: own(&CATEGORIES).into_iter().chain(own(&WRITE_CATEGORIES)).chain(said).collect(),
            modes,
        }
    }

    /// Whether the project's own words are about something.
    pub(super) fn check(&self, project: &Project) -> Result<(), Failure> {
        let file = &project.file;
        let about = |section: &str| format!("provost.toml: [{section}]");
        for name in file.policy.tools.keys() {
            known("tool", name, &self.tools, Code::Config).map_err(|no| no.at(&about("policy.tools")))?;
        }
        for name in file.policy.categories.keys() {
            let checked = known("category", name, &self.categories, Code::Config);
            checked.map_err(|no| no.at(&about("policy.categories")))?;
        }
        for name in file.tools.modes.keys() {
            known("tool", name, &self.tools, Code::Config).map_err(|no| no.at(&about("tools.modes")))?;
        }
        Ok(())
    }

    /// Whether an agent's words are.
    pub(super) fn check_agent(&self, agent: &AgentFile) -> Result<(), Failure> {
        let head = &agent.head;
        let place = format!("agent `{}`", head.name);
        let here = |no: Failure| no.at(&place);
        for name in head.tools.iter().flatten() {
            known("tool", name, &self.tools, Code::AgentFile).map_err(here)?;
        }
        for name in head.policy.keys().filter(|name| !self.has_like(name)) {
            known("tool", name, &self.tools, Code::AgentFile).map_err(here)?;
        }
        for name in head.categories.iter().flatten() {
            known("category", name, &self.categories, Code::AgentFile).map_err(here)?;
        }
        let Some(mode) = &head.mode else { return Ok(()) };
        known("mode", mode, &self.modes, Code::AgentFile).map_err(here)
    }

    /// Whether a name with `*` is about a tool there is.
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
