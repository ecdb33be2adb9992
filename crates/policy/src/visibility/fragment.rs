//! One piece of tool policy: an agent's, the run's own, or a provider's.

use provost_contract::json::{self, Object};
use serde_json::Value;

use crate::hook::{HookAnswer, HookFailure};

/// Whether the named tools and categories are the only ones kept, or the ones removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    Allow,
    Deny,
    /// A word nobody knows: the named lists say nothing, the other lists still count.
    Unknown,
}

/// A cleaned tool policy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fragment {
    pub(super) mode: Mode,
    pub(super) tools: Vec<String>,
    pub(super) categories: Vec<String>,
    pub(super) allow_only: Vec<String>,
    pub(super) deny: Vec<String>,
    pub(super) mandatory_tools: Vec<String>,
    pub(super) mandatory_categories: Vec<String>,
    pub(super) runtime_tools: Vec<String>,
    pub(super) runtime_categories: Vec<String>,
    pub(super) allow_write_tools: bool,
}

impl Fragment {
    /// Reads a policy. Lists accept one string; blanks and non-strings are skipped.
    pub fn parse(policy: &Object) -> Self {
        let list = |key| policy.get(key).map(json::string_list).unwrap_or_default();
        Self {
            mode: match json::present(policy, "mode").map(Value::as_str) {
                None | Some(Some("deny")) => Mode::Deny,
                Some(Some("allow")) => Mode::Allow,
                Some(_) => Mode::Unknown,
            },
            tools: list("tools"),
            categories: list("categories"),
            allow_only: list("allow_only"),
            deny: list("deny"),
            mandatory_tools: list("mandatory_tools"),
            mandatory_categories: list("mandatory_categories"),
            runtime_tools: list("runtime_tools"),
            runtime_categories: list("runtime_categories"),
            allow_write_tools: policy.get("allow_write_tools") == Some(&Value::Bool(true)),
        }
    }

    /// Reads what a provider answered: a policy, or null for no opinion.
    pub fn from_hook(answer: &Value) -> HookAnswer<Self> {
        if answer.is_null() {
            return Ok(None);
        }
        let policy = json::object_from(answer).ok_or(HookFailure::Nonsense)?;
        Ok(Some(Self::parse(&policy)))
    }

    /// The lists of a run's context. It can narrow and opt in, but names no tools and pins none.
    pub(super) fn of_run(context: &Object) -> Self {
        let keys = ["allow_only", "deny", "runtime_tools", "runtime_categories", "allow_write_tools"];
        let own = keys.iter().filter_map(|key| Some(((*key).to_owned(), context.get(*key)?.clone())));
        Self::parse(&own.collect())
    }
}
