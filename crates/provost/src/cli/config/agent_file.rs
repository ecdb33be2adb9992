//! One `agents/*.md`: front matter, and instructions.

use std::collections::BTreeMap;
use std::path::Path;

use provost_contract::json::Object;
use provost_policy::ActionPolicy;
use serde::Deserialize;
use serde_json::Value;

use super::compaction::Compaction;
use super::file::known_budget;
use super::front_matter;
use super::suggest::for_unknown_field;
use crate::cli::failure::{Code, Failure};

/// An agent as its file has it.
#[derive(Clone, Debug)]
pub(in crate::cli) struct AgentFile {
    pub(in crate::cli) head: Head,
    pub(in crate::cli) instructions: String,
}

/// The front matter.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(in crate::cli) struct Head {
    pub(in crate::cli) name: String,
    pub(in crate::cli) description: String,
    pub(in crate::cli) model: Option<String>,
    /// What the agent is at work for; tools may be for some modes only.
    pub(in crate::cli) mode: Option<String>,
    pub(in crate::cli) tools: Option<Vec<String>>,
    /// Only tools of one of these.
    pub(in crate::cli) categories: Option<Vec<String>>,
    pub(in crate::cli) policy: Object,
    pub(in crate::cli) budgets: BTreeMap<String, u64>,
    pub(in crate::cli) compaction: Option<Compaction>,
    pub(in crate::cli) max_turns: Option<u64>,
}

impl AgentFile {
    /// Reads a text; without a name of its own the agent is called as its file.
    pub(in crate::cli) fn read(text: &str, path: &Path) -> Result<Self, Failure> {
        let at = |line: usize, what: &str| {
            Failure::new(Code::AgentFile, format!("{}:{line}: {what}", path.display()))
        };
        let (fields, body) = front_matter::split(text).map_err(|(line, what)| at(line, &what))?;
        let about = |key: &str, what: &str| at(line_of(text, key), what);
        for (key, value) in &fields {
            one_key(key, value).map_err(|(key, what)| {
                let failure = about(&key, &what);
                for_unknown_field(&what).into_iter().fold(failure, Failure::hint)
            })?;
        }
        let mut head: Head =
            serde_json::from_value(Value::Object(fields)).map_err(|error| at(1, &error.to_string()))?;
        head.check().map_err(|(key, what, hint)| about(&key, &what).hint(hint))?;
        if head.name.is_empty() {
            head.name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        }
        Ok(Self { head, instructions: body.trim_end().to_owned() })
    }
}

/// Whether a key is known and its value fits, by itself: then a mistake has its line.
fn one_key(key: &str, value: &Value) -> Result<(), (String, String)> {
    let alone = Object::from_iter([(key.to_owned(), value.clone())]);
    match serde_json::from_value::<Head>(Value::Object(alone)) {
        Ok(_) => Ok(()),
        Err(error) => {
            let words = error.to_string();
            match words.strip_prefix("unknown field `").and_then(|rest| rest.split('`').next()) {
                Some(unknown) => Err((unknown.to_owned(), words.clone())),
                None => Err((key.to_owned(), format!("`{key}`: {words}"))),
            }
        }
    }
}

impl Head {
    /// What is wrong with its values: the key, what is wrong, and what to do.
    fn check(&self) -> Result<(), (String, String, String)> {
        let wrong = |key: &str, what: String, hint: &str| Err((key.to_owned(), what, hint.to_owned()));
        if let Some((tool, word)) = self.policy.iter().find(|(_, word)| ActionPolicy::parse(word).is_none()) {
            return wrong(
                tool,
                format!("`{tool}`: {word} is no way to run"),
                "say direct, preview or forbidden",
            );
        }
        for name in self.budgets.keys() {
            known_budget(name)
                .map_err(|unknown| (name.clone(), unknown.message, unknown.hint.unwrap_or_default()))?;
        }
        if self.categories.as_ref().is_some_and(Vec::is_empty) {
            return wrong("categories", "`categories` names none".to_owned(), "leave it out to allow all");
        }
        if self.max_turns == Some(0) {
            return wrong(
                "max_turns",
                "`max_turns` must be at least 1".to_owned(),
                "leave it out for the default",
            );
        }
        match self.compaction.as_ref().and_then(Compaction::fault) {
            Some((key, what)) => wrong(key, format!("`{key}` {what}"), "see docs/agents.md"),
            None => Ok(()),
        }
    }
}

/// The line a key stands in.
fn line_of(text: &str, key: &str) -> usize {
    let found = text.lines().position(|line| !key.is_empty() && line.trim_start().starts_with(key));
    found.map_or(1, |line| line + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_agent_is_read_and_a_mistake_has_its_line() {
        let path = Path::new("agents/scribe.md");
        let agent = AgentFile::read("---\ntools: [fs/read]\n---\nWrite.\n", path).expect("well formed");
        assert_eq!((agent.head.name.as_str(), agent.instructions.as_str()), ("scribe", "Write."));
        let refused = AgentFile::read("---\nname: a\ntool: [x]\n---\n", path).expect_err("unknown key");
        assert!(
            refused.message.starts_with("agents/scribe.md:3: unknown field `tool`"),
            "{}",
            refused.message
        );
        assert_eq!(refused.hint.as_deref(), Some("did you mean `tools`?"));
        let refused =
            AgentFile::read("---\npolicy:\n  fs/edit: ask\n---\n", path).expect_err("no way to run");
        assert!(refused.message.starts_with("agents/scribe.md:3: "), "{}", refused.message);
    }

    #[test]
    fn every_key_says_what_is_wrong_with_it() {
        let refusal = |head: &str| {
            let text = format!("---\n{head}\n---\n");
            let failure = AgentFile::read(&text, Path::new("a.md")).expect_err(head);
            format!("{} | {}", failure.message, failure.hint.unwrap_or_default())
        };
        let cases = [
            ("max_turns: many", "a.md:2: `max_turns`: invalid type: string \"many\", expected u64 | "),
            ("max_turns: 0", "a.md:2: `max_turns` must be at least 1 | leave it out for the default"),
            ("mode: [a, b]", "a.md:2: `mode`: invalid type: sequence, expected a string | "),
            ("categories: []", "a.md:2: `categories` names none | leave it out to allow all"),
            ("budgets:\n  turn: 3", "a.md:3: there is no budget `turn` | did you mean `turns`?"),
            (
                "compaction:\n  max_mesages: 9",
                "a.md:3: unknown field `max_mesages`, expected one of `enabled`, `max_messages`, `recent_messages`, \
                 `summary_prefix`, `preserve_tool_boundaries` | did you mean `max_messages`?",
            ),
            (
                "compaction:\n  max_messages: 8\n  recent_messages: 8",
                "a.md:4: `recent_messages` must be between 1 and 7, below max_messages | see docs/agents.md",
            ),
        ];
        for (head, wanted) in cases {
            assert_eq!(refusal(head), wanted);
        }
    }
}
