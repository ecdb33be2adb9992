//! A turn of a model that declares its work: what it is sent, and how its answer is read.

use std::collections::BTreeMap;
use std::sync::Arc;

use provost_contract::Message;
use provost_contract::json::{self, Object};
use provost_contract::provider_turn::{ProviderTurn, RequestedCall};
use provost_contract::sensitivity;
use provost_contract::tool::ToolCatalog;
use provost_engine::event::{ActionEnd, Choice, Declaration, Parsed};
use provost_engine::state::{Action, BESIDE_DECLARATION, Transcript};
use provost_engine::{Carrying, ModelAnswer, ModelResponse, RunState};
use provost_protocol::offer::{CARRIER_DESCRIPTION, Dialect, OfferedCarrier, carrier_schema};
use provost_protocol::tokens::{Bpe, TokenCounter as _};
use provost_protocol::{Accepted, AssistantMessage, Content, Finish, NativeCall, accept};
use serde_json::{Value, json};

use super::catalog::Speech;
use super::declare::{Declared, Earlier, Reading};
use super::refused::RefusedDeclaration;
use crate::actor::{Exchange, ModelCall, ModelReply};
use crate::host::submit::{Asked, decided, revision, unknown_run};
use crate::host::{HostPerformer, Streamed, response, turns_max};
use crate::port::{Carrier, Hearing, TurnAnswer, TurnRequest};

/// How much of a refused message is recorded.
const RAW_CHARS: usize = 16_384;

impl HostPerformer {
    /// Asks a model that declares its work, and reads its answer.
    pub(in crate::host) async fn declaring_turn(&self, call: ModelCall, exchange: &Exchange) -> ModelReply {
        let of = &call.context;
        let speech = match self.host.speeches.of(&of.agent) {
            Ok(speech) => speech,
            Err(error) => return response::broken(&error),
        };
        let context = self.context(of);
        let (run, request) = (of.spec.run.clone(), call.request);
        let deltas = Streamed { run, request, sink: call.deltas.clone(), declares: true };
        let offer = Offer::of(&speech, of.agent.spec.protocol.carrier);
        let (messages, measure) = offer.messages(exchange);
        let no_model = Object::new();
        let asked = TurnRequest {
            turn: of.turn.into(),
            turns_max: turns_max(of),
            session: of.spec.session.as_ref().map(|session| session.id.as_str()),
            messages: &messages,
            tools: &ToolCatalog::default(),
            carrier: offer.carrier.as_ref(),
            context: &context,
            model: of.agent.spec.models.get(call.model as usize).unwrap_or(&no_model),
            structured_output: offer.output.as_ref(),
            hearing: Hearing::new(of.turn.into(), &deltas),
            cache: &crate::port::TurnCache::default(),
        };
        let answer = match self.host.model.turn(asked).await {
            Ok(answer) => answer,
            Err(error) => {
                return response::raised(of, &error, self.host.backoff.pause(call.attempt, error.retry));
            }
        };
        let turn = match provider_turn(answer) {
            Ok(turn) => turn,
            Err(error) => return response::broken(&error),
        };
        if let Some(failure) = turn.failure() {
            let diagnostics = Some(Value::Object(turn.provider_diagnostics.clone()));
            return response::reported(of, failure.clone(), diagnostics);
        }
        let message = spoken(&turn, of.agent.spec.protocol.carrier);
        let read = self.read(&message, &speech, &context, exchange).await;
        replied(&turn, &message, read, measure)
    }

    async fn read(
        &self,
        message: &AssistantMessage,
        speech: &Speech,
        context: &Object,
        exchange: &Exchange,
    ) -> Result<(Accepted, Declared), RefusedDeclaration> {
        let state = &exchange.state;
        let earlier = completed(state);
        let reading = Reading { agent: &state.agent, context, earlier: &earlier };
        let mut turn = reading.turn(&speech.catalog);
        turn.attempt = state.model.refusals + 1;
        turn.retries_max = state.spec.limits.refusals;
        let accepted = accept(message, &turn)?;
        let mut declared = reading.declared(&accepted, &turn)?;
        self.library.look_up(&accepted, (&state.spec.run, &state.spec.workspace)).await?;
        declared.declaration = about_run(state, &accepted, declared.declaration)?;
        Ok((accepted, declared))
    }
}

