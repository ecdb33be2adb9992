//! What really happened outside, however many workers died meanwhile.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::Write as _;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Serialize};

use crate::Failure;

/// One thing that happened.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Entry {
    /// A tool took effect.
    Effect { tool: String, key: String, run: String, action: String },
    /// The model was asked.
    Asked { run: String, turn: u32 },
    /// An executor was called.
    Called { run: String, action: String, attempt: u32, applies: bool },
}

/// Everything that happened, in order. It outlives every worker of a play.
#[derive(Default)]
pub(super) struct Ledger {
    entries: Mutex<Vec<Entry>>,
    /// Where it is stored when the workers are real processes.
    file: Option<File>,
}

impl Ledger {
    /// Goes on with the ledger in a file.
    pub(super) fn open(path: &Path) -> Result<Self, Failure> {
        let file = OpenOptions::new().create(true).append(true).open(path)?;
        let text = fs::read_to_string(path)?;
        let entries = text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
        Ok(Self { entries: Mutex::new(entries), file: Some(file) })
    }

    pub(super) fn note(&self, entry: Entry) {
        if let Some(mut file) = self.file.as_ref() {
            let line = format!("{}\n", serde_json::to_string(&entry).unwrap_or_default());
            // One write is one line, so that a killed process leaves no half of one.
            let _ = file.write_all(line.as_bytes());
            let _ = file.sync_data();
        }
        self.entries.lock().unwrap_or_else(PoisonError::into_inner).push(entry);
    }

    pub(super) fn entries(&self) -> Vec<Entry> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Returns whether something took effect under a key.
    pub(super) fn has_key(&self, sought: &str) -> bool {
        self.any(|entry| matches!(entry, Entry::Effect { key, .. } if key == sought))
    }

    /// Returns whether an action took effect.
    pub(super) fn has_action(&self, of: &str, sought: &str) -> bool {
        self.any(|entry| matches!(entry, Entry::Effect { run, action, .. } if run == of && action == sought))
    }

    fn any(&self, is: impl Fn(&Entry) -> bool) -> bool {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner).iter().any(is)
    }

    /// Returns the effects with their tools and keys, sorted.
    pub(super) fn effects(&self) -> Vec<(String, String)> {
        let effect = |entry| match entry {
            Entry::Effect { tool, key, .. } => Some((tool, key)),
            Entry::Asked { .. } | Entry::Called { .. } => None,
        };
        let mut effects: Vec<_> = self.entries().into_iter().filter_map(effect).collect();
        effects.sort();
        effects
    }

    /// Returns how often the model was asked, by run.
    pub(super) fn asked(&self) -> BTreeMap<String, usize> {
        let mut asked = BTreeMap::new();
        for entry in self.entries() {
            if let Entry::Asked { run, .. } = entry {
                *asked.entry(run).or_default() += 1;
            }
        }
        asked
    }

    /// Returns an attempt that was carried out twice, if there is one.
    pub(super) fn called_twice(&self) -> Option<Entry> {
        let mut calls: Vec<Entry> =
            self.entries().into_iter().filter(|entry| matches!(entry, Entry::Called { .. })).collect();
        calls.sort();
        calls.windows(2).find_map(|pair| match pair {
            [first, second] if first == second => Some(first.clone()),
            _ => None,
        })
    }
}
