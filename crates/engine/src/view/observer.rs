//! What observers of a run are shown, one event at a time.

use std::sync::Arc;

use provost_contract::Message;
use provost_contract::json::Object;
use provost_contract::tool::ToolExecution;
use serde_json::{Value, json};

use super::told::{Called, Teller, Told};
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
    teller: Teller,
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
        let teller = Teller::begin(agent, history, event)?;
        let mut observer = Self { teller, mediates, results: 0, waits: Vec::new() };
        let observed = observer.observe(Told::Accepted);
        Ok((observer, observed))
    }

    /// Takes in the next event.
    ///
    /// # Errors
    /// If it cannot follow from the ones before it.
    pub fn take(&mut self, event: &Event) -> Result<Vec<Observed>, Illegal> {
        let told = self.teller.take(event)?;
        Ok(told.into_iter().flat_map(|told| self.observe(told)).collect())
    }

    /// The run rests: nothing more follows until a wait is answered. A run that is over has said so.
    pub fn rests(&self) -> Vec<Observed> {
        let state = &self.teller.state;
        let waits = state.ended.is_none() && !state.waits.is_empty();
        if waits { vec![self.completed()] } else { Vec::new() }
    }

    fn observe(&mut self, told: Told) -> Vec<Observed> {
        match told {
            Told::Accepted => about_tools(&self.teller.state.agent, self.mediates),
            Told::TurnStarted { turn, messages } => {
                let state = &self.teller.state;
                let payload = json!({
                    "turn": turn,
                    "max_turns": state.spec.limits.turns,
                    "message_count": messages,
                });
                one("turn_started", payload)
            }
            Told::Responded { responded, .. } => {
                let managed =
                    responded.host.as_ref().and_then(|host| host.records.get("tool_execution_results"));
                self.results += managed.and_then(Value::as_array).map_or(0, Vec::len);
                Vec::new()
            }
            Told::ModelFailed(failed) if failed.next.is_none() && !is_broken(&failed.fault.fields) => {
                let turn = self.teller.state.turn_number();
                one("failed", json!({ "turn": turn, "error": failed.fault.message }))
            }
            Told::Called(called) => one("tool_call", tool_call(&called)),
            Told::Ended(called, ended) => {
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
            Told::Noted(called, notes) => one("tool_result_diagnostics", noted(&called, notes)),
            Told::Nudged(record) => one("identical_failure_nudged", record),
            Told::Waits(called, asked) => {
                self.waits.push(called.action);
                vec![waits(&called, asked.client, &asked.value)]
            }
            Told::Approved(called, by, decision) => {
                let payload = json!({
                    "turn": called.turn,
                    "tool_name": called.name,
                    "tool_call_id": called.label,
                    "approval": { "by": by.id, "via": by.via, "decision": "approved" },
                    "edited": matches!(decision, Decision::Approve { edit: Some(_) }),
                });
                one("approval_granted", payload)
            }
            Told::CompletionContinue(record) => one("completion_policy_continue", record.into()),
            Told::CompletionBlocked(rule) => one("tool_call_gate_completion_blocked", rule),
            Told::Continued { turn, role } => {
                one("continuation_message_added", json!({ "turn": turn, "role": role }))
            }
            Told::InterruptIgnored { turn, reason } => {
                one("interrupt_ignored", json!({ "turn": turn, "reason": reason }))
            }
            Told::Interrupt(record) => one("interrupt_received", record.into()),
            Told::Stopping(stop) => stopping(stop),
            Told::Signalled(taken) => self.signalled(&taken),
            Told::Resumed => one("resumed", json!({ "turn": self.teller.state.turn_number() })),
            Told::Finished(ended) if ended.status != EndStatus::Failed => vec![self.completed()],
            Told::Finished(_)
            | Told::ModelFailed(_)
            | Told::SummedUp(_)
            | Told::Compacted(_)
            | Told::WaitOver(_)
            | Told::CompletionStop(_) => Vec::new(),
        }
    }

    fn completed(&self) -> Observed {
        let payload = json!({
            "turn": self.teller.state.turn_number(),
            "message_count": self.teller.transcript().len(),
            "tool_results": self.results,
        });
        Observed { event: "completed", payload }
    }

    fn signalled(&self, taken: &SignalTaken) -> Vec<Observed> {
        let (turn, by) = (self.teller.state.turn_number(), &taken.from.id);
        match &taken.body {
            Signal::Message { message, .. } => {
                one("message_queued", json!({ "turn": turn, "by": by, "role": message.role() }))
            }
            Signal::Cancel { actions: None, reason } => {
                one("cancel_asked", json!({ "turn": turn, "by": by, "reason": reason }))
            }
            Signal::Cancel { .. }
            | Signal::Resume { .. }
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