/// How a model is asked for declarations.
struct Offer {
    prompt: Arc<str>,
    carrier: Option<Carrier>,
    output: Option<Value>,
}

impl Offer {
    fn of(speech: &Speech, carrying: Carrying) -> Self {
        let schema = || carrier_schema(&speech.catalog, Dialect::Plain).unwrap_or_default();
        let (written, carrier, output) = match carrying {
            Carrying::ToolCall => {
                let (name, description) = (Carrier::NAME, CARRIER_DESCRIPTION);
                (OfferedCarrier::ToolCall, Some(Carrier { name, description, schema: schema() }), None)
            }
            Carrying::FencedBlock => (OfferedCarrier::FencedBlock, None, None),
            Carrying::StructuredOutput => {
                let output = json!({ "name": Carrier::NAME, "schema": schema(), "strict": false });
                (OfferedCarrier::ToolCall, None, Some(output))
            }
        };
        Self { prompt: speech.prompt(written), carrier, output }
    }

    /// What the model reads, and how many tokens each section has.
    fn messages(&self, exchange: &Exchange) -> (Transcript, Value) {
        let instructions = exchange.page.instructions.join("\n\n");
        let system = [instructions.as_str(), &self.prompt].into_iter().filter(|text| !text.is_empty());
        let system = Message::text("system", system.collect::<Vec<_>>().join("\n\n"));
        let page = Message::text("user", &exchange.page.text);
        let mut measure = exchange.page.measure.clone();
        measure.0.insert("system".into(), Bpe.count(&instructions));
        measure.0.insert("catalog".into(), Bpe.count(&self.prompt));
        ([system, page].into_iter().map(Arc::new).collect(), json!(measure))
    }
}

/// The completed actions of the run by label, the newest of each.
fn completed(state: &RunState) -> BTreeMap<String, Earlier> {
    let done = |action: &&Action| {
        let end = action.end.as_ref();
        action.spec.under.is_none()
            && end.is_some_and(|end| end.status == ActionEnd::Completed && end.satisfying)
    };
    let completed = state.actions.values().map(|action| &**action).filter(done);
    completed.map(|action| (action.spec.label.clone(), Earlier::Here(action.spec.id))).collect()
}

/// A declaration about the run itself: what it cancels, replaces or decides.
fn about_run(
    state: &RunState,
    accepted: &Accepted,
    mut declaration: Declaration,
) -> Result<Declaration, RefusedDeclaration> {
    let named = match &accepted.content {
        Content::Cancel { run_id, .. } | Content::Revise { run_id, .. } => run_id,
        Content::Decision(decision) => &decision.run_id,
        _ => return Ok(declaration),
    };
    if named != state.spec.run.as_str() {
        return Err(unknown_run(named));
    }
    let open = || state.open_actions().filter(|(_, action)| action.spec.under.is_none()).map(|(id, _)| id);
    match &accepted.content {
        Content::Decision(decision) => match decided(state, decision)? {
            Asked::Decide(action, choice) => declaration.decide = vec![(action, choice)],
            Asked::Cancel => {
                declaration.cancel = open().collect();
                let failed = state.actions.iter().filter(|(_, action)| state.is_undecided(action));
                declaration.decide = failed.map(|(id, _)| (*id, Choice::Accept)).collect();
            }
        },
        Content::Cancel { .. } => declaration.cancel = open().collect(),
        _ => declaration = revision(state, declaration),
    }
    Ok(declaration)
}

