//! The configuration file `provost.toml`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use provost_contract::json::Object;
use provost_contract::policies::Policies;
use provost_models::PriceTable;
use provost_policy::ActionPolicy;
use provost_policy::rules::{RuleSet, RuleSpec};
use provost_tools::Environment;
use serde::Deserialize;
use serde_json::Value;

use super::rules;
use super::suggest::{did_you_mean, for_unknown_field};
use crate::failure::{Code, Failure};

/// The limits a run can have.
const BUDGETS: [&str; 6] =
    ["turns", "tool_calls", "tokens", "cost_microusd", "wall_clock_seconds", "fan_out"];
const BUDGET_OF_TOOL: &str = "tool_calls_";

/// The configuration of a project. Missing keys have defaults.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct File {
    pub defaults: Defaults,
    pub workspace: WorkspacePart,
    pub storage: StoragePart,
    pub models: BTreeMap<String, toml::Spanned<toml::Table>>,
    pub budgets: BTreeMap<String, u64>,
    pub policy: PolicyPart,
    pub tools: ToolsPart,
    pub prices: PriceTable,
    /// The runtime's layer of the policies of declared actions, in the form of a declaration.
    pub policies: Object,
    #[serde(skip)]
    source: Source,
}

/// The text of the file and its path, to report the line of a mistake that is found later.
#[derive(Clone, Debug, Default)]
struct Source {
    text: String,
    path: PathBuf,
}

/// The defaults of a run.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Defaults {
    pub agent: Option<toml::Spanned<String>>,
    pub model: Option<toml::Spanned<String>>,
    pub prompt: Option<String>,
    pub repetition_limit: Option<u64>,
}

/// The folder the agent works in.
#[derive(Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct WorkspacePart {
    pub root: PathBuf,
    pub copy: bool,
}

impl Default for WorkspacePart {
    fn default() -> Self {
        Self { root: ".".into(), copy: false }
    }
}

/// What is recorded about runs outside the database.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct StoragePart {
    /// The anchor file, relative to the folder of the project.
    pub anchor: Option<PathBuf>,
}

/// How calls may run.
#[derive(Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PolicyPart {
    pub tools: Object,
    pub categories: Object,
    pub approvers: Vec<String>,
    /// Rules about the arguments of calls, as written.
    pub rules: Vec<toml::Spanned<RuleSpec>>,
    /// The parsed rules.
    #[serde(skip)]
    pub rule_set: RuleSet,
}

impl Default for PolicyPart {
    /// Without configuration, tools that write ask first.
    fn default() -> Self {
        let word: &'static str = ActionPolicy::Preview.word();
        let categories = Object::from_iter([("write".to_owned(), Value::from(word))]);
        Self {
            categories,
            tools: Object::new(),
            approvers: Vec::new(),
            rules: Vec::new(),
            rule_set: RuleSet::default(),
        }
    }
}

/// Which tools exist.
#[derive(Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ToolsPart {
    pub shell: bool,
    /// Whether agents may ask a person questions.
    pub human: bool,
    /// Hosts that `http/get` may read; without hosts the tool does not exist.
    pub hosts: Vec<String>,
    /// Environment variables for programs in addition to the common ones.
    pub environment: Vec<String>,
    pub commands: Vec<Object>,
    /// The modes of a tool; a tool that is not named is available in all modes.
    pub modes: BTreeMap<String, Vec<String>>,
}

impl Default for ToolsPart {
    fn default() -> Self {
        Self {
            shell: true,
            human: false,
            hosts: Vec::new(),
            environment: Vec::new(),
            commands: Vec::new(),
            modes: BTreeMap::new(),
        }
    }
}

impl ToolsPart {
    /// Returns the names of the environment variables that programs get.
    pub fn variables(&self) -> Vec<String> {
        let mut names: Vec<String> = Environment::COMMON.map(str::to_owned).into();
        names.extend(self.environment.iter().cloned());
        names
    }
}

impl File {
    /// Parses a text; `path` is the file it came from.
    pub fn read(text: &str, path: &Path) -> Result<Self, Failure> {
        let mut file: Self = toml::from_str(text).map_err(|error| refused(text, path, &error))?;
        file.check_budgets(text, path)?;
        if let Some(Err(failure)) = file.defaults.repetition_limit.map(repetition_limit) {
            return Err(failure.at(&place_of_key(text, "repetition_limit", path)));
        }
        for words in [&mut file.policy.tools, &mut file.policy.categories] {
            canonical_words(words).map_err(|(name, failure)| {
                failure.at(&format!("`{name}`")).at(&place_of_key(text, &name, path))
            })?;
        }
        Policies::parse(&Value::Object(file.policies.clone())).map_err(|error| {
            Failure::new(Code::Config, error.message())
                .at(&place_of_key(text, "[policies", path))
                .hint("see docs/protocol.md#policies")
        })?;
        file.policy.rule_set = rules::read(&file, text, path)?;
        file.source = Source { text: text.to_owned(), path: path.to_owned() };
        Ok(file)
    }

    /// Returns the file and line of a value.
    pub fn place(&self, value: &toml::Spanned<String>) -> String {
        format!("{}:{}", self.source.path.display(), line_at(&self.source.text, value.span().start))
    }

