//! The result record of a run.

use provost_contract::Result;
use provost_contract::conversation::ConversationResult;
use provost_contract::json::{self, Object};
use serde_json::{Value, json};

use super::tool_records;
use crate::engine::{FailureSource, RunState, RunStatus};

/// The result of a run that is over, or parked.
///
/// # Errors
/// When a record the host reported itself is none.
pub fn conversation_result(state: &RunState) -> Result<Value> {
    let tools = tool_records(state);
    let records = &state.records;
    // A proposal stands last in the transcript, and is not an answer.
    let answered = state.history.len() - usize::from(state.stops.approval.is_some());
    let mut result = json::into_object(json!({
        "turn_count": state.turn,
        "final_content": state.history.final_content(answered),
        "usage": records.usage(),
        "request_metadata": records.request_metadata,
        "completed": state.ended == Some(RunStatus::Completed),
    }));
    // What grows with the run is moved, for it is most of the result.
    let lists = [
        ("tool_execution_results", tools.execution_results),
        ("tool_events", tools.tool_events),
        ("tool_audit_events", tools.audit_events),
        ("events", tools.lifecycle),
    ];
    result.extend(lists.into_iter().map(|(key, list)| (key.to_owned(), list.into())));
    match &state.stops.failure {
        Some(failed) => {
            result.insert("failure".into(), Value::Object(failed.failure.clone()));
            if failed.source == FailureSource::Reported {
                result.insert("provider_diagnostics".into(), records.provider_diagnostics.clone().into());
            }
        }
        None => told_by_turns(state, &mut result),
    }
    stops(state, &mut result);
    let messages = state.history.to_messages();
    ConversationResult::of_messages(messages, result).map(ConversationResult::into_value)
}

fn told_by_turns(state: &RunState, result: &mut Object) {
    let records = &state.records;
    let diagnostics =
        records.structured_output.as_ref().map(|answer| answer.diagnostics.clone()).unwrap_or_default();
    result.insert("metadata".into(), Value::Object(records.metadata.clone()));
    result.insert("provider_diagnostics".into(), records.provider_diagnostics.clone().into());
    result.insert("structured_output_diagnostics".into(), Value::Object(diagnostics));
    if let Some(answer) = &records.structured_output {
        result.insert("structured_output".into(), answer.parsed.clone());
    }
}

/// The status, and everything that stopped the run, the lighter reasons too.
fn stops(state: &RunState, result: &mut Object) {
    let stops = &state.stops;
    if let Some(status) = state.ended.filter(|status| *status != RunStatus::Completed) {
        let word: &'static str = status.into();
        result.insert("status".into(), word.into());
    }
    let object = |record: &Option<Box<Object>>| record.as_deref().cloned().map(Value::Object);
    let reasons = [
        ("budget", stops.budget.clone().map(Value::String)),
        ("stalled", object(&stops.stalled)),
        ("approval_required", stops.approval.as_deref().cloned()),
        ("runtime_tool_pending", stops.client.as_deref().cloned()),
        ("interrupted", object(&stops.interrupted)),
        (
            "cancelled",
            stops.cancelled.as_ref().map(|asked| json!({ "by": asked.by, "reason": asked.reason })),
        ),
    ];
    result.extend(reasons.into_iter().filter_map(|(key, reason)| Some((key.to_owned(), reason?))));
}
