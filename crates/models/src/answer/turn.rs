//! The turn of an answer.

use provost_contract::Message;
use provost_contract::json::Object;
use provost_contract::message::MessageType;
use provost_runtime::port::{ModelError, TurnAnswer};
use serde_json::{Value, json};

use super::{calls, reasoning, spoken};
use crate::api::{Api, Finish};
use crate::request::ProviderRequest;
use crate::wire::Received;
use crate::{Fault, FaultKind, provider_state};

/// An answer that was read.
#[derive(Debug)]
pub(crate) struct Answer {
    message: Option<Message>,
    content: String,
    calls: Vec<Value>,
    usage: Object,
    finish: Finish,
    id: Option<String>,
    model: Option<String>,
}

/// Reads the body of an answer to the turn of this number.
pub(crate) fn read(api: &dyn Api, ask: &ProviderRequest, turn: u64, body: &Value) -> Result<Answer, Fault> {
    let finish = api.finish(body);
    check_finish(&finish)?;
    let messages = api.shape().decode(&api.said(body), &ask.names, turn).map_err(|error| {
        Fault::new(FaultKind::MalformedAnswer, format!("the answer cannot be read: {}", error.message()))
    })?;
    let (called, said): (Vec<_>, Vec<_>) =
        messages.into_iter().partition(|message| message.kind == MessageType::ToolCall);
    let calls = calls::requested(&called, &finish, turn);
    let parts = spoken::parts(&said);
    let parts = if calls.is_empty() { reasoning::left_behind(parts) } else { parts };
    let content = provider_state::joined(&parts);
    Ok(Answer {
        message: provider_state::with_call_fields(spoken::message(&parts)?, &called),
        content,
        calls,
        usage: api.usage(body).to_object(),
        finish,
        id: api.answer_id(body).map(str::to_owned),
        model: api.answer_model(body).map(str::to_owned),
    })
}

fn check_finish(finish: &Finish) -> Result<(), Fault> {
    match finish {
        Finish::Done | Finish::Length | Finish::Malformed(_) | Finish::Other(_) => Ok(()),
        Finish::Refused(words) => Err(Fault::new(FaultKind::Refused, format!("the model refused: {words}"))),
    }
}

impl Answer {
    /// The turn, as the engine takes it.
    pub(crate) fn into_turn(
        received: Received<Self>,
        api: &dyn Api,
        ask: &ProviderRequest,
    ) -> Result<TurnAnswer, ModelError> {
        let Received { answer, request_id, attempts } = received;
        let model = answer.model.as_deref().unwrap_or(&ask.settings.model);
        let turn = json!({
            "content": answer.content,
            "message": answer.message.as_ref().map(Message::to_value),
            "tool_calls": answer.calls,
            "usage": answer.usage,
            "request_metadata": { "provider": api.shape(), "model": model, "attempts": attempts },
            "provider_diagnostics": answer.diagnostics(ask, request_id.as_deref()),
        });
        TurnAnswer::from_adapter(&turn)
    }

    fn diagnostics(&self, ask: &ProviderRequest, request_id: Option<&str>) -> Object {
        let mut told = Object::new();
        told.insert("finish".into(), self.finish.word().into());
        let ids = [("answer_id", self.id.as_deref()), ("request_id", request_id)];
        told.extend(ids.into_iter().filter_map(|(key, id)| Some((key.to_owned(), id?.into()))));
        told.extend(ask.diagnostics.clone());
        told
    }
}
