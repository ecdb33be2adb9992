//! What observers of a run are shown, one event at a time.

use std::sync::Arc;

use provost_contract::Message;
use provost_contract::json::Object;
use provost_contract::tool::ToolExecution;
use serde_json::{Value, json};

use super::shown::{Called, Reader, Shown};
use crate::event::{Decision, EndStatus, Event, Signal, SignalTaken, Stop};
use crate::state::Illegal;
use crate::{ActionId, Agent};

/// Something that observers are shown.
#[derive(Clone, Debug, PartialEq)]
pub struct Observed {
    /// What happened, such as `tool_call`.
    pub event: &'static str,
    /// What there is to say about it.
    pub payload: Value,
}

/// Folds the journal of a run into what observers are shown.
#[derive(Clone, Debug)]
pub struct Observer {
    reader: Reader,
    mediates: bool,
    results: usize,
    waits: Vec<ActionId>,
}

impl Observer {
    /// Begins with the first event of a run. `mediates` says whether the host executes tools.
    ///
    /// # Errors
    /// If the event is not the acceptance of a run.
    pub fn begin(
        agent: &Arc<Agent>,
        history: &[Arc<Message>],
        event: &Event,
        mediates: bool,
    ) -> Result<(Self, Vec<Observed>), Illegal> {
        let reader = Reader::begin(agent, history, event)?;
        let mut observer = Self { reader, mediates, results: 0, waits: Vec::new() };
        let observed = observer.observe(Shown::Accepted);
        Ok((observer, observed))
    }

    /// Takes in the next event.
    ///
    /// # Errors
    /// If it cannot follow from the ones before it.
    pub fn take(&mut self, event: &Event) -> Result<Vec<Observed>, Illegal> {
        let shown = self.reader.take(event)?;
        Ok(shown.into_iter().flat_map(|shown| self.observe(shown)).collect())
    }

    /// Returns how many turns the run may have: a budget of turns takes the place of the limit that its record names.
    pub fn turns_limit(&self) -> u64 {
        self.reader.state.ledger.turns_limit()
    }

    /// The run rests: nothing more follows until a wait is answered. A run that is over has said so.
    pub fn rests(&self) -> Vec<Observed> {
        let state = &self.reader.state;
        let waits = state.ended.is_none() && !state.waits.is_empty();
        if waits { vec![self.completed()] } else { Vec::new() }
    }

    fn observe(&mut self, shown: Shown) -> Vec<Observed> {
        match shown {
            Shown::Accepted => about_tools(&self.reader.state.agent, self.mediates),
            Shown::TurnStarted { turn, messages } => {
                let state = &self.reader.state;
                let payload = json!({
                    "turn": turn,
                    "max_turns": state.spec.limits.turns,
                    "message_count": messages,
                });
                one("turn_started", payload)
            }
            Shown::Responded { responded, .. } => {
                let managed =
                    responded.host.as_ref().and_then(|host| host.records.get("tool_execution_results"));
                self.results += managed.and_then(Value::as_array).map_or(0, Vec::len);
                Vec::new()
            }
            Shown::ModelFailed(failed) if failed.next.is_none() && !is_broken(&failed.fault.fields) => {
                let turn = self.reader.state.turn_number();
                one("failed", json!({ "turn": turn, "error": failed.fault.message }))
            }
            Shown::Called(called) => one("tool_call", tool_call(&called)),
            Shown::Ended(called, ended) => {
                self.results += 1;
                let success = ended.result.shown().get("success") == Some(&Value::Bool(true));
                let truncated = ended.truncated.map(truncated);
                let payload = json!({
                    "turn": called.turn,
                    "tool_name": called.name,
                    "tool_call_id": called.label,
                    "success": success,
                });
                truncated.into_iter().chain(one("tool_result", payload)).collect()
            }
            Shown::Noted(called, notes) => one("tool_result_diagnostics", noted(&called, notes)),
            Shown::Nudged(record) => one("identical_failure_nudged", record),
            Shown::Waits(called, asked) => {
                self.waits.push(called.action);
                vec![waits(&called, asked.client, &asked.value)]
            }
            Shown::Approved(called, by, decision) => {
                let payload = json!({
                    "turn": called.turn,
                    "tool_name": called.name,
                    "tool_call_id": called.label,
                    "approval": { "by": by.id, "via": by.via, "decision": "approved" },
                    "edited": matches!(decision, Decision::Approve { edit: Some(_) }),
                });
                one("approval_granted", payload)
            }
            Shown::CompletionContinue(record) => one("completion_policy_continue", record.into()),
            Shown::CompletionBlocked(rule) => one("tool_call_gate_completion_blocked", rule),
            Shown::Continued { turn, role } => {
                one("continuation_message_added", json!({ "turn": turn, "role": role }))
            }
            Shown::InterruptIgnored { turn, reason } => {
                one("interrupt_ignored", json!({ "turn": turn, "reason": reason }))
            }
            Shown::Interrupt(record) => one("interrupt_received", record.into()),
            Shown::Stopping(stop) => stopping(stop),
            Shown::Signalled(taken) => self.signalled(&taken),
            Shown::Resumed => one("resumed", json!({ "turn": self.reader.state.turn_number() })),
            Shown::Finished(ended) if ended.status != EndStatus::Failed => vec![self.completed()],
            Shown::Finished(_)
            | Shown::ModelFailed(_)
            | Shown::SummedUp(_)
            | Shown::Compacted(_)
            | Shown::WaitOver(_)
            | Shown::CompletionStop(_) => Vec::new(),
        }
    }

