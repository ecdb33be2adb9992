//! The tools of a run, read once. Runs that were asked for alike share them.

use provost_contract::json::Object;
use provost_contract::tool::ToolCatalog;
use serde_json::Value;

use super::ToolFacts;
use crate::engine::Limits;

/// What was declared, and what follows from it for every call.
#[derive(Clone, Debug)]
pub struct Tools {
    /// The tools themselves.
    pub catalog: ToolCatalog,
    /// What each declares of itself, sorted by name.
    facts: Vec<ToolFacts>,
}

impl Tools {
    /// Reads a catalog's wire form. Policy and limits of the run stand behind what a tool says itself.
    pub(crate) fn of(wire: &Value, policy: &Object, limits: Limits) -> Self {
        let catalog = ToolCatalog::from_wire(wire);
        let facts = catalog.tools().iter().map(|tool| ToolFacts::of(tool, policy, limits));
        let mut facts: Vec<ToolFacts> = facts.collect();
        facts.sort_unstable_by(|left, right| left.name.cmp(&right.name));
        Self { catalog, facts }
    }

    /// What a tool declares of itself; none when nobody declared it.
    pub fn facts(&self, tool: &str) -> Option<&ToolFacts> {
        let place = self.facts.binary_search_by(|facts| (*facts.name).cmp(tool)).ok()?;
        self.facts.get(place)
    }
}
