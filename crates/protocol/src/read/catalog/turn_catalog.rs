//! The executors of a turn, by class and name.

use std::collections::HashMap;

use provost_contract::action::ExecutorType;
use provost_contract::{ContractError, Result};
use serde_json::Value;

use super::Entry;

const CODE: &str = "invalid_catalog";

/// All executors of a turn, in the order in which they are shown.
#[derive(Debug, Default)]
pub struct Catalog {
    entries: Vec<Entry>,
    positions: HashMap<ExecutorType, HashMap<String, usize>>,
}

impl Catalog {
    /// Creates a catalog; two entries with the same class and name are an error.
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

    /// Parses `{tools, agents, executors}`. Agents that cannot be delegated to are omitted.
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

    /// Returns all entries, in order.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// Returns the entries of one class, in order.
    pub fn of(&self, kind: ExecutorType) -> impl Iterator<Item = &Entry> {
        self.entries.iter().filter(move |entry| entry.kind == kind)
    }

    /// Returns the entry with this class and name; case-sensitive.
    pub fn find(&self, kind: ExecutorType, name: &str) -> Option<&Entry> {
        self.positions.get(&kind)?.get(name).and_then(|position| self.entries.get(*position))
    }

    /// Returns the tool with this name.
    pub fn tool(&self, name: &str) -> Option<&Entry> {
        self.find(ExecutorType::Tool, name)
    }

    /// Returns the agent with this name.
    pub fn agent(&self, name: &str) -> Option<&Entry> {
        self.find(ExecutorType::Agent, name)
    }
}
