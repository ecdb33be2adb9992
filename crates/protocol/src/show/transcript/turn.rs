//! One entry of the history.

use std::fmt::Write as _;

use serde::Serialize;
use strum::{EnumString, IntoStaticStr, VariantArray};

use super::call::Call;
use super::replay::Fullness;
use crate::show::render::{code_span, one_line, write_prose};

/// A part of a conversation that can be shown.
#[derive(Clone, Debug, PartialEq)]
pub enum Turn {
    /// A request of the user.
    User {
        /// The text.
        text: String,
    },
    /// An answer of the assistant, visible to the user.
    Answer {
        /// The text.
        text: String,
    },
    /// A declaration and its outcome.
    Run(Run),
    /// A message of the assistant that was refused: nothing of it ran.
    Refused {
        /// Why.
        reasons: String,
    },
    /// A note of the runtime.
    Note {
        /// The text.
        text: String,
    },
    /// A summary of earlier turns.
    Compacted {
        /// The summary.
        summary: String,
        /// A reference to the original turns.
        reference: String,
    },
}

/// Where a graph stands, by the statuses of its actions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, EnumString, IntoStaticStr, VariantArray)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum GraphStatus {
    /// Nothing failed, nothing is blocked, nothing waits.
    Completed,
    /// An action is blocked or waits.
    Blocked,
    /// An action failed, or the run itself did.
    Failed,
    /// The owner of the run canceled it.
    Canceled,
}

/// A declaration and the results of its calls.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    /// The run.
    pub id: String,
    /// Its purpose, as given by the model.
    pub purpose: Option<String>,
    /// Its status.
    pub status: GraphStatus,
    /// Its calls, in declaration order.
    pub calls: Vec<Call>,
    /// The compressed form of the declaration.
    pub declared: Declared,
}

/// The compressed form of a declaration.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Declared {
    /// A summary; the default is a list of its calls.
    pub summary: Option<String>,
    /// A reference; the default is the run's own record.
    pub reference: Option<String>,
    /// Whether it is always compressed.
    pub compressed: bool,
}

impl Turn {
    /// Renders the turn with its tags.
    pub(super) fn write(&self, out: &mut String, index: usize, fullness: Fullness) {
        let _ = writeln!(out, "<turn index=\"{index}\">");
        match self {
            Self::User { text } => {
                out.push_str("## User request\n\n");
                write_prose(out, text);
            }
            Self::Answer { text } => {
                out.push_str("## Assistant answer\n\n");
                write_prose(out, text);
            }
            Self::Refused { reasons } => {
                out.push_str("## Refused assistant output\n\n");
                write_prose(out, reasons);
            }
            Self::Note { text } => {
                out.push_str("## Runtime note\n\n");
                write_prose(out, text);
            }
            Self::Run(run) => run.write(out, fullness),
            Self::Compacted { summary, reference } => {
                let _ = writeln!(out, "## Summary of earlier turns\n\nReference: {}\n", one_line(reference));
                write_prose(out, summary);
            }
        }
        out.push_str("</turn>\n\n");
    }
}

impl Run {
    /// Returns the number of characters of its arguments and prompts, which compression saves.
    pub(super) fn declaration_chars(&self) -> usize {
        self.calls.iter().map(Call::declaration_chars).sum()
    }

    fn write(&self, out: &mut String, fullness: Fullness) {
        let fullness = if self.declared.compressed { Fullness::Compressed } else { fullness };
        out.push_str("## Assistant protocol request and runtime observations\n\n");
        let _ = writeln!(out, "run_id: {}", code_span(&self.id));
        if let Some(purpose) = &self.purpose {
            let _ = writeln!(out, "Purpose: {}", one_line(purpose));
        }
        let _ = writeln!(out, "Status: {}", <&str>::from(self.status));
        match fullness {
            Fullness::Full => {}
            Fullness::Compressed => self.write_short_form(out),
        }
        for call in &self.calls {
            out.push('\n');
            call.write(out, fullness);
        }
    }

    fn write_short_form(&self, out: &mut String) {
        let summary = self.declared.summary.as_deref().map(one_line).unwrap_or_else(|| self.counted());
        let reference = match &self.declared.reference {
            Some(reference) => one_line(reference),
            None => format!("runtime://runs/{}/declaration", one_line(&self.id)),
        };
        let _ = writeln!(out, "Declaration: {summary}\nDeclaration reference: {reference}");
    }

    fn counted(&self) -> String {
        match self.calls.len() {
            1 => "one call".to_owned(),
            calls => format!("{calls} calls"),
        }
    }
}
