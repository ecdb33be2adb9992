//! Why a rule is none.

/// A rule somebody wrote that cannot be followed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RuleError {
    #[error("a rule needs a name of letters, digits, `-` and `_`, not {0:?}")]
    Name(String),
    #[error("two rules are called `{0}`")]
    Twice(String),
    #[error("it needs a reason: whoever is refused or asked is told it")]
    NoReason,
    #[error(
        "it needs an example under `matches`, such as {{ tool = \"fs/read\", arguments = {{ path = \"a\" }} }}"
    )]
    NoExample,
    #[error("`unclear` is for rules that forbid, and says \"forbidden\" or \"preview\"")]
    Unclear,
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
