//! Combines several hooks into one. They are called in the order in which they were added; one
//! refusal is enough.

use std::sync::Arc;

use provost_contract::json::Object;
use provost_policy::HookAnswer;
use provost_runtime::port::{
    AfterModel, BeforeModel, Boxed, DiagnosedResult, Guard, HostError, MediatedCall, Mediation, Mediator,
    ModelTurn, ResultDiagnostics, SpokenTurn,
};
use serde_json::Value;

/// Hooks before a model call. Their messages are joined.
pub(crate) struct BeforeGuards(pub(crate) Vec<Arc<dyn BeforeModel>>);

impl BeforeModel for BeforeGuards {
    fn before<'a>(&'a self, turn: ModelTurn<'a>) -> Boxed<'a, Result<Guard, HostError>> {
        Box::pin(async move {
            let mut said = Vec::new();
            for hook in &self.0 {
                match hook.before(turn).await? {
                    Guard::Pass => {}
                    Guard::Say(text) => said.push(text),
                    refused @ Guard::Refuse(_) => return Ok(refused),
                }
            }
            Ok(if said.is_empty() { Guard::Pass } else { Guard::Say(said.join("\n")) })
        })
    }
}

/// Hooks after a model call.
pub(crate) struct AfterGuards(pub(crate) Vec<Arc<dyn AfterModel>>);

impl AfterModel for AfterGuards {
    fn after<'a>(&'a self, turn: SpokenTurn<'a>) -> Boxed<'a, Result<Guard, HostError>> {
        Box::pin(async move {
            for hook in &self.0 {
                let decided = hook.after(turn).await?;
                if decided != Guard::Pass {
                    return Ok(decided);
                }
            }
            Ok(Guard::Pass)
        })
    }
}

/// Hooks before a tool. The first decision other than `Proceed` wins.
pub(crate) struct Mediators(pub(crate) Vec<Arc<dyn Mediator>>);

impl Mediator for Mediators {
    fn decide<'a>(&'a self, call: MediatedCall<'a>) -> Boxed<'a, HookAnswer<Mediation>> {
        Box::pin(async move {
            for hook in &self.0 {
                match hook.decide(call).await? {
                    None | Some(Mediation::Proceed) => {}
                    decided => return Ok(decided),
                }
            }
            Ok(None)
        })
    }
}

/// Hooks after a tool. Their notes are merged; a hook that fails adds none.
pub(crate) struct Notes(pub(crate) Vec<Arc<dyn ResultDiagnostics>>);

impl ResultDiagnostics for Notes {
    fn diagnose<'a>(&'a self, result: DiagnosedResult<'a>) -> Boxed<'a, Result<Value, HostError>> {
        Box::pin(async move {
            let mut notes = Object::new();
            for hook in &self.0 {
                if let Ok(Value::Object(noted)) = hook.diagnose(result).await {
                    notes.extend(noted);
                }
            }
            Ok(Value::Object(notes))
        })
    }
}
