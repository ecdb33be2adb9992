//! What a result record reports beside the transcript, gathered event by event.

use std::collections::BTreeMap;

use provost_contract::json::{self, Object};
use provost_contract::tool::{AuditedCall, result_hash};
use serde_json::{Number, Value, json};

use super::observer::noted;
use super::shown::{Called, Shown};
use crate::ActionId;
use crate::event::{ActionEnd, ActionEnded, EndedBy, ModelFailed, ModelResponded, Signal, SignalTaken, Stop};

/// What was reported of one call, or of a turn whose calls the host carried out.
#[derive(Debug, Default)]
struct Entry {
    results: Vec<Value>,
    events: Vec<Value>,
    audits: Vec<Value>,
}

/// Everything that a result record reports beside the transcript.
#[derive(Debug, Default)]
pub(super) struct Records {
    entries: BTreeMap<ActionId, Entry>,
    pub(super) lifecycle: Vec<Value>,
    usage: Object,
    pub(super) metadata: Object,
    pub(super) request_metadata: Object,
    pub(super) provider_diagnostics: Vec<Value>,
    pub(super) structured_output: Option<Value>,
    /// What calls wait for: whether for a client, and the request.
    pub(super) waits: BTreeMap<ActionId, (bool, Value)>,
    pub(super) stops: Stops,
}

/// Why a run stopped before its model was done. All reasons that apply stay in the record.
#[derive(Debug, Default)]
pub(super) struct Stops {
    pub(super) budget: Option<String>,
    pub(super) stalled: Option<Value>,
    pub(super) interrupted: Option<Value>,
    pub(super) cancelled: Option<Value>,
    pub(super) failed: Option<ModelFailed>,
    pub(super) fault: Option<crate::Fault>,
    interrupt: Option<Value>,
    cancel: Option<Value>,
}

/// The lists of calls, in their order.
pub(super) struct Lists {
    pub(super) results: Vec<Value>,
    pub(super) events: Vec<Value>,
    pub(super) audits: Vec<Value>,
}

impl Records {
    pub(super) fn take(&mut self, shown: Shown) {
        match shown {
            Shown::Responded { turn, declaration, responded } => {
                self.responded(turn, declaration, *responded);
            }
            Shown::SummedUp(usage) => self.summed_up(&usage),
            Shown::Compacted(events) => self.lifecycle.extend(events),
            Shown::ModelFailed(failed) if failed.next.is_none() => {
                let diagnostics = Some(&failed.diagnostics).filter(|value| !value.is_null());
                self.provider_diagnostics.extend(diagnostics.cloned());
                self.stops.failed = Some(*failed);
            }
            Shown::Called(call) => self.entry(&call).events.push(called(&call)),
            Shown::Ended(call, ended) => self.ended(&call, *ended),
            Shown::Noted(call, notes) => self.noted(&call, notes),
            Shown::Waits(call, asked) => {
                if asked.client {
                    let event = waiting(&call, &asked.value);
                    self.entry(&call).events.push(event);
                }
                self.waits.insert(call.action, (asked.client, asked.value));
            }
            Shown::WaitOver(action) => {
                self.waits.remove(&action);
            }
            Shown::CompletionStop(record) => self.happened("completion_policy_stop", record.into()),
            Shown::CompletionContinue(record) => self.happened("completion_policy_continue", record.into()),
            Shown::CompletionBlocked(rule) => self.happened("tool_call_gate_completion_blocked", rule),
            Shown::Continued { turn, role } => {
                self.happened("continuation_message_added", json!({ "turn": turn, "role": role }));
            }
            Shown::Interrupt(record) => {
                self.stops.interrupt = Some(record.clone().into());
                self.happened("interrupt_received", record.into());
            }
            Shown::Stopping(stop) => self.stops.take(stop),
            Shown::Signalled(taken) => self.signalled(&taken),
            Shown::Accepted
            | Shown::TurnStarted { .. }
            | Shown::ModelFailed(_)
            | Shown::Nudged(_)
            | Shown::Approved(..)
            | Shown::InterruptIgnored { .. }
            | Shown::Resumed
            | Shown::Finished(_) => {}
        }
    }

    fn happened(&mut self, kind: &str, metadata: Value) {
        self.lifecycle.push(json!({ "type": kind, "metadata": metadata }));
    }

    fn entry(&mut self, call: &Called) -> &mut Entry {
        self.entries.entry(call.action).or_default()
    }

    fn responded(&mut self, _turn: u32, declaration: u32, responded: ModelResponded) {
        let provider = &responded.provider;
        self.add_usage(&json::object_or_empty(provider, "usage"));
        if let Some(metadata) = json::object(provider, "request_metadata") {
            self.request_metadata.clone_from(metadata);
        }
        self.provider_diagnostics.extend(provider.get("provider_diagnostics").cloned());
        if let Some(output) = provider.get("structured_output") {
            self.structured_output = Some(output.clone());
        }
        let Some(host) = responded.host else { return };
        self.metadata.extend(host.metadata);
        let list = |key: &str| json::list(&host.records, key).cloned().unwrap_or_default();
        self.lifecycle.extend(list("events"));
        let entry = Entry {
            results: list("tool_execution_results"),
            events: list("tool_events"),
            audits: list("tool_audit_events"),
        };
        self.entries.insert(ActionId { declaration, index: u32::MAX }, entry);
    }

    fn summed_up(&mut self, usage: &Object) {
        if usage.is_empty() {
            return;
        }
        self.add_usage(usage);
    }

