//! What a model or a host answered, as a response that the engine reads.

use std::sync::Arc;
use std::time::Duration;

use provost_contract::compaction::Summary;
use provost_contract::conversation::ConversationResult;
use provost_contract::json::{self, Object};
use provost_contract::provider_turn::{ProviderTurn, RequestedCall};
use provost_contract::{ContractError, Message, loose};
use provost_engine::event::HostTurn;
use provost_engine::{Fault, ModelAnswer, ModelFault, ModelResponse, Usage};
use serde_json::{Value, json};

use super::calls::{Declared, declare};
use super::output::{Given, Output};
use crate::actor::{ModelReply, RunContext};
use crate::port::{HostError, ModelError, Transcript, TurnAnswer};

/// The type and the words of a failure that has none.
const UNNAMED: &str = "provider_turn_failure";
const UNEXPLAINED: &str = "Provider turn failed.";
const CODE: &str = "invalid_agent_conversation_loop";

/// A response, and its calls as the model wrote them, by label.
pub(super) struct Answered {
    pub(super) reply: ModelReply,
    pub(super) entries: Vec<(String, Object)>,
}

impl From<ModelReply> for Answered {
    fn from(reply: ModelReply) -> Self {
        Self { reply, entries: Vec::new() }
    }
}

type Read = Result<Answered, ContractError>;

/// Reads an answer. One that cannot be read ends the run.
pub(super) fn of(
    of: &RunContext,
    mediates: bool,
    context: &Object,
    transcript: &Transcript,
    answer: TurnAnswer,
) -> Answered {
    let read = match answer {
        TurnAnswer::Provider(turn) => Ok(provider_turn(of, mediates, context, *turn)),
        TurnAnswer::Host(Value::Object(turn)) => host_turn(of, mediates, context, transcript, turn),
        TurnAnswer::Host(_) => Err(ContractError::whole(CODE, "turn runner must return an array")),
    };
    read.unwrap_or_else(|error| broken(&error).into())
}

fn failed(fault: ModelFault) -> ModelReply {
    ModelReply { answer: ModelAnswer::Failed(Box::new(fault)), raw: Vec::new() }
}

/// The call of the model itself failed.
pub(super) fn raised(of: &RunContext, error: &ModelError, pause: Option<Duration>) -> ModelReply {
    let or = |text: &str, other: &str| if text.is_empty() { other.to_owned() } else { text.to_owned() };
    let (code, message) = (or(&error.kind, UNNAMED), or(&error.message, UNEXPLAINED));
    let failure = json!({
        "source": "raised",
        "failure": { "type": code, "message": message, "code": error.code, "turn_count": of.turn },
    });
    let fault = Fault { code, message, fields: json::into_object(failure) };
    let retry_in_ms = pause.map(|pause| u64::try_from(pause.as_millis()).unwrap_or(u64::MAX));
    failed(ModelFault { fault, usage: None, retry_in_ms, diagnostics: Value::Null })
}

/// What came back is no turn.
pub(super) fn broken(error: &ContractError) -> ModelReply {
    let mut fields = Object::new();
    fields.insert("broken".into(), true.into());
    fields.insert("fields".into(), error.field_paths().into());
    let fault = Fault { code: error.code().to_owned(), message: error.message().to_owned(), fields };
    failed(ModelFault { fault, usage: None, retry_in_ms: None, diagnostics: Value::Null })
}

/// The adapter reports a failure.
pub(super) fn reported(of: &RunContext, mut failure: Object, diagnostics: Option<Value>) -> ModelReply {
    if json::present(&failure, "turn_count").is_none() {
        failure.insert("turn_count".into(), of.turn.into());
    }
    let text = |key: &str, other: &str| json::text(&failure, key).unwrap_or(other).to_owned();
    let (code, message) = (text("type", UNNAMED), text("message", UNEXPLAINED));
    let fields = json::into_object(json!({ "source": "reported", "failure": failure }));
    let fault = Fault { code, message, fields };
    let diagnostics = diagnostics.unwrap_or_default();
    failed(ModelFault { fault, usage: Some(Usage::default()), retry_in_ms: None, diagnostics })
}