    /// Returns the file and line of an offset, while the file is still being parsed.
    pub(super) fn place_at(&self, path: &Path, offset: usize) -> String {
        format!("{}:{}", path.display(), line_at(&self.source.text, offset))
    }

    /// Returns the text of the file and its path.
    pub(crate) fn source(&self) -> (&str, &Path) {
        (&self.source.text, &self.source.path)
    }

    /// Returns the file and line of a key.
    pub fn place_of(&self, key: &str) -> String {
        place_of_key(&self.source.text, key, &self.source.path)
    }

    fn check_budgets(&self, text: &str, path: &Path) -> Result<(), Failure> {
        self.budgets.iter().try_for_each(|(name, ceiling)| {
            known_budget(name, *ceiling).map_err(|unknown| unknown.at(&place_of_key(text, name, path)))
        })
    }
}

/// Normalises decisions to the three that the policy knows; otherwise returns the name and the mistake.
fn canonical_words(words: &mut Object) -> Result<(), (String, Failure)> {
    for (name, word) in words {
        let policy = word.as_str().ok_or_else(|| no_policy(&word.to_string())).and_then(action_policy);
        *word = policy.map_err(|failure| (name.clone(), failure))?.word().into();
    }
    Ok(())
}

/// Parses a decision of a project file.
pub fn action_policy(word: &str) -> Result<ActionPolicy, Failure> {
    ActionPolicy::from_config(word).ok_or_else(|| no_policy(word))
}

fn no_policy(word: &str) -> Failure {
    Failure::new(Code::Config, format!("unknown policy `{word}`")).hint("write allow, ask or deny")
}

/// Rejects an unknown budget, and a limit of 0.
pub fn known_budget(name: &str, ceiling: u64) -> Result<(), Failure> {
    if ceiling == 0 {
        return Err(Failure::new(Code::Config, format!("the budget `{name}` must be at least 1"))
            .hint("leave it out for no limit; a tool that must not be called is denied in [policy.tools]"));
    }
    if BUDGETS.contains(&name) || name.starts_with(BUDGET_OF_TOOL) {
        return Ok(());
    }
    let hint = match did_you_mean(name, BUDGETS) {
        Some(meant) => format!("did you mean `{meant}`?"),
        None => format!("known: {}, tool_calls_<tool>", BUDGETS.join(", ")),
    };
    Err(Failure::new(Code::Config, format!("there is no budget `{name}`")).hint(hint))
}

/// Rejects an invalid repetition limit.
pub(super) fn repetition_limit(calls: u64) -> Result<(), Failure> {
    match calls {
        1 => Err(Failure::new(Code::Config, "`repetition_limit` must be at least 2")
            .hint("write 0 to allow any number of equal calls")),
        _ => Ok(()),
    }
}

/// Returns the tool whose calls a budget counts, or `None` for any other budget.
pub(crate) fn tool_of_budget(name: &str) -> Option<&str> {
    name.strip_prefix(BUDGET_OF_TOOL)
}

/// Returns a mistake with its line and a suggestion.
pub(super) fn refused(text: &str, path: &Path, error: &toml::de::Error) -> Failure {
    let line = error.span().map(|span| line_at(text, span.start));
    let place = line.map_or_else(|| path.display().to_string(), |line| format!("{}:{line}", path.display()));
    let failure = Failure::new(Code::Config, error.message()).at(&place);
    match for_unknown_field(error.message()) {
        Some(hint) => failure.hint(hint),
        None => failure,
    }
}

/// Returns the line of an offset in a text, from 1.
pub(crate) fn line_at(text: &str, place: usize) -> usize {
    text.get(..place).map_or(1, |before| before.matches('\n').count() + 1)
}

fn place_of_key(text: &str, key: &str, path: &Path) -> String {
    let begins = |line: &str| line.trim_start().trim_start_matches(['"', '\'']).starts_with(key);
    match text.lines().position(begins) {
        Some(line) => format!("{}:{}", path.display(), line + 1),
        None => path.display().to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(text: &str) -> String {
        let failure = File::read(text, Path::new("provost.toml")).expect_err(text);
        format!("{} | {}", failure.message, failure.hint.unwrap_or_default())
    }

    #[test]
    fn a_mistake_is_told_with_its_line_and_what_was_meant() {
        assert_eq!(
            refusal("[defaults]\nagnt = \"a\"\n"),
            "provost.toml:2: unknown field `agnt`, expected one of `agent`, `model`, `prompt`, `repetition_limit` | did you mean `agent`?"
        );
        assert_eq!(
            refusal("[budgets]\nturn = 3\n"),
            "provost.toml:2: there is no budget `turn` | did you mean `turns`?"
        );
        assert_eq!(
            refusal("[policy.tools]\n\"fs/edit\" = \"maybe\"\n"),
            "provost.toml:2: `fs/edit`: unknown policy `maybe` | write allow, ask or deny"
        );
        assert!(refusal("[defaults\n").starts_with("provost.toml:1: "));
    }

    #[test]
    fn whoever_says_nothing_is_asked_before_anything_is_written() {
        let file = File::read("", Path::new("provost.toml")).expect("an empty file is one");
        assert_eq!(Value::Object(file.policy.categories), serde_json::json!({ "write": "preview" }));
        assert!(file.tools.shell && file.tools.hosts.is_empty() && !file.workspace.copy);
    }
}
