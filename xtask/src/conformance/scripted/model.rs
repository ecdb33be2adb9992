//! A model that answers the turns a case lists.

use provost_contract::provider_turn::CallSource;
use provost_runtime::port::{Boxed, Model, ModelError, Transcript, TurnAnswer, TurnRequest};
use serde_json::{Value, json};

use super::{Script, thrown};

/// How the turns are played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Protocol {
    /// As turns of a host that talks to models itself.
    Host,
    /// As answers of a provider's adapter.
    Adapter,
}

pub(crate) struct ScriptedModel {
    pub(crate) turns: Script,
    pub(crate) protocol: Protocol,
}

impl Model for ScriptedModel {
    fn turn<'a>(&'a self, request: TurnRequest<'a>) -> Boxed<'a, Result<TurnAnswer, ModelError>> {
        self.turns.note(asked(&request, self.protocol));
        Box::pin(async move {
            let answer = self.turns.take();
            let answer = answer.ok_or_else(|| ModelError::new("script", "the script has no more turns"))?;
            if let Some(message) = thrown(&answer) {
                let code = answer.pointer("/throws/code").map_or_else(|| "0".to_owned(), text);
                return Err(ModelError { code, ..ModelError::new("scripted", message) });
            }
            match self.protocol {
                Protocol::Host => Ok(TurnAnswer::Host(with_messages(answer, request.messages))),
                Protocol::Adapter => TurnAnswer::from_adapter_with(&answer, CallSource::ListOrText),
            }
        })
    }
}

fn asked(request: &TurnRequest<'_>, protocol: Protocol) -> Value {
    let mut asked = json!({
        "turn": request.turn,
        "message_count": request.messages.len(),
        "context": request.context,
    });
    if let (Some(asked), Protocol::Adapter) = (asked.as_object_mut(), protocol) {
        let mut tools: Vec<&str> = request.tools.tools().iter().map(|tool| tool.name().as_str()).collect();
        tools.sort_unstable();
        asked.insert("tools".into(), json!(tools));
        asked.insert(
            "budgets".into(),
            json!({ "turns": { "current": request.turn - 1, "limit": request.turns_max } }),
        );
        asked.insert("model".into(), json!(request.model));
        asked.insert("session_id".into(), request.session.unwrap_or_default().into());
    }
    asked
}

fn text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// `"$transcript"` stands for the messages the model was given, `{"$append": […]}` for those and more.
fn with_messages(mut turn: Value, given: &Transcript) -> Value {
    let given = || given.messages().map(|message| message.to_value()).collect::<Vec<_>>();
    let meant = match turn.get("messages") {
        Some(Value::String(word)) if word == "$transcript" => Some(given()),
        Some(Value::Object(change)) => change.get("$append").and_then(Value::as_array).map(|more| {
            let mut messages = given();
            messages.extend(more.iter().cloned());
            messages
        }),
        _ => None,
    };
    if let (Some(turn), Some(messages)) = (turn.as_object_mut(), meant) {
        turn.insert("messages".into(), Value::Array(messages));
    }
    turn
}
