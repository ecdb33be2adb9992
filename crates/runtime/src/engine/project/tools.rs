//! The records of tool calls: results, events and audit, in the order things happened.

use provost_contract::tool::{AuditedCall, ToolDeclaration, result_hash};
use serde_json::{Value, json};

use super::diagnostics;
use crate::engine::{CallDeclared, CallRecord, CallSettled, Entry, Records, RunState, Truncated, WaitsFor};

/// The four lists a result reports.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ToolRecords {
    /// What each call gave, in full.
    pub execution_results: Vec<Value>,
    /// What happened to each call.
    pub tool_events: Vec<Value>,
    /// The safe trace of each call.
    pub audit_events: Vec<Value>,
    /// What else happened.
    pub lifecycle: Vec<Value>,
}

/// Walks the entries of a run once.
pub fn tool_records(state: &RunState) -> ToolRecords {
    let mut lists = ToolRecords::default();
    for entry in state.records.entries.iter() {
        match entry {
            Entry::Called(call, _) => lists.tool_events.push(called(call.turn(), &call.declared.read())),
            Entry::Settled(..) => {}
            Entry::Waits(call, waits) => match &waits.waits_for {
                WaitsFor::Approval(_) | WaitsFor::Doubt(_) => {}
                WaitsFor::Client(request) => {
                    lists.tool_events.push(waiting(call.turn(), &call.declared.read(), request));
                }
            },
            Entry::Managed(_, answered) => {
                let managed = &answered.managed;
                lists.execution_results.extend(managed.results.iter().cloned().map(Value::Object));
                lists.tool_events.extend(managed.tool_events.iter().cloned());
                lists.audit_events.extend(managed.audit_events.iter().cloned());
                lists.lifecycle.extend(managed.events.iter().cloned());
            }
            Entry::Lifecycle(event) => lists.lifecycle.push((**event).clone()),
        }
        if let Some((call, settled)) = entry.settled() {
            lists.add_settled(state, call, settled.read());
        }
    }
    lists
}

impl ToolRecords {
    fn add_settled(&mut self, state: &RunState, call: &CallRecord, settled: CallSettled) {
        let (turn, call) = (call.turn(), call.declared.read());
        self.lifecycle.extend(settled.truncated.as_ref().map(truncated));
        self.lifecycle.extend(diagnosed(turn, &call, &settled));
        self.tool_events.push(answered(turn, &call, &settled));
        self.audit_events.push(audited(state, turn, &call, &settled));
        self.execution_results.push(execution_result(turn, call, settled));
    }
}

/// What each call gave, for whoever needs nothing else.
pub fn execution_results(records: &Records) -> Vec<Value> {
    let gave = |entry: &Entry| match (entry, entry.settled()) {
        (_, Some((call, settled))) => {
            vec![execution_result(call.turn(), call.declared.read(), settled.read())]
        }
        (Entry::Managed(_, answered), None) => {
            answered.managed.results.iter().cloned().map(Value::Object).collect()
        }
        (Entry::Called(..) | Entry::Settled(..) | Entry::Waits(..) | Entry::Lifecycle(_), None) => Vec::new(),
    };
    records.entries.iter().flat_map(gave).collect()
}

fn audited(state: &RunState, turn: u64, call: &CallDeclared, settled: &CallSettled) -> Value {
    let audited = AuditedCall {
        tool_name: &call.name,
        tool_call_id: &call.id,
        tool_source: state.rules.tools.catalog.get(&call.name).map_or("", ToolDeclaration::source),
        turn,
        parameters_sha256: &call.parameters_sha256,
        result: &settled.result,
        result_sha256: &result_hash(&settled.result),
    };
    audited.to_event()
}

fn execution_result(turn: u64, call: CallDeclared, settled: CallSettled) -> Value {
    let runtime = settled.result.get("runtime").cloned();
    let diagnostics = Some(settled.diagnostics).filter(|notes| !notes.is_empty()).map(Value::Object);
    let fields = [
        ("tool_name", call.name.into()),
        ("tool_call_id", call.id.into()),
        ("result", settled.result.into()),
        ("parameters", call.parameters.into()),
        ("parameters_sha256", call.parameters_sha256.into()),
        ("parameters_redacted", true.into()),
        ("turn_count", turn.into()),
    ];
    let runtime = runtime.map(|runtime| ("runtime", runtime));
    let diagnostics = diagnostics.map(|diagnostics| ("diagnostics", diagnostics));
    fields.into_iter().chain(runtime).chain(diagnostics).collect()
}

fn truncated(truncated: &Truncated) -> Value {
    json!({ "type": "tool_result_truncated", "metadata": truncated.metadata })
}

fn diagnosed(turn: u64, call: &CallDeclared, settled: &CallSettled) -> Option<Value> {
    let noted = diagnostics::noted(turn, call, settled)?;
    Some(json!({ "type": diagnostics::EVENT, "metadata": noted }))
}

fn called(turn: u64, call: &CallDeclared) -> Value {
    let metadata = [
        ("status", Value::from("called")),
        ("parameters", call.parameters.clone().into()),
        ("parameters_sha256", call.parameters_sha256.as_str().into()),
        ("parameters_redacted", true.into()),
    ];
    tool_event("tool_call", turn, call, "called", Value::from_iter(metadata))
}

fn answered(turn: u64, call: &CallDeclared, settled: &CallSettled) -> Value {
    let status = if settled.success() { "success" } else { "error" };
    let metadata =
        json!({ "status": status, "success": settled.success(), "rejected": settled.by.is_rejection() });
    tool_event("tool_result", turn, call, status, metadata)
}

fn waiting(turn: u64, call: &CallDeclared, request: &Value) -> Value {
    let status = "runtime_tool_pending";
    tool_event(
        status,
        turn,
        call,
        status,
        json!({ "status": status, "request_id": request.get("request_id") }),
    )
}

fn tool_event(kind: &str, turn: u64, call: &CallDeclared, status: &str, metadata: Value) -> Value {
    Value::from_iter([
        ("type", kind.into()),
        ("tool_name", call.name.as_str().into()),
        ("tool_call_id", call.id.as_str().into()),
        ("turn_count", turn.into()),
        ("metadata", metadata),
        ("status", status.into()),
    ])
}
