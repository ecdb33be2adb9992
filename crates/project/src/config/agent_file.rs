//! Agent files, `agents/*.md`: front matter and instructions.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use provost_contract::json::Object;
use provost_contract::policies::Policies;
use serde_saphyr::Spanned;

use super::compaction::Compaction;
use super::file::{action_policy, known_budget, repetition_limit};
use super::front_matter::{self, FrontMatter, Speaks};
use super::suggest::for_unknown_field;
use crate::failure::{Code, Failure};

/// An agent as defined by its file.
#[derive(Clone, Debug)]
pub struct AgentFile {
    pub head: Head,
    pub instructions: String,
    path: PathBuf,
    lines: Lines,
}

/// The front matter.
#[derive(Clone, Debug)]
pub struct Head {
    pub name: String,
    pub description: String,
    pub model: Option<String>,
    /// The mode of the agent; tools can be limited to some modes.
    pub mode: Option<String>,
    pub tools: Option<Vec<String>>,
    /// Only tools of one of these categories.
    pub categories: Option<Vec<String>>,
    pub policy: Object,
    pub budgets: BTreeMap<String, u64>,
    pub compaction: Option<Compaction>,
    pub max_turns: Option<u64>,
    /// The number of equal calls in a row that ends a run; 0 for no limit.
    pub repetition_limit: Option<u64>,
    /// How its model requests work.
    pub speaks: Speaks,
    /// What it can be chosen for.
    pub capabilities: Vec<String>,
    /// Whether other agents may delegate to it.
    pub delegable: bool,
    /// Its layer of the policies of declared actions.
    pub policies: Object,
}

/// The name of the agent under which declarations run that name none.
pub const NO_AGENT: &str = "exec";

impl Default for Head {
    fn default() -> Self {
        Self {
            name: String::new(),
            description: String::new(),
            model: None,
            mode: None,
            tools: None,
            categories: None,
            policy: Object::new(),
            budgets: BTreeMap::new(),
            compaction: None,
            max_turns: None,
            repetition_limit: None,
            speaks: Speaks::Plain,
            capabilities: Vec::new(),
            delegable: true,
            policies: Object::new(),
        }
    }
}

impl AgentFile {
    /// Returns what stands for an agent where a declaration runs without one: every tool, the project's own policy.
    pub fn without_agent() -> Self {
        let head = Head { name: NO_AGENT.to_owned(), ..Head::default() };
        Self { head, instructions: String::new(), path: PathBuf::from(NO_AGENT), lines: Lines::default() }
    }

    /// Parses the text of a file; the default name of the agent is that of the file.
    pub fn read(text: &str, path: &Path) -> Result<Self, Failure> {
        let at = |line: usize, failure: Failure| failure.at(&format!("{}:{line}", path.display()));
        let (written, instructions) = front_matter::read(text).map_err(|(line, what)| {
            let hint = for_unknown_field(&what);
            at(line, hint.into_iter().fold(Failure::new(Code::AgentFile, what), Failure::hint))
        })?;
        let mut lines = Lines::default();
        let mut head =
            Head::read(written, &mut lines).map_err(|(key, failure)| at(lines.of(key.0, &key.1), failure))?;
        if head.name.is_empty() {
            head.name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        }
        Ok(Self { head, instructions, path: path.to_owned(), lines })
    }

