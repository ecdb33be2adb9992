//! The rules of a run, read once from what was asked for.

use provost_contract::compaction;
use provost_contract::tool::{ToolCatalog, ToolResultTruncator};
use provost_policy::tool_call_gate::{self, GateRule};

use crate::engine::Spec;

/// What decisions are made by, in the form they ask it in.
#[derive(Clone, Debug, PartialEq)]
pub struct Rules {
    /// The tools of the run.
    pub catalog: ToolCatalog,
    /// Rules about the order of calls.
    pub gate: Vec<GateRule>,
    /// When older messages give way to a summary.
    pub compaction: Option<compaction::Policy>,
    /// How large a result may be.
    pub truncator: Option<ToolResultTruncator>,
}

impl Rules {
    pub(super) fn of(spec: &Spec) -> Self {
        Self {
            catalog: ToolCatalog::from_wire(&spec.tools),
            gate: tool_call_gate::normalize_rules(&spec.tool_call_rules),
            compaction: spec.compaction.as_ref().map(compaction::Policy::parse),
            truncator: spec.result_bytes_max.map(ToolResultTruncator::new),
        }
    }
}
