//! Errors of rules.

/// Why a rule cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RuleError {
    #[error("a rule needs a name of letters, digits, `-` and `_`, not {0:?}")]
    Name(String),
    #[error("two rules are called `{0}`")]
    Twice(String),
    #[error("it needs a reason, which is shown when it refuses or asks")]
    NoReason,
    #[error(
        "it needs an example under `matches`, such as {{ tool = \"fs/read\", arguments = {{ path = \"a\" }} }}"
    )]
    NoExample,
    #[error("`cwd` says where a `command` starts, and there is no `command` beside it")]
    CwdAlone,
    #[error(
        "the program `{0}` lies in the workspace, where the agent can change it, so it cannot be permitted; \
         declare it under [[tools.commands]] instead"
    )]
    InWorkspace(String),
    #[error("{what} {pattern:?} cannot be read: {why}")]
    Pattern { what: &'static str, pattern: String, why: String },
    #[error("the example {example} names no tool")]
    ExampleTool { example: String },
}

impl RuleError {
    pub(super) fn pattern(what: &'static str, pattern: &str, why: impl ToString) -> Self {
        Self::Pattern { what, pattern: pattern.to_owned(), why: why.to_string() }
    }
}