fn provider_turn(of: &RunContext, mediates: bool, context: &Object, turn: ProviderTurn) -> Answered {
    if let Some(failure) = turn.failure() {
        return reported(of, failure.clone(), Some(Value::Object(turn.provider_diagnostics.clone()))).into();
    }
    let spoken = turn.message.or_else(|| spoken(&turn.content));
    let mut messages: Vec<Arc<Message>> = spoken.into_iter().map(Arc::new).collect();
    let mut host = HostTurn {
        continuation: turn.continuation_messages.into_iter().map(Arc::new).collect(),
        ..HostTurn::default()
    };
    let (declared, malformed) = if mediates {
        let entries: Vec<Value> = turn.tool_calls.iter().map(RequestedCall::to_value).collect();
        let declared = declare(&of.agent, of.turn, context, &entries);
        let malformed = entries.len() - declared.calls.len();
        (declared, malformed)
    } else {
        let added = |message: &Arc<Message>| json!({ "type": "continuation_message_added", "metadata": { "role": message.role() } });
        let events: Vec<Value> = host.continuation.iter().map(added).collect();
        host.managed = true;
        host.records.insert("events".into(), events.into());
        messages.append(&mut host.continuation);
        (Declared::default(), turn.tool_calls.len())
    };
    let given = turn.structured_output.map(|answer| {
        let diagnostics = answer.diagnostics.as_ref().and_then(Value::as_object).cloned();
        Given::new(answer.parsed, &diagnostics.unwrap_or_default())
    });
    let calls = declared.calls.len() + malformed;
    let output = Output::of(of.spec.output_schema.as_ref(), given, &turn.content, calls);
    let provider = json::into_object(json!({
        "usage": turn.usage,
        "request_metadata": turn.request_metadata,
        "provider_diagnostics": turn.provider_diagnostics,
        "structured_output": output.record,
    }));
    let response = ModelResponse {
        messages,
        calls: declared.calls,
        malformed: u32::try_from(malformed).unwrap_or(u32::MAX),
        finish: String::new(),
        usage: usage(&turn.usage),
        output: output.into_payload(),
        provider: without_nulls(provider),
        host: (host != HostTurn::default()).then(|| Box::new(host)),
        declaration: None,
    };
    responded(response, declared.raw, declared.entries)
}

fn responded(response: ModelResponse, raw: Vec<Object>, entries: Vec<(String, Object)>) -> Answered {
    Answered { reply: ModelReply { answer: ModelAnswer::Responded(Box::new(response)), raw }, entries }
}

fn without_nulls(object: Object) -> Object {
    object.into_iter().filter(|(_, value)| !value.is_null()).collect()
}

fn host_turn(
    of: &RunContext,
    mediates: bool,
    context: &Object,
    transcript: &Transcript,
    turn: Object,
) -> Read {
    let diagnostics =
        json::present(&turn, "provider_diagnostics").filter(|value| json::is_container(value)).cloned();
    if let Some(failure) = json::present(&turn, "failure") {
        // The result that will carry the failure says what a failure is.
        ConversationResult::parse(&json!({ "messages": [], "failure": failure }))?;
        return Ok(reported(of, failure.as_object().cloned().unwrap_or_default(), diagnostics).into());
    }
    if let Some(calls) = json::list(&turn, "tool_calls").filter(|_| mediates) {
        return mediated_turn(of, context, transcript, &turn, calls, diagnostics);
    }
    managed_turn(of, transcript, turn, diagnostics)
}

fn mediated_turn(
    of: &RunContext,
    context: &Object,
    transcript: &Transcript,
    turn: &Object,
    calls: &[Value],
    diagnostics: Option<Value>,
) -> Read {
    let given = json::list(turn, "messages").map(|messages| Message::parse_many(messages)).transpose()?;
    let (mut messages, replaces) = given.map_or((Vec::new(), false), |given| change(transcript, given));
    messages.extend(json::text(turn, "content").and_then(spoken).map(Arc::new));
    let continuation = json::list(turn, "continuation_messages").map_or(&[][..], Vec::as_slice);
    let continuation = Message::parse_many(continuation)?;
    let declared = declare(&of.agent, of.turn, context, calls);
    let malformed = u32::try_from(calls.len() - declared.calls.len()).unwrap_or(u32::MAX);
    let host = HostTurn {
        replaces,
        continuation: continuation.into_iter().map(Arc::new).collect(),
        metadata: json::object_or_empty(turn, "metadata"),
        ..HostTurn::default()
    };
    let text = json::text(turn, "content").unwrap_or_default();
    let output = Output::of(of.spec.output_schema.as_ref(), Given::of_turn(turn), text, calls.len());
    let response = ModelResponse {
        messages,
        calls: declared.calls,
        malformed,
        usage: usage(&json::object_or_empty(turn, "usage")),
        provider: provider(turn, diagnostics, &output),
        output: output.into_payload(),
        host: (host != HostTurn::default()).then(|| Box::new(host)),
        ..ModelResponse::default()
    };
    Ok(responded(response, declared.raw, declared.entries))
}

