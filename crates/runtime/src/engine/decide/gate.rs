//! The rules about the order of calls, asked about this run.

use provost_contract::json;
use provost_contract::tool::{RuntimeMetadata, ToolResult};
use provost_policy::Verdict;
use provost_policy::tool_call_gate::{evaluate_call, evaluate_completion};
use serde_json::json;

use super::settle;
use crate::engine::{CallDeclared, CompletionBlocked, Kind, RunState, SettledBy};

/// The refusal of a call, when a rule refuses it. The transcript ends before the call.
pub(in crate::engine) fn refuses_call(
    state: &RunState,
    place: usize,
    declared: &CallDeclared,
) -> Option<Kind> {
    if state.rules.gate.is_empty() {
        return None;
    }
    let decision = evaluate_call(&state.rules.gate, &declared.name, &state.history.tool_calls());
    match decision.verdict {
        Verdict::Allow => None,
        Verdict::Deny => {
            let metadata =
                json!({ "error_type": "tool_call_gate_rejected", "tool_call_gate": decision.inputs });
            let metadata = json::into_object(metadata);
            let result =
                ToolResult::failure(&declared.name, &decision.reason, metadata, RuntimeMetadata::default());
            let result = result.ok()?.to_object();
            Some(settle::settled(state, place, declared, SettledBy::Gate, result, false))
        }
    }
}

/// Why the run may not end yet, when a rule says so.
pub(in crate::engine) fn blocks_completion(state: &RunState) -> Option<Kind> {
    if state.rules.gate.is_empty() {
        return None;
    }
    let decision = evaluate_completion(&state.rules.gate, &state.history.tool_calls());
    match decision.verdict {
        Verdict::Allow => None,
        Verdict::Deny => Some(CompletionBlocked { message: decision.reason, rule: decision.inputs }.into()),
    }
}
