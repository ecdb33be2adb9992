//! The hooks around a model call, and what their answers mean.

use std::sync::Arc;

use provost_contract::Message;
use provost_contract::json::Object;
use provost_engine::Fault;
use provost_engine::event::{HookAnswer, ModelResponded};

use super::HostPerformer;
use super::hooks::{missing, reason_or};
use crate::actor::RunContext;
use crate::port::{Guard, HostError, ModelTurn, SpokenTurn, Transcript};

/// The code of a model call that a hook refused.
const REFUSED: &str = "model_refused";

impl HostPerformer {
    /// The turn that is asked about has not begun: it is the next one.
    pub(super) async fn before_model(
        &self,
        of: &RunContext,
        context: &Object,
        messages: &Transcript,
    ) -> HookAnswer {
        let Some(hook) = &self.host.before_model else { return missing() };
        let turn = ModelTurn { turn: u64::from(of.turn) + 1, messages, context };
        match hook.before(turn).await {
            Ok(Guard::Pass) => HookAnswer::Proceed { ruling: None },
            Ok(Guard::Say(text)) => {
                let mut message = Message::text("user", &text);
                message.metadata.insert("type".into(), "before_model".into());
                HookAnswer::Message { messages: vec![Arc::new(message)], record: Object::new() }
            }
            Ok(Guard::Refuse(reason)) => refused(reason, "A hook refused the model call."),
            Err(HostError(message)) => HookAnswer::Failed {
                fault: Fault::new(
                    "before_model_failed",
                    reason_or(message, "A hook before the model failed."),
                ),
            },
        }
    }

    pub(super) async fn after_model(
        &self,
        of: &RunContext,
        context: &Object,
        messages: &Transcript,
        response: Option<&ModelResponded>,
    ) -> HookAnswer {
        let (Some(hook), Some(response)) = (&self.host.after_model, response) else { return missing() };
        let texts = response.messages.iter().filter_map(|message| message.content.as_text());
        let text = texts.collect::<Vec<_>>().join("\n");
        let turn =
            SpokenTurn { turn: of.turn.into(), text: &text, calls: &response.calls, messages, context };
        match hook.after(turn).await {
            Ok(Guard::Pass) => HookAnswer::Proceed { ruling: None },
            Ok(Guard::Refuse(reason)) => refused(reason, "A hook refused the response."),
            Ok(Guard::Say(_)) => HookAnswer::Failed {
                fault: Fault::new("after_model_failed", "A hook after the model can only pass or refuse."),
            },
            Err(HostError(message)) => HookAnswer::Failed {
                fault: Fault::new("after_model_failed", reason_or(message, "A hook after the model failed.")),
            },
        }
    }
}

fn refused(reason: String, usual: &str) -> HookAnswer {
    let fault = Fault::new(REFUSED, reason_or(reason, usual));
    HookAnswer::Reject { fault, result: None, completes: false }
}
