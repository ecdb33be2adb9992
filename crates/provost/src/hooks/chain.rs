//! Several hooks as one. They are asked in the order in which they were added; whatever the others say, one that
//! refuses has refused.

use std::sync::Arc;

use provost_contract::json::Object;
use provost_policy::HookAnswer;
use provost_runtime::port::{
    AfterModel, BeforeModel, Boxed, DiagnosedResult, Guard, HostError, MediatedCall, Mediation, Mediator,
    ModelTurn, ResultDiagnostics, SpokenTurn,
};
use serde_json::Value;

/// Hooks before a model call. What they have to say is said together.
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

/// Hooks before a tool: the first decision that is not to proceed counts.
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

/// Hooks after a tool: their notes stand side by side. One that fails has noted nothing.
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