/// A turn whose calls the host carried out itself must be a whole result.
fn managed_turn(of: &RunContext, transcript: &Transcript, turn: Object, diagnostics: Option<Value>) -> Read {
    let turn = Value::Object(turn);
    let result = ConversationResult::parse(&turn)?;
    let turn = &json::into_object(turn);
    let records = ["tool_execution_results", "tool_events", "tool_audit_events"];
    let mut reported: Object = records
        .into_iter()
        .filter_map(|key| Some((key.to_owned(), Value::from(json::list(turn, key)?.clone()))))
        .collect();
    reported.insert("events".into(), events(turn)?.into());
    let (messages, replaces) = change(transcript, result.messages);
    let text = messages.last().and_then(|message| message.content.as_text()).unwrap_or_default();
    let output = Output::of(of.spec.output_schema.as_ref(), Given::of_turn(turn), text, 0);
    let host = HostTurn {
        replaces,
        managed: true,
        completes: false,
        continuation: Vec::new(),
        records: reported,
        metadata: json::object_or_empty(turn, "metadata"),
    };
    let response = ModelResponse {
        messages,
        usage: usage(&json::object_or_empty(turn, "usage")),
        provider: provider(turn, diagnostics, &output),
        output: output.into_payload(),
        host: Some(Box::new(host)),
        ..ModelResponse::default()
    };
    Ok(responded(response, Vec::new(), Vec::new()))
}

fn provider(turn: &Object, diagnostics: Option<Value>, output: &Output) -> Object {
    without_nulls(json::into_object(json!({
        "usage": json::object_or_empty(turn, "usage"),
        "request_metadata": json::object(turn, "request_metadata"),
        "provider_diagnostics": diagnostics,
        "structured_output": output.record,
    })))
}

fn events(turn: &Object) -> Result<Vec<Value>, ContractError> {
    let Some(value) = json::present(turn, "events") else { return Ok(Vec::new()) };
    let Some(events) = value.as_array() else {
        return Err(ContractError::whole(CODE, "events must be an array"));
    };
    if events.iter().any(|event| !json::is_container(event)) {
        return Err(ContractError::whole(CODE, "event must be an array"));
    }
    Ok(events.clone())
}

/// A transcript that a host gives back is mostly the one it was given, and something more.
fn change(transcript: &Transcript, mut messages: Vec<Message>) -> (Vec<Arc<Message>>, bool) {
    let begins = transcript.len() <= messages.len()
        && transcript.messages().zip(&messages).all(|(ours, theirs)| **ours == *theirs);
    if begins {
        let added = messages.split_off(transcript.len());
        return (added.into_iter().map(Arc::new).collect(), false);
    }
    (messages.into_iter().map(Arc::new).collect(), true)
}

fn spoken(content: &str) -> Option<Message> {
    (!content.is_empty()).then(|| Message::text("assistant", content))
}

/// A summary as a response.
pub(super) fn summary(summary: Result<Summary, HostError>) -> ModelReply {
    match summary {
        Ok(summary) => {
            let spent = usage(summary.usage()).unwrap_or_default();
            let provider =
                json::into_object(json!({ "summary": summary.to_value(), "usage": summary.usage() }));
            let response = ModelResponse { usage: Some(spent), provider, ..ModelResponse::default() };
            ModelReply { answer: ModelAnswer::Responded(Box::new(response)), raw: Vec::new() }
        }
        Err(HostError(message)) => {
            let provider = json::into_object(json!({ "summary_error": message }));
            let response =
                ModelResponse { usage: Some(Usage::default()), provider, ..ModelResponse::default() };
            ModelReply { answer: ModelAnswer::Responded(Box::new(response)), raw: Vec::new() }
        }
    }
}

/// What a provider counted; none when it counted nothing.
pub(super) fn usage(reported: &Object) -> Option<Usage> {
    let sum = |left: &str, right: &str| match (amount(reported, left), amount(reported, right)) {
        (None, None) => None,
        (left, right) => Some(left.unwrap_or_default().saturating_add(right.unwrap_or_default())),
    };
    let counted = [
        amount(reported, "total_tokens"),
        sum("prompt_tokens", "completion_tokens"),
        sum("input_tokens", "output_tokens"),
    ];
    let tokens = counted.into_iter().flatten().max();
    let cost = amount(reported, "cost_microusd");
    if tokens.is_none() && cost.is_none() {
        return None;
    }
    let amounts = [("tokens", tokens), ("cost_microusd", cost)];
    let known = amounts.into_iter().filter_map(|(name, amount)| Some((name.to_owned(), amount?)));
    Some(Usage(known.collect()))
}

/// A number however it is written, a part of one rounded up.
fn amount(reported: &Object, key: &str) -> Option<u64> {
    let value = reported.get(key)?;
    let whole = || loose::number(value).filter(|number| *number >= 0.0).map(|number| number.ceil() as u64);
    value.as_u64().or_else(whole)
}