    fn ended(&mut self, call: &Called, ended: ActionEnded) {
        let result = ended.result.shown().as_object().cloned().unwrap_or_default();
        let metadata = ended.truncated.as_ref().and_then(|record| record.get("metadata").cloned());
        if let Some(metadata) = metadata {
            self.happened("tool_result_truncated", metadata);
        }
        let answered = answered(call, &ended, &result);
        let audited = audited(call, &result);
        let entry = self.entry(call);
        entry.events.push(answered);
        entry.audits.push(audited);
        entry.results.push(execution_result(call, result));
    }

    fn noted(&mut self, call: &Called, notes: Object) {
        if let Some(result) = self.entry(call).results.last_mut().and_then(Value::as_object_mut) {
            result.insert("diagnostics".into(), notes.clone().into());
        }
        self.happened("tool_result_diagnostics", noted(call, notes));
    }

    fn signalled(&mut self, taken: &SignalTaken) {
        match &taken.body {
            Signal::Resume { .. } => self.stops = Stops::default(),
            Signal::Cancel { actions: None, reason } => {
                self.stops.cancel = Some(json!({ "by": taken.from.id, "reason": reason }));
            }
            _ => {}
        }
    }

    /// The lists of calls, in their order.
    pub(super) fn lists(&mut self) -> Lists {
        let mut lists = Lists { results: Vec::new(), events: Vec::new(), audits: Vec::new() };
        for entry in std::mem::take(&mut self.entries).into_values() {
            lists.results.extend(entry.results);
            lists.events.extend(entry.events);
            lists.audits.extend(entry.audits);
        }
        lists
    }

    /// Tokens and whatever else the provider counts, summed; tokens that were not counted are none.
    pub(super) fn usage(&self) -> Object {
        let counted = ["prompt_tokens", "completion_tokens", "total_tokens"];
        let mut usage: Object = counted.into_iter().map(|key| (key.to_owned(), 0.into())).collect();
        usage.extend(self.usage.clone());
        usage
    }

    /// Numbers are summed under any key; other values are replaced by the newest.
    fn add_usage(&mut self, usage: &Object) {
        for (key, value) in usage {
            let sum = match (self.usage.get(key), value) {
                (Some(Value::Number(known)), Value::Number(more)) => Value::Number(sum(known, more)),
                _ => value.clone(),
            };
            self.usage.insert(key.clone(), sum);
        }
    }
}

impl Stops {
    fn take(&mut self, stop: Stop) {
        match stop {
            Stop::Budget { name, .. } => self.budget = Some(name),
            Stop::Stalled { signature, .. } => self.stalled = Some(signature),
            Stop::Interrupted { code, message } => {
                let message = message.map(|message| message.to_value());
                let plain = || json!({ "action": "cancel", "code": code, "message": message });
                self.interrupted = Some(self.interrupt.take().unwrap_or_else(plain));
            }
            Stop::Failed { fault } => self.fault = Some(fault),
            Stop::Cancelled { .. } => self.cancelled = self.cancel.take(),
            Stop::Completed { .. } => {}
        }
    }
}

fn sum(left: &Number, right: &Number) -> Number {
    let whole = left.as_i64().zip(right.as_i64()).and_then(|(left, right)| left.checked_add(right));
    if let Some(whole) = whole {
        return whole.into();
    }
    let (left, right) = (left.as_f64().unwrap_or_default(), right.as_f64().unwrap_or_default());
    Number::from_f64(left + right).unwrap_or_else(|| 0.into())
}

/// Whether a call was not allowed.
fn is_rejection(ended: &ActionEnded) -> bool {
    match ended.by {
        EndedBy::Rule => true,
        EndedBy::Mediator | EndedBy::Person => ended.status == ActionEnd::Blocked,
        EndedBy::Clock => ended.reason == "expired",
        _ => false,
    }
}

fn audited(call: &Called, result: &Object) -> Value {
    let audited = AuditedCall {
        tool_name: &call.name,
        tool_call_id: &call.label,
        tool_source: &call.source,
        turn: call.turn.into(),
        parameters_sha256: &call.parameters_sha256,
        result,
        result_sha256: &result_hash(result),
    };
    audited.to_event()
}

fn execution_result(call: &Called, result: Object) -> Value {
    let runtime = result.get("runtime").cloned();
    let fields = [
        ("tool_name", call.name.as_str().into()),
        ("tool_call_id", call.label.as_str().into()),
        ("result", result.into()),
        ("parameters", call.parameters.clone().into()),
        ("parameters_sha256", call.parameters_sha256.as_str().into()),
        ("parameters_redacted", true.into()),
        ("turn_count", call.turn.into()),
    ];
    fields.into_iter().chain(runtime.map(|runtime| ("runtime", runtime))).collect()
}

fn called(call: &Called) -> Value {
    let metadata = json!({
        "status": "called",
        "parameters": call.parameters,
        "parameters_sha256": call.parameters_sha256,
        "parameters_redacted": true,
    });
    tool_event("tool_call", call, "called", metadata)
}

fn answered(call: &Called, ended: &ActionEnded, result: &Object) -> Value {
    let success = result.get("success") == Some(&Value::Bool(true));
    let status = if success { "success" } else { "error" };
    let metadata = json!({ "status": status, "success": success, "rejected": is_rejection(ended) });
    tool_event("tool_result", call, status, metadata)
}

fn waiting(call: &Called, request: &Value) -> Value {
    let status = "runtime_tool_pending";
    let metadata = json!({ "status": status, "request_id": request.get("request_id") });
    tool_event(status, call, status, metadata)
}

fn tool_event(kind: &str, call: &Called, status: &str, metadata: Value) -> Value {
    Value::from_iter([
        ("type", kind.into()),
        ("tool_name", call.name.as_str().into()),
        ("tool_call_id", call.label.as_str().into()),
        ("turn_count", call.turn.into()),
        ("metadata", metadata),
        ("status", status.into()),
    ])
}
