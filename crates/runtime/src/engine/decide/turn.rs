//! What follows from the answer of the model, whoever asked it.

use std::sync::Arc;

use provost_contract::conversation::ConversationResult;
use provost_contract::json::{self, Object};
use provost_contract::provider_turn::{ProviderTurn, RequestedCall};
use provost_contract::{ContractError, Message, Result};
use serde_json::{Value, json};

use super::RawCall;
use super::call::declare;
use crate::engine::{
    FailureSource, Kind, Managed, Reservation, RunState, StructuredOutput, TranscriptChange, TurnAnswered,
    TurnFailed, TurnStarted,
};
use crate::port::{ModelError, TurnAnswer};

const CODE: &str = "invalid_agent_conversation_loop";
/// What may be told of reading a structured answer.
const TOLD_DIAGNOSTICS: [&str; 4] = ["status", "code", "parser", "valid"];
const MILLISECONDS: i64 = 1000;

/// What a turn became, and its calls with their raw parameters.
pub type Answered = (Vec<Kind>, Vec<RawCall>);

/// A turn that may cost so much begins, unless time or anything else it takes is used up.
pub fn started(state: &RunState, now_ms: i64, reserved: Reservation) -> Kind {
    let elapsed = now_ms.saturating_sub(state.started_at_ms).max(0) / MILLISECONDS;
    let budgets = &state.budgets;
    let exceeded = budgets
        .wall_clock_exceeded(elapsed)
        .or_else(|| budgets.depth_exceeded(state.spec.about.depth))
        .or_else(|| budgets.spending_exceeded(reserved));
    match exceeded {
        Some(exceeded) => exceeded.into(),
        None => {
            // Not in the fold: journals that say otherwise were written, and must still be read.
            debug_assert!(!state.batch.is_open(), "every call has its result before the model speaks again");
            TurnStarted { turn: state.turn + 1, reserved }.into()
        }
    }
}

/// The call of the model itself failed.
pub fn failed(state: &RunState, error: &ModelError) -> Kind {
    let failure = json::into_object(json!({
        "type": error.kind,
        "message": error.message,
        "code": error.code,
        "turn_count": state.turn,
    }));
    TurnFailed { source: FailureSource::Raised, failure, provider_diagnostics: None }.into()
}

/// Reads the answer to a turn. `context` is the caller's own, of this turn.
///
/// # Errors
/// When the answer is not one: the run cannot go on with it.
pub fn answered(state: &RunState, context: &Object, answer: TurnAnswer) -> Result<Answered> {
    match answer {
        TurnAnswer::Provider(turn) => provider_turn(state, context, *turn),
        TurnAnswer::Host(Value::Object(turn)) => host_turn(state, context, turn),
        TurnAnswer::Host(_) => Err(ContractError::whole(CODE, "turn runner must return an array")),
    }
}

fn provider_turn(state: &RunState, context: &Object, turn: ProviderTurn) -> Result<Answered> {
    if let Some(failure) = turn.failure() {
        let diagnostics = Value::Object(turn.provider_diagnostics.clone());
        return Ok((vec![reported(state, failure.clone(), Some(diagnostics))], Vec::new()));
    }
    let spoken = turn.message.or_else(|| spoken(&turn.content));
    let mut messages: Vec<Arc<Message>> = spoken.into_iter().map(Arc::new).collect();
    let mut continuation: Vec<_> = turn.continuation_messages.into_iter().map(Arc::new).collect();
    let mut managed = Managed::default();
    let asked_for = turn.tool_calls.len();
    let (calls, raw) = if state.mediates() {
        let calls = turn.tool_calls.iter().map(RequestedCall::to_value).collect();
        let (calls, raw) = declare(state, context, calls)?;
        (Some(calls), raw)
    } else {
        let added = |message: &Arc<Message>| json!({ "type": "continuation_message_added", "metadata": { "role": message.role() } });
        managed.events = continuation.iter().map(added).collect();
        messages.append(&mut continuation);
        (None, Vec::new())
    };
    let diagnostics =
        |value: Option<&Value>| value.and_then(Value::as_object).map(told_diagnostics).unwrap_or_default();
    let answered = TurnAnswered {
        transcript: TranscriptChange::Append(messages),
        left_out: asked_for - calls.as_ref().map_or(0, Vec::len),
        calls,
        continuation,
        usage: turn.usage,
        metadata: Object::new(),
        request_metadata: Some(turn.request_metadata),
        provider_diagnostics: Some(Value::Object(turn.provider_diagnostics)),
        structured_output: turn.structured_output.map(|answer| StructuredOutput {
            diagnostics: diagnostics(answer.diagnostics.as_ref()),
            parsed: answer.parsed,
        }),
        managed,
    };
    Ok((vec![answered.into()], raw))
}

