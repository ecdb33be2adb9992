//! The result record of a run: `agents-api.conversation-result` v1, from its journal.

use std::sync::Arc;

use provost_contract::conversation::ConversationResult;
use provost_contract::json::{self, Object};
use provost_contract::{ContractError, Message, Result};
use serde_json::{Value, json};

use super::observer::is_broken;
use super::records::Records;
use super::shown::Reader;
use crate::event::{EndStatus, Event, RunAccepted, RunSpec, WaitKind};
use crate::state::{Illegal, RunState};
use crate::{Actor, Agent, Epoch, Fault, Seq, Time};

const CODE: &str = "invalid_journal";

/// Returns the result record of a run that is over, or rests.
///
/// # Errors
/// If an event cannot follow from the ones before it, or a record that the host reported is none.
pub fn conversation_result(agent: &Arc<Agent>, history: &[Arc<Message>], events: &[Event]) -> Result<Value> {
    let (reader, records) = fold(agent, history, events)?;
    let waits = |client: bool| records.waits.values().any(|(of_client, _)| *of_client == client);
    let word = status(&reader.state, waits(false), waits(true));
    record(&reader, records, word)
}

/// Returns the result record of a run that was refused because another one is active in its session.
///
/// # Errors
/// If the record cannot be written.
pub fn contended(agent: &Arc<Agent>, spec: &RunSpec) -> Result<Value> {
    let accepted = Event {
        seq: Seq(1),
        at: Time(0),
        epoch: Epoch(0),
        actor: Actor::runtime(),
        kind: RunAccepted { spec: Arc::new(spec.clone()) }.into(),
        erased: false,
    };
    let (reader, records) = fold(agent, &[], &[accepted])?;
    record(&reader, records, Some("transcript_lock_contention"))
}

fn record(reader: &Reader, mut records: Records, word: Option<&str>) -> Result<Value> {
    let state = &reader.state;
    let transcript = reader.transcript();
    let lists = records.lists();
    let mut result = json::into_object(json!({
        "turn_count": state.turn_number(),
        // A proposal stands in the transcript and is not an answer.
        "final_content": state.shown().last_text().unwrap_or_default(),
        "usage": records.usage(),
        "request_metadata": records.request_metadata,
        "completed": state.ended == Some(EndStatus::Completed),
    }));
    let moved = [
        ("tool_execution_results", lists.results),
        ("tool_events", lists.events),
        ("tool_audit_events", lists.audits),
        ("events", std::mem::take(&mut records.lifecycle)),
    ];
    result.extend(moved.into_iter().map(|(key, list)| (key.to_owned(), list.into())));
    by_turns(&records, state, &mut result);
    if let Some(word) = word {
        result.insert("status".into(), word.into());
    }
    stops(&records, &mut result);
    let messages = transcript.messages().map(|message| (**message).clone()).collect();
    ConversationResult::of_messages(messages, result).map(ConversationResult::into_value)
}

/// Returns why a run could not go on with what its host gave it, if that ended it.
pub fn broken(events: &[Event]) -> Option<Fault> {
    use crate::event::{EventKind, Stop};
    events.iter().rev().find_map(|event| match &event.kind {
        EventKind::RunStopping(stopping) => match &stopping.stop {
            Stop::Failed { fault } if is_broken(&fault.fields) => Some(fault.clone()),
            _ => None,
        },
        _ => None,
    })
}

fn fold(agent: &Arc<Agent>, history: &[Arc<Message>], events: &[Event]) -> Result<(Reader, Records)> {
    let illegal = |illegal: Illegal| ContractError::whole(CODE, &illegal.to_string());
    let nothing = || ContractError::whole(CODE, "the journal is empty");
    let (first, others) = events.split_first().ok_or_else(nothing)?;
    let mut reader = Reader::begin(agent, history, first).map_err(illegal)?;
    let mut records = Records::default();
    for event in others {
        for shown in reader.take(event).map_err(illegal)? {
            records.take(shown);
        }
    }
    Ok((reader, records))
}

/// What the turns reported, or what the last one failed with.
fn by_turns(records: &Records, state: &RunState, result: &mut Object) {
    let diagnostics = &records.provider_diagnostics;
    if let Some(fault) = &records.stops.fault {
        let shown = json::object(&fault.fields, "failure").cloned();
        let plain = json!({
            "type": fault.code,
            "message": fault.message,
            "code": "0",
            "turn_count": state.turn_number(),
        });
        let failure = shown.unwrap_or_else(|| json::into_object(plain));
        result.insert("failure".into(), failure.into());
        if json::text(&fault.fields, "source") == Some("reported") {
            result.insert("provider_diagnostics".into(), diagnostics.clone().into());
        }
        return;
    }
    let output = records.structured_output.as_ref();
    let of_output = output.and_then(|output| output.get("diagnostics")).cloned();
    result.insert("metadata".into(), records.metadata.clone().into());
    result.insert("provider_diagnostics".into(), diagnostics.clone().into());
    result.insert("structured_output_diagnostics".into(), of_output.unwrap_or_else(|| json!({})));
    if let Some(parsed) = output.and_then(|output| output.get("parsed")) {
        result.insert("structured_output".into(), parsed.clone());
    }
}

/// The status, and everything that stopped the run, the lighter reasons too.
fn stops(records: &Records, result: &mut Object) {
    let stops = &records.stops;
    let waits = |client: bool| {
        let of_kind = records.waits.values().rev().filter(|(of_client, _)| *of_client == client);
        of_kind.map(|(_, value)| value.clone()).next()
    };
    let (approval, client) = (waits(false), waits(true));
    let reasons = [
        ("budget", stops.budget.clone().map(Value::String)),
        ("stalled", stops.stalled.clone()),
        ("approval_required", approval),
        ("runtime_tool_pending", client),
        ("interrupted", stops.interrupted.clone()),
        ("cancelled", stops.cancelled.clone()),
    ];
    result.extend(reasons.into_iter().filter_map(|(key, reason)| Some((key.to_owned(), reason?))));
}

/// The word for where a run stands; none when it completed.
fn status(state: &RunState, approval: bool, client: bool) -> Option<&'static str> {
    if let Some(ended) = state.ended {
        return (ended != EndStatus::Completed).then(|| ended.into());
    }
    let others = state
        .waits
        .values()
        .any(|wait| matches!(wait.kind, WaitKind::Child { .. } | WaitKind::Timer | WaitKind::Signal { .. }));
    match () {
        () if state.cancel.is_some() => Some("cancelling"),
        () if client => Some("runtime_tool_pending"),
        () if approval => Some("approval_required"),
        () if others => Some("waiting"),
        () => Some("running"),
    }
}
