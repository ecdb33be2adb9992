//! One `agents/*.md`: front matter, and instructions.

use std::collections::BTreeMap;
use std::path::Path;

use provost_contract::json::Object;
use provost_policy::ActionPolicy;
use serde::Deserialize;
use serde_json::Value;

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
    pub(in crate::cli) tools: Option<Vec<String>>,
    pub(in crate::cli) policy: Object,
    pub(in crate::cli) budgets: BTreeMap<String, u64>,
    pub(in crate::cli) max_turns: Option<u64>,
}

impl AgentFile {
    /// Reads a text; without a name of its own the agent is called as its file.
    pub(in crate::cli) fn read(text: &str, path: &Path) -> Result<Self, Failure> {
        let at = |line: usize, what: &str| {
            Failure::new(Code::AgentFile, format!("{}:{line}: {what}", path.display()))
        };
        let (fields, body) = front_matter::split(text).map_err(|(line, what)| at(line, &what))?;
        let mut head: Head = serde_json::from_value(Value::Object(fields)).map_err(|error| {
            let words = error.to_string();
            let failure = at(line_of(text, &words), &words);
            for_unknown_field(&words).into_iter().fold(failure, Failure::hint)
        })?;
        if let Some((tool, word)) = head.policy.iter().find(|(_, word)| ActionPolicy::parse(word).is_none()) {
            let failure =
                at(line_of(text, &format!("`{tool}`")), &format!("`{tool}`: {word} is no way to run"));
            return Err(failure.hint("say direct, preview or forbidden"));
        }
        if head.name.is_empty() {
            head.name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        }
        Ok(Self { head, instructions: body.trim_end().to_owned() })
    }
}

/// The line of the key a message names first.
fn line_of(text: &str, message: &str) -> usize {
    let key = message.split('`').nth(1).unwrap_or_default();
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
}
