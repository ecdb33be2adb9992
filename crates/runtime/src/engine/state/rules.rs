//! The rules of a run, read once from what was asked for.

use std::sync::Arc;

use provost_contract::compaction;
use provost_contract::tool::ToolResultTruncator;
use provost_policy::tool_call_gate::{self, GateRule};

use super::{ToolFacts, Tools};
use crate::engine::Spec;

/// What decisions are made by, in the form they ask it in.
#[derive(Clone, Debug)]
pub struct Rules {
    /// The tools of the run.
    pub tools: Arc<Tools>,
    /// Rules about the order of calls.
    pub gate: Vec<GateRule>,
    /// When older messages give way to a summary.
    pub compaction: Option<Box<compaction::Policy>>,
    /// How large a result may be.
    pub truncator: Option<ToolResultTruncator>,
}

impl Rules {
    pub(super) fn of(spec: &Spec, tools: Arc<Tools>) -> Self {
        Self {
            tools,
            gate: tool_call_gate::normalize_rules(&spec.tool_call_rules),
            compaction: spec.compaction.as_ref().map(compaction::Policy::parse).map(Box::new),
            truncator: spec.result_bytes_max.map(ToolResultTruncator::new),
        }
    }

    /// What a tool declares of itself; none when nobody declared it.
    pub fn facts(&self, tool: &str) -> Option<&ToolFacts> {
        self.tools.facts(tool)
    }

    /// Whether repetitions of a tool's calls are no sign of a stall.
    pub fn is_repeatable(&self, tool: &str) -> bool {
        self.facts(tool).is_some_and(|facts| facts.is_repeatable)
    }

    /// The name of a tool; those of declared ones are shared.
    pub(super) fn name(&self, tool: &str) -> Arc<str> {
        self.facts(tool).map_or_else(|| tool.into(), |facts| facts.name.clone())
    }

    /// Whether a tool says that it changes nothing. Silence is no such word.
    pub fn only_reads(&self, tool: &str) -> bool {
        self.facts(tool).is_some_and(|facts| facts.only_reads)
    }
}
