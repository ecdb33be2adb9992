//! Which tools a rule is about.

use globset::{Glob, GlobMatcher};

use super::{OneOrMany, RuleError};

/// Names with `*`; no names mean every tool.
#[derive(Clone, Debug)]
pub(super) struct ToolNames(Option<Vec<GlobMatcher>>);

impl ToolNames {
    pub(super) fn read(names: Option<&OneOrMany>) -> Result<Self, RuleError> {
        let Some(names) = names else { return Ok(Self(None)) };
        let compile = |name: &String| {
            let glob = Glob::new(name).map_err(|error| RuleError::pattern("the tool", name, error.kind()));
            glob.map(|glob| glob.compile_matcher())
        };
        names.0.iter().map(compile).collect::<Result<_, _>>().map(|names| Self(Some(names)))
    }

    pub(super) fn hold(&self, tool: &str) -> bool {
        self.0.as_ref().is_none_or(|names| names.iter().any(|name| name.is_match(tool)))
    }

    /// The tool, when the rule names exactly one.
    pub(super) fn only(&self) -> Option<&str> {
        let [name] = self.0.as_deref()? else { return None };
        let text = name.glob().glob();
        (!text.contains(['*', '?', '[', '{'])).then_some(text)
    }
}
