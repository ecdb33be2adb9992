//! The programs whose session files can be read.

use serde::Serialize;
use strum::{Display, EnumString, IntoStaticStr, VariantArray};

use super::left_out::Tally;
use super::line::{self, lines};
use super::{BrokenLines, Session, claude_code, codex};
use crate::Result;
use crate::provider::Provider;

/// How many lines are looked at to find out whose file it is.
const LOOKED_AT_MAX: usize = 64;

/// A program that keeps its conversations as files of lines.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Display, EnumString, IntoStaticStr, VariantArray,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Format {
    /// Claude Code: `~/.claude/projects/…/<session>.jsonl`, also what it streams as JSON.
    ClaudeCode,
    /// Codex CLI: `~/.codex/sessions/…/rollout-….jsonl`.
    Codex,
}

impl Format {
    /// The format a text shows in its first lines; none when it looks like nothing known.
    pub fn detect(text: &str) -> Option<Self> {
        line::objects(text).take(LOOKED_AT_MAX).find_map(|line| {
            if claude_code::is_mark(&line) {
                Some(Self::ClaudeCode)
            } else {
                codex::is_mark(&line).then_some(Self::Codex)
            }
        })
    }

    /// The provider in whose shape the conversation is written down.
    pub fn provider(self) -> Provider {
        match self {
            Self::ClaudeCode => Provider::Anthropic,
            Self::Codex => Provider::OpenaiResponses,
        }
    }

    /// The name people use.
    pub fn label(self) -> &'static str {
        match self {
            Self::ClaudeCode => "Claude Code session",
            Self::Codex => "Codex session",
        }
    }

    /// Reads the conversation of a file.
    ///
    /// # Errors
    /// A line that cannot be read, unless such lines are to be skipped.
    pub fn read(self, text: &str, broken: BrokenLines) -> Result<Session> {
        let mut tally = Tally::default();
        let lines = lines(text, broken, &mut tally)?;
        let (id, body) = match self {
            Self::ClaudeCode => claude_code::read(&lines, broken, &mut tally)?,
            Self::Codex => codex::read(&lines, broken, &mut tally)?,
        };
        Ok(Session { format: self, id, body, left_out: tally.into_list() })
    }
}
