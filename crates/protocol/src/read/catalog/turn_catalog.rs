//! The executors of a turn, by class and name.

use std::collections::HashMap;

use provost_contract::action::ExecutorType;
use provost_contract::{ContractError, Result};
use serde_json::Value;

use super::Entry;

const CODE: &str = "invalid_catalog";

/// All executors a turn knows, in the order they are shown.
#[derive(Debug, Default)]
pub struct Catalog {
    entries: Vec<Entry>,
    positions: HashMap<ExecutorType, HashMap<String, usize>>,
}

impl Catalog {
    /// Takes the entries in order; two of one class and name are refused.
    pub fn new(entries: Vec<Entry>) -> Result<Self> {
        let mut positions: HashMap<ExecutorType, HashMap<String, usize>> = HashMap::new();
        for (position, entry) in entries.iter().enumerate() {
            let names = positions.entry(entry.kind).or_default();
            if names.insert(entry.name.clone(), position).is_some() {
                let reason = format!("names {} twice", entry.name);
                return Err(ContractError::whole(CODE, &reason).about(&entry.name));
            }
        }
        Ok(Self { entries, positions })
    }

    /// Reads `{tools, agents, executors}`. An agent that may not be delegated to does not exist here.
    pub fn parse(tools: &[Value], agents: &[Value], executors: &[Value]) -> Result<Self> {
        let mut entries = Vec::new();
        for tool in tools {
            entries.push(Entry::parse(tool, Some(ExecutorType::Tool))?);
        }
        for agent in agents.iter().filter(|agent| agent.get("delegable") != Some(&Value::Bool(false))) {
            entries.push(Entry::parse(agent, Some(ExecutorType::Agent))?);
        }
        for executor in executors {
            entries.push(Entry::parse(executor, None)?);
        }
        Self::new(entries)
    }

    /// All entries, in order.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The entries of one class, in order.
    pub fn of(&self, kind: ExecutorType) -> impl Iterator<Item = &Entry> {
        self.entries.iter().filter(move |entry| entry.kind == kind)
    }

    /// The entry of this class and name; case matters.
    pub fn find(&self, kind: ExecutorType, name: &str) -> Option<&Entry> {
        self.positions.get(&kind)?.get(name).and_then(|position| self.entries.get(*position))
    }

    /// The tool of this name.
    pub fn tool(&self, name: &str) -> Option<&Entry> {
        self.find(ExecutorType::Tool, name)
    }

    /// The agent of this name.
    pub fn agent(&self, name: &str) -> Option<&Entry> {
        self.find(ExecutorType::Agent, name)
    }
}
