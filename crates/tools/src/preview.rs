//! What a call would do, for the person who is asked to approve it.

use std::fmt;

use serde::Serialize;
use serde_json::Value;

/// What would happen. Making one changes nothing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Preview {
    /// A file would change.
    Diff {
        /// Where, from the root of the workspace.
        path: String,
        /// How, as a unified diff.
        diff: String,
    },
    /// A command would run.
    Command {
        /// What one would type into a shell.
        line: String,
        /// Where it would run, from the root of the workspace.
        cwd: String,
        /// How long it may take.
        timeout_ms: u64,
        /// What it would read on its standard input.
        #[serde(skip_serializing_if = "Option::is_none")]
        input: Option<String>,
    },
    /// An address would be asked.
    Request {
        /// With its query: that is what leaves the house.
        url: String,
    },
    /// It would fail.
    Refused {
        /// The code of the refusal.
        code: &'static str,
        /// Why.
        reason: String,
    },
}

impl Preview {
    /// The wire form.
    pub fn to_value(&self) -> Value {
        serde_json::to_value(self).unwrap_or_default()
    }
}

impl fmt::Display for Preview {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Diff { diff, .. } => formatter.write_str(diff),
            Self::Command { line, cwd, timeout_ms, input } => {
                write!(formatter, "{line}\n(in {cwd}, at most {timeout_ms} ms)")?;
                input.as_ref().map_or(Ok(()), |input| write!(formatter, "\n{input}"))
            }
            Self::Request { url } => write!(formatter, "GET {url}"),
            Self::Refused { reason, .. } => write!(formatter, "would fail: {reason}"),
        }
    }
}

impl From<crate::Refusal> for Preview {
    fn from(refusal: crate::Refusal) -> Self {
        Self::Refused { code: refusal.code(), reason: refusal.to_string() }
    }
}
