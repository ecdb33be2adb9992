//! What a tool answers.

use serde_json::{Value, json};

/// The answer of a tool that was not refused.
#[derive(Clone, Debug, PartialEq)]
pub enum Reply {
    /// It is done.
    Done {
        /// One line that summarises the result.
        summary: String,
        /// What the model may read. A tool of ours puts an object of its own here, so that nothing a file,
        /// a command or a server says can be taken for a word of the runtime.
        result: Value,
    },
    /// A program has printed a value of its own. It stands under a key of ours, so that it is never taken for a word of
    /// the runtime, and the reply says where.
    Printed {
        /// The value.
        output: Value,
    },
    /// A person or client outside the run must answer.
    Waits,
}

impl Reply {
    /// A finished piece of work.
    pub fn done(summary: impl Into<String>, result: Value) -> Self {
        Self::Done { summary: summary.into(), result }
    }

    /// The form executors reply in.
    pub(crate) fn into_value(self) -> Value {
        match self {
            Self::Done { summary, result } => {
                json!({ "success": true, "result": result, "metadata": { "summary": summary } })
            }
            Self::Printed { output } => json!({
                "success": true,
                "result": { "output": output },
                "metadata": { "summary": "done", "output_at": "/output" },
            }),
            Self::Waits => json!({ "success": true, "status": "runtime_tool_pending", "result": {} }),
        }
    }
}

/// A number with its noun, as a summary says it.
pub(crate) fn counted(number: usize, one: &str, several: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { several })
}