    /// The file and line of a key, or of a name below it; the file alone where it is not written.
    pub fn place_of(&self, key: &str, name: &str) -> String {
        let is_key = |(known, below): &&(&'static str, String)| *known == key && below == name;
        let line = self.lines.0.keys().find(is_key).and_then(|known| self.lines.0.get(known));
        line.map_or_else(|| self.path.display().to_string(), |line| format!("{}:{line}", self.path.display()))
    }

    /// The file, from the folder of the project.
    pub fn file(&self) -> String {
        self.path.display().to_string()
    }

    /// The file and line of a key, or of a name below it.
    pub fn place(&self, key: &'static str, name: &str) -> String {
        format!("{}:{}", self.path.display(), self.lines.of(key, name))
    }
}

/// The lines of keys, and of names below them.
#[derive(Clone, Debug, Default)]
struct Lines(BTreeMap<(&'static str, String), usize>);

impl Lines {
    fn of(&self, key: &'static str, name: &str) -> usize {
        let line = |name: &str| self.0.get(&(key, name.to_owned()));
        line(name).or_else(|| line("")).copied().unwrap_or(1)
    }

    /// Stores the line of a value, and returns the value.
    fn note<T>(&mut self, key: &'static str, name: &str, written: Spanned<T>) -> T {
        let line = usize::try_from(written.referenced.line()).unwrap_or(1);
        self.0.insert((key, name.to_owned()), line);
        written.value
    }

    fn names(&mut self, key: &'static str, written: Spanned<Vec<Spanned<String>>>) -> Vec<String> {
        let names = self.note(key, "", written);
        let name = |name: Spanned<String>| {
            let text = name.value.clone();
            self.note(key, &text, name)
        };
        names.into_iter().map(name).collect()
    }
}

/// A mistake, with its key and name.
type Wrong = ((&'static str, String), Failure);

fn wrong<T>(key: &'static str, name: &str, failure: Failure) -> Result<T, Wrong> {
    Err(((key, name.to_owned()), failure))
}

fn refused(what: &str, hint: &str) -> Failure {
    Failure::new(Code::AgentFile, what).hint(hint)
}

/// A mistake that other files can have too.
fn of_agent(failure: Failure) -> Failure {
    Failure { code: Code::AgentFile, ..failure }
}

impl Head {
    fn read(written: FrontMatter, lines: &mut Lines) -> Result<Self, Wrong> {
        let mut text = |key: &'static str, written: Option<Spanned<String>>| {
            written.map(|written| lines.note(key, "", written).trim_end().to_owned())
        };
        let (name, description) = (text("name", written.name), text("description", written.description));
        let (model, mode) = (text("model", written.model), text("mode", written.mode));
        let mut head = Self {
            description: description.unwrap_or_default(),
            model,
            mode,
            tools: written.tools.map(|names| lines.names("tools", names)),
            categories: written.categories.map(|names| lines.names("categories", names)),
            compaction: written.compaction.map(|written| lines.note("compaction", "", written)),
            max_turns: written.max_turns.map(|written| lines.note("max_turns", "", written)),
            repetition_limit: written
                .repetition_limit
                .map(|written| lines.note("repetition_limit", "", written)),
            speaks: written.speaks.map(|written| lines.note("speaks", "", written)).unwrap_or_default(),
            capabilities: written
                .capabilities
                .map(|names| lines.names("capabilities", names))
                .unwrap_or_default(),
            delegable: written.delegable.is_none_or(|written| lines.note("delegable", "", written)),
            ..Self::default()
        };
        if let Some(said) = written.policies {
            let said = lines.note("policies", "", said);
            match Policies::parse(&said) {
                Ok(_) => head.policies = said.as_object().cloned().unwrap_or_default(),
                Err(error) => {
                    return wrong("policies", "", refused(error.message(), "see docs/protocol.md#policies"));
                }
            }
        }
        for (tool, word) in written.policy.unwrap_or_default() {
            let word = lines.note("policy", &tool, word);
            match action_policy(&word) {
                Ok(policy) => drop(head.policy.insert(tool, policy.word().into())),
                Err(failure) => return wrong("policy", &tool, of_agent(failure).at(&format!("`{tool}`"))),
            }
        }
        for (budget, ceiling) in written.budgets.unwrap_or_default() {
            let ceiling = lines.note("budgets", &budget, ceiling);
            if let Err(failure) = known_budget(&budget, ceiling) {
                return wrong("budgets", &budget, of_agent(failure));
            }
            head.budgets.insert(budget, ceiling);
        }
        match name {
            Some(name) if name.is_empty() => {
                return wrong(
                    "name",
                    "",
                    refused("`name` is empty", "leave it out to name the agent after its file"),
                );
            }
            name => head.name = name.unwrap_or_default(),
        }
        head.check().map(|()| head)
    }

    /// Returns the mistakes in its values.
    fn check(&self) -> Result<(), Wrong> {
        if self.categories.as_ref().is_some_and(Vec::is_empty) {
            return wrong("categories", "", refused("`categories` names none", "leave it out to allow all"));
        }
        if self.max_turns == Some(0) {
            let failure = refused("`max_turns` must be at least 1", "leave it out for the default");
            return wrong("max_turns", "", failure);
        }
        if let Some(Err(failure)) = self.repetition_limit.map(repetition_limit) {
            return wrong("repetition_limit", "", of_agent(failure));
        }
        match self.compaction.as_ref().and_then(Compaction::fault) {
            Some((key, what)) => {
                wrong("compaction", "", refused(&format!("`{key}` {what}"), "see docs/agents.md"))
            }
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_agent_is_read_and_a_mistake_has_its_line() {
        let path = Path::new("agents/scribe.md");
        let agent = AgentFile::read("---\ntools: [fs/read]\n---\nWrite.\n", path).expect("well formed");
        assert_eq!((agent.head.name.as_str(), agent.instructions.as_str()), ("scribe", "Write."));
        assert_eq!(agent.place("tools", "fs/read"), "agents/scribe.md:2");
        let refused = AgentFile::read("---\nname: a\ntool: [x]\n---\n", path).expect_err("unknown key");
        assert!(
            refused.message.starts_with("agents/scribe.md:3: unknown field `tool`"),
            "{}",
            refused.message
        );
        assert_eq!(refused.hint.as_deref(), Some("did you mean `tools`?"));
        let refused =
            AgentFile::read("---\npolicy:\n  fs/edit: maybe\n---\n", path).expect_err("no way to run");
        assert!(refused.message.starts_with("agents/scribe.md:3: "), "{}", refused.message);
    }

    #[test]
    fn allow_ask_and_deny_mean_direct_preview_and_forbidden() {
        let text = "---\npolicy:\n  fs/read: allow\n  fs/write: ask\n  fs/edit: Deny\n---\nWrite.\n";
        let agent = AgentFile::read(text, Path::new("a.md")).expect("well formed");
        let wanted =
            serde_json::json!({ "fs/read": "direct", "fs/write": "preview", "fs/edit": "forbidden" });
        assert_eq!(serde_json::Value::Object(agent.head.policy), wanted);
    }

    #[test]
    fn every_key_says_what_is_wrong_with_it() {
        let refusal = |head: &str| {
            let text = format!("---\n{head}\n---\n");
            let failure = AgentFile::read(&text, Path::new("a.md")).expect_err(head);
            format!("{} | {}", failure.message, failure.hint.unwrap_or_default())
        };
        let cases = [
            ("max_turns: many", "a.md:2: expected a whole number | "),
            ("max_turns: 0", "a.md:2: `max_turns` must be at least 1 | leave it out for the default"),
            (
                "repetition_limit: 1",
                "a.md:2: `repetition_limit` must be at least 2 | write 0 to allow any number of equal calls",
            ),
            ("mode: [a, b]", "a.md:2: expected string scalar | "),
            ("name: ''", "a.md:2: `name` is empty | leave it out to name the agent after its file"),
            ("categories: []", "a.md:2: `categories` names none | leave it out to allow all"),
            ("budgets:\n  turn: 3", "a.md:3: there is no budget `turn` | did you mean `turns`?"),
            (
                "budgets:\n  turns: 0",
                "a.md:3: the budget `turns` must be at least 1 | leave it out for no limit; a tool that must not be called is denied in [policy.tools]",
            ),
            (
                "compaction:\n  max_mesages: 9",
                "a.md:3: unknown field `max_mesages`, expected one of `enabled`, `max_messages`, `recent_messages`, \
                 `summary_prefix`, `preserve_tool_boundaries` | did you mean `max_messages`?",
            ),
            (
                "compaction:\n  max_messages: 8\n  recent_messages: 8",
                "a.md:3: `recent_messages` must be between 1 and 7, below max_messages | see docs/agents.md",
            ),
        ];
        for (head, wanted) in cases {
            assert_eq!(refusal(head), wanted);
        }
    }
}
