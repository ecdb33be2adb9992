//! A closure as a hook. It receives owned values, so that its future may outlive the borrowed input.

use std::sync::Arc;

use provost_contract::json::{self, Object};
use provost_policy::HookAnswer;
use provost_runtime::port::{
    AfterModel, BeforeModel, Boxed, CompletionOpinion, CompletionPolicy, ContinuePolicy, DiagnosedResult,
    FinishedTurn, Guard, HostError, InterruptSource, JudgedResult, MediatedCall, Mediation, Mediator,
    ModelTurn, Rejection, ResultDiagnostics, SpokenTurn,
};
use serde_json::{Value, json};

use super::{Completion, FinishedCall, NextTurn, ProposedCall, SpokenResponse, ToolGuard};

/// A hook implemented by a closure from input to decision.
pub(crate) struct Closure<I, O>(Arc<dyn Fn(I) -> Boxed<'static, O> + Send + Sync>);

impl<I, O> Closure<I, O> {
    pub(crate) fn new<F, W>(hook: F) -> Self
    where
        F: Fn(I) -> W + Send + Sync + 'static,
        W: Future<Output = O> + Send + 'static,
    {
        Self(Arc::new(move |seen| Box::pin(hook(seen))))
    }
}

impl BeforeModel for Closure<NextTurn, Guard> {
    fn before<'a>(&'a self, turn: ModelTurn<'a>) -> Boxed<'a, Result<Guard, HostError>> {
        let decided = (self.0)(turn.into());
        Box::pin(async move { Ok(decided.await) })
    }
}

impl AfterModel for Closure<SpokenResponse, Guard> {
    fn after<'a>(&'a self, turn: SpokenTurn<'a>) -> Boxed<'a, Result<Guard, HostError>> {
        let decided = (self.0)(turn.into());
        Box::pin(async move { Ok(decided.await) })
    }
}

impl Mediator for Closure<ProposedCall, ToolGuard> {
    fn decide<'a>(&'a self, call: MediatedCall<'a>) -> Boxed<'a, HookAnswer<Mediation>> {
        let decided = (self.0)(call.into());
        Box::pin(async move {
            Ok(match decided.await {
                ToolGuard::Pass => None,
                ToolGuard::Refuse(reason) => {
                    let error = Some(reason);
                    Some(Mediation::Reject(Box::new(Rejection { error, ..Rejection::default() })))
                }
                ToolGuard::Answer(result) => {
                    let result = json::into_object(json!({ "success": true, "result": result }));
                    Some(Mediation::Replace { result, completes: false })
                }
            })
        })
    }
}

impl ResultDiagnostics for Closure<FinishedCall, Value> {
    fn diagnose<'a>(&'a self, result: DiagnosedResult<'a>) -> Boxed<'a, Result<Value, HostError>> {
        let noted = (self.0)(result.into());
        Box::pin(async move { Ok(noted.await) })
    }
}

impl CompletionPolicy for Closure<FinishedCall, Completion> {
    fn judge<'a>(&'a self, result: JudgedResult<'a>) -> Boxed<'a, Result<CompletionOpinion, HostError>> {
        let opinion = (self.0)(result.into());
        Box::pin(async move {
            let (complete, message) = match opinion.await {
                Completion::Done => (true, String::new()),
                Completion::Missing(message) => (false, message),
                Completion::Undecided => (false, String::new()),
            };
            Ok(CompletionOpinion { complete, message, context: Object::new() })
        })
    }
}

impl ContinuePolicy for Closure<NextTurn, bool> {
    fn go_on<'a>(&'a self, turn: FinishedTurn<'a>) -> Boxed<'a, Result<bool, HostError>> {
        let decided = (self.0)(turn.into());
        Box::pin(async move { Ok(decided.await) })
    }
}

impl InterruptSource for Closure<NextTurn, Option<String>> {
    fn ask<'a>(&'a self, turn: FinishedTurn<'a>) -> Boxed<'a, Result<Value, HostError>> {
        let said = (self.0)(turn.into());
        Box::pin(async move {
            let message = said.await.map(|text| json!({ "role": "user", "content": text }));
            Ok(message.unwrap_or_default())
        })
    }
}