fn host_turn(state: &RunState, context: &Object, mut turn: Object) -> Result<Answered> {
    let diagnostics =
        json::present(&turn, "provider_diagnostics").filter(|value| json::is_container(value)).cloned();
    if let Some(failure) = json::present(&turn, "failure") {
        // The result that will carry the failure says what a failure is.
        ConversationResult::parse(&json!({ "messages": [], "failure": failure }))?;
        let failure = failure.as_object().cloned().unwrap_or_default();
        return Ok((vec![reported(state, failure, diagnostics)], Vec::new()));
    }
    if let Some(Value::Array(calls)) = json::get_mut(&mut turn, "tool_calls").filter(|_| state.mediates()) {
        let calls = std::mem::take(calls);
        return mediated_turn(state, context, &turn, calls, diagnostics);
    }
    let mut answered = managed_turn(state, turn)?;
    answered.provider_diagnostics = diagnostics;
    Ok((vec![answered.into()], Vec::new()))
}

fn mediated_turn(
    state: &RunState,
    context: &Object,
    turn: &Object,
    calls: Vec<Value>,
    diagnostics: Option<Value>,
) -> Result<Answered> {
    let given = json::list(turn, "messages").map(|messages| Message::parse_many(messages)).transpose()?;
    let spoken = json::text(turn, "content").and_then(spoken).map(Arc::new);
    let mut transcript =
        given.map_or_else(|| TranscriptChange::Append(Vec::new()), |messages| change(state, messages));
    match &mut transcript {
        TranscriptChange::Append(messages) | TranscriptChange::Replace(messages) => messages.extend(spoken),
    }
    let continuation = json::list(turn, "continuation_messages").map_or(&[][..], Vec::as_slice);
    let continuation = Message::parse_many(continuation)?;
    let asked_for = calls.len();
    let (declared, raw) = declare(state, context, calls)?;
    let answered = TurnAnswered {
        left_out: asked_for - declared.len(),
        calls: Some(declared),
        continuation: continuation.into_iter().map(Arc::new).collect(),
        provider_diagnostics: diagnostics,
        ..about(turn, transcript)
    };
    Ok((vec![answered.into()], raw))
}

/// A turn whose calls the host carried out itself must be a whole result.
fn managed_turn(state: &RunState, turn: Object) -> Result<TurnAnswered> {
    let turn = Value::Object(turn);
    let result = ConversationResult::parse(&turn)?;
    let turn = &json::into_object(turn);
    let records = |key: &str| json::list(turn, key).cloned().unwrap_or_default();
    let managed = Managed {
        results: records("tool_execution_results").into_iter().map(json::into_object).collect(),
        tool_events: records("tool_events"),
        audit_events: records("tool_audit_events"),
        events: events(turn)?,
    };
    Ok(TurnAnswered { managed, ..about(turn, change(state, result.messages)) })
}

fn events(turn: &Object) -> Result<Vec<Value>> {
    let Some(value) = json::present(turn, "events") else { return Ok(Vec::new()) };
    let Some(events) = value.as_array() else {
        return Err(ContractError::whole(CODE, "events must be an array"));
    };
    if events.iter().any(|event| !json::is_container(event)) {
        return Err(ContractError::whole(CODE, "event must be an array"));
    }
    Ok(events.clone())
}

/// What a host says about its turn beside messages and calls.
fn about(turn: &Object, transcript: TranscriptChange) -> TurnAnswered {
    TurnAnswered {
        transcript,
        calls: None,
        left_out: 0,
        continuation: Vec::new(),
        usage: json::object_or_empty(turn, "usage"),
        metadata: json::object_or_empty(turn, "metadata"),
        request_metadata: json::object(turn, "request_metadata").cloned(),
        provider_diagnostics: None,
        structured_output: structured_output(turn),
        managed: Managed::default(),
    }
}

/// A transcript the host gives back is mostly the one it was given, and something more.
fn change(state: &RunState, mut messages: Vec<Message>) -> TranscriptChange {
    if state.history.is_start_of(&messages) {
        let added = messages.split_off(state.history.len());
        return TranscriptChange::Append(added.into_iter().map(Arc::new).collect());
    }
    TranscriptChange::Replace(messages.into_iter().map(Arc::new).collect())
}

fn structured_output(turn: &Object) -> Option<StructuredOutput> {
    let answer = json::object(turn, "structured_output")?;
    let parsed = answer.get("parsed")?.clone();
    Some(StructuredOutput {
        parsed,
        diagnostics: told_diagnostics(&json::object_or_empty(answer, "diagnostics")),
    })
}

fn told_diagnostics(diagnostics: &Object) -> Object {
    let told = TOLD_DIAGNOSTICS
        .into_iter()
        .filter_map(|key| Some((key.to_owned(), json::get(diagnostics, key)?.clone())));
    told.filter(|(_, value)| !json::is_container(value)).collect()
}

fn spoken(content: &str) -> Option<Message> {
    (!content.is_empty()).then(|| Message::text("assistant", content))
}

fn reported(state: &RunState, mut failure: Object, provider_diagnostics: Option<Value>) -> Kind {
    if json::present(&failure, "turn_count").is_none() {
        failure.insert("turn_count".into(), state.turn.into());
    }
    TurnFailed { source: FailureSource::Reported, failure, provider_diagnostics }.into()
}
