//! The rules of a run, read once from what was asked for.

use std::collections::HashMap;

use provost_contract::compaction;
use provost_contract::tool::{ToolCatalog, ToolResultTruncator};
use provost_policy::tool_call_gate::{self, GateRule};

use super::ToolFacts;
use crate::engine::Spec;

/// What decisions are made by, in the form they ask it in.
#[derive(Clone, Debug)]
pub struct Rules {
    /// The tools of the run.
    pub catalog: ToolCatalog,
    /// What each tool declares of itself.
    facts: HashMap<String, ToolFacts>,
    /// Rules about the order of calls.
    pub gate: Vec<GateRule>,
    /// When older messages give way to a summary.
    pub compaction: Option<compaction::Policy>,
    /// How large a result may be.
    pub truncator: Option<ToolResultTruncator>,
}

impl Rules {
    pub(super) fn of(spec: &Spec) -> Self {
        let catalog = ToolCatalog::from_wire(&spec.tools);
        let facts = catalog.tools().iter().map(|tool| (tool.name().to_string(), ToolFacts::of(tool, spec)));
        Self {
            facts: facts.collect(),
            catalog,
            gate: tool_call_gate::normalize_rules(&spec.tool_call_rules),
            compaction: spec.compaction.as_ref().map(compaction::Policy::parse),
            truncator: spec.result_bytes_max.map(ToolResultTruncator::new),
        }
    }

    /// What a tool declares of itself; none when nobody declared it.
    pub fn facts(&self, tool: &str) -> Option<&ToolFacts> {
        self.facts.get(tool)
    }

    /// Whether a tool says that it changes nothing. Silence is no such word.
    pub fn only_reads(&self, tool: &str) -> bool {
        self.facts(tool).is_some_and(|facts| facts.only_reads)
    }
}
