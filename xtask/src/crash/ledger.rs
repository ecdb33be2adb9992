//! What really happened outside, whoever died meanwhile.

use std::fs::{self, File, OpenOptions};
use std::io::Write as _;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use serde_json::{Value, json};

use crate::Failure;

/// One thing that happened.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Entry {
    /// A tool took effect.
    Effect { tool: String, key: String },
    /// The model was asked.
    Asked { turn: u64 },
}

impl Entry {
    fn to_line(&self) -> String {
        let value = match self {
            Self::Effect { tool, key } => json!({ "tool": tool, "key": key }),
            Self::Asked { turn } => json!({ "turn": turn }),
        };
        format!("{value}\n")
    }

    fn read(line: &str) -> Option<Self> {
        let value: Value = serde_json::from_str(line).ok()?;
        let text = |key: &str| value.get(key).and_then(Value::as_str).map(str::to_owned);
        match value.get("turn").and_then(Value::as_u64) {
            Some(turn) => Some(Self::Asked { turn }),
            None => Some(Self::Effect { tool: text("tool")?, key: text("key")? }),
        }
    }
}

/// Everything that happened, in order. It outlives every process of a play.
#[derive(Default)]
pub(super) struct Ledger {
    entries: Mutex<Vec<Entry>>,
    /// Where it is kept when the processes are real.
    file: Option<File>,
}

impl Ledger {
    /// Goes on with the ledger in a file.
    pub(super) fn open(path: &Path) -> Result<Self, Failure> {
        let file = OpenOptions::new().create(true).append(true).open(path)?;
        Ok(Self { entries: Mutex::new(Self::read(path)?), file: Some(file) })
    }

    fn read(path: &Path) -> Result<Vec<Entry>, Failure> {
        Ok(fs::read_to_string(path)?.lines().filter_map(Entry::read).collect())
    }

    pub(super) fn note(&self, entry: Entry) {
        if let Some(mut file) = self.file.as_ref() {
            // One write is one line, so that a killed process leaves no half of one.
            let _ = file.write_all(entry.to_line().as_bytes());
        }
        self.entries.lock().unwrap_or_else(PoisonError::into_inner).push(entry);
    }

    /// Whether something took effect under a key.
    pub(super) fn happened(&self, sought: &str) -> bool {
        self.entries().iter().any(|entry| matches!(entry, Entry::Effect { key, .. } if key == sought))
    }

    /// The latest turn the model was asked for; 0 before the first.
    pub(super) fn newest_turn(&self) -> u64 {
        let turn = |entry: &Entry| match entry {
            Entry::Asked { turn } => *turn,
            Entry::Effect { .. } => 0,
        };
        self.entries().iter().map(turn).max().unwrap_or_default()
    }

    pub(super) fn entries(&self) -> Vec<Entry> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}