fn provider_turn(answer: TurnAnswer) -> provost_contract::Result<ProviderTurn> {
    match answer {
        TurnAnswer::Provider(turn) => Ok(*turn),
        TurnAnswer::Host(Value::Object(turn)) => ProviderTurn::parse(&turn),
        TurnAnswer::Host(_) => {
            Err(provost_contract::ContractError::whole("invalid_turn", "the model's turn must be an object"))
        }
    }
}

/// The answer as one message. The structured output of a model that carries its declarations so is the call.
fn spoken(turn: &ProviderTurn, carrying: Carrying) -> AssistantMessage {
    let cut = json::text(&turn.provider_diagnostics, "finish") == Some("length");
    let finish = if cut { Finish::CutByLength } else { Finish::Complete };
    if carrying == Carrying::StructuredOutput && turn.tool_calls.is_empty() {
        let parsed = turn.structured_output.as_ref().map(|answer| answer.parsed.clone());
        let arguments = parsed.unwrap_or_else(|| turn.content.clone().into());
        return AssistantMessage { finish, ..AssistantMessage::of_carrier_call(arguments) };
    }
    let calls = turn.tool_calls.iter().map(native).collect();
    AssistantMessage { text: turn.content.clone(), calls, finish }
}

fn native(call: &RequestedCall) -> NativeCall {
    let unread = call.metadata.as_ref().and_then(|metadata| json::text(metadata, Carrier::UNREAD_TEXT));
    let arguments = unread.map_or_else(|| Value::Object(call.parameters.clone()), Value::from);
    NativeCall { name: call.name().to_owned(), arguments }
}

fn replied(
    turn: &ProviderTurn,
    message: &AssistantMessage,
    read: Result<(Accepted, Declared), RefusedDeclaration>,
    measure: Value,
) -> ModelReply {
    let mut provider = json::into_object(json!({
        "usage": turn.usage,
        "request_metadata": turn.request_metadata,
        "provider_diagnostics": turn.provider_diagnostics,
        "measure": measure,
    }));
    let (messages, parsed, raw) = match read {
        Ok((accepted, declared)) => {
            provider.insert("carrier".into(), json!(accepted.carrier));
            provider.insert("recovered".into(), accepted.recovered().into());
            (said(&accepted), Parsed::Declared(Box::new(declared.declaration)), declared.raw)
        }
        Err(refused) => {
            provider.insert("raw".into(), raw_output(message));
            (Vec::new(), Parsed::Malformed { fault: refused.into_fault() }, Vec::new())
        }
    };
    let response = ModelResponse {
        messages,
        usage: response::usage(&turn.usage),
        provider,
        declaration: Some(parsed),
        ..ModelResponse::default()
    };
    ModelReply { answer: ModelAnswer::Responded(Box::new(response)), raw }
}

/// What people and later turns read of an accepted message. The text beside a declaration is shown with it.
fn said(accepted: &Accepted) -> Vec<Arc<Message>> {
    let text = accepted.user_visible.as_ref().or(accepted.message.as_ref());
    let Some(text) = text.filter(|text| !text.is_empty()) else { return Vec::new() };
    let mut message = Message::text("assistant", text);
    if !matches!(accepted.content, Content::Plain | Content::Answer | Content::Done) {
        message.metadata.insert("type".into(), BESIDE_DECLARATION.into());
    }
    vec![Arc::new(message)]
}

/// A refused message as records have it: what its fields name as secret is not in it. What is accepted stands in the
/// declaration.
fn raw_output(message: &AssistantMessage) -> Value {
    let cut = |text: &str| text.chars().take(RAW_CHARS).collect::<String>();
    let call = |call: &NativeCall| {
        let arguments = match &call.arguments {
            Value::String(text) => match json::parse_text(text) {
                Ok(parsed) => sensitivity::redact_names(&parsed),
                // Where a secret would begin in broken JSON is not known.
                Err(error) => json!({ "unreadable": error.message(), "bytes": text.len() }),
            },
            value => sensitivity::redact_names(value),
        };
        json!({ "name": call.name, "arguments": arguments })
    };
    json!({ "text": cut(&message.text), "calls": message.calls.iter().map(call).collect::<Value>() })
}