    fn completed(&self) -> Observed {
        let payload = json!({
            "turn": self.reader.state.turn_number(),
            "message_count": self.reader.transcript().len(),
            "tool_results": self.results,
        });
        Observed { event: "completed", payload }
    }

    fn signalled(&self, taken: &SignalTaken) -> Vec<Observed> {
        let (turn, by) = (self.reader.state.turn_number(), &taken.from.id);
        match &taken.body {
            Signal::Message { message, .. } => {
                one("message_queued", json!({ "turn": turn, "by": by, "role": message.role() }))
            }
            Signal::Cancel { actions: None, reason } => {
                one("cancel_asked", json!({ "turn": turn, "by": by, "reason": reason }))
            }
            Signal::Cancel { .. }
            | Signal::Resume { .. }
            | Signal::Submit { .. }
            | Signal::Decide { .. }
            | Signal::External { .. }
            | Signal::Standing { .. }
            | Signal::Answer { .. } => Vec::new(),
        }
    }
}

/// Returns what observers were shown of a run that is over, or rests.
///
/// # Errors
/// If an event cannot follow from the ones before it.
pub fn observed(
    agent: &Arc<Agent>,
    history: &[Arc<Message>],
    events: &[Event],
    mediates: bool,
) -> Result<Vec<Observed>, Illegal> {
    let Some((first, others)) = events.split_first() else { return Ok(Vec::new()) };
    let (mut observer, mut observed) = Observer::begin(agent, history, first, mediates)?;
    for event in others {
        observed.extend(observer.take(event)?);
    }
    observed.extend(observer.rests());
    Ok(observed)
}

/// Returns what observers are shown of a run that was refused because its session is busy.
pub fn contended(agent: &Agent, session: &str, mediates: bool) -> Vec<Observed> {
    let mut observed = about_tools(agent, mediates);
    observed.extend(one("transcript_lock_contention", json!({ "session_id": session })));
    observed
}

fn about_tools(agent: &Agent, mediates: bool) -> Vec<Observed> {
    let execution = if mediates { ToolExecution::Mediated } else { ToolExecution::CallerManaged };
    let events = agent.catalog.events(execution);
    events.into_iter().map(|event| Observed { event: event.event, payload: event.payload }).collect()
}

fn one(event: &'static str, payload: Value) -> Vec<Observed> {
    vec![Observed { event, payload }]
}

/// Whether a model's answer could not be read at all.
pub(super) fn is_broken(fields: &Object) -> bool {
    fields.get("broken") == Some(&Value::Bool(true))
}

fn tool_call(called: &Called) -> Value {
    json!({
        "turn": called.turn,
        "tool_name": called.name,
        "tool_call_id": called.label,
        "parameters": called.parameters,
        "parameters_sha256": called.parameters_sha256,
        "parameters_redacted": true,
    })
}

fn truncated(record: Object) -> Observed {
    let mut payload = record.get("metadata").and_then(Value::as_object).cloned().unwrap_or_default();
    payload.insert("original_result".into(), record.get("original").cloned().unwrap_or_default());
    Observed { event: "tool_result_truncated", payload: payload.into() }
}

/// The call and the notes. Where both have a word for it, the host's is shown.
pub(super) fn noted(called: &Called, notes: Object) -> Value {
    let call = json!({ "tool_name": called.name, "tool_call_id": called.label, "turn": called.turn });
    let mut noted = provost_contract::json::into_object(call);
    noted.extend(notes);
    noted.into()
}

fn waits(called: &Called, client: bool, value: &Value) -> Observed {
    let (event, key, pointer) = match client {
        true => ("runtime_tool_pending", "request_id", "/request_id"),
        false => ("approval_required", "action_id", "/payload/action_id"),
    };
    let mut payload = Object::new();
    payload.insert("turn".into(), called.turn.into());
    payload.insert("tool_name".into(), called.name.as_str().into());
    payload.insert("tool_call_id".into(), called.label.as_str().into());
    payload.insert(key.into(), value.pointer(pointer).cloned().unwrap_or_default());
    Observed { event, payload: payload.into() }
}

fn stopping(stop: Stop) -> Vec<Observed> {
    match stop {
        Stop::Budget { name, dimension, used, limit } => {
            let payload =
                json!({ "budget": name, "dimension": dimension, "current": used, "ceiling": limit });
            one("budget_exceeded", payload)
        }
        Stop::Stalled { signature, .. } => one("loop_stalled", signature),
        Stop::Completed { .. } | Stop::Interrupted { .. } | Stop::Failed { .. } | Stop::Cancelled { .. } => {
            Vec::new()
        }
    }
}
