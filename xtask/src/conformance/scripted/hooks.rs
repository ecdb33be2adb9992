//! Hooks that answer by script.

use provost_contract::compaction::Summary;
use provost_contract::json::{self, Object};
use provost_contract::{Message, loose};
use provost_policy::{HookAnswer, HookFailure};
use provost_runtime::port::{
    Boxed, CompletionOpinion, CompletionPolicy, ContinuePolicy, DiagnosedResult, FinishedTurn, HostError,
    InterruptSource, JudgedResult, MediatedCall, Mediation, Mediator, ResultDiagnostics, Summariser,
};
use serde_json::{Value, json};

use super::{Script, thrown};

fn answered(answer: Value) -> Result<Value, HostError> {
    thrown(&answer).map_or(Ok(answer), |error| Err(HostError(error)))
}

/// Answers in order, or by the name of the tool; then with no opinion that differs from `otherwise`.
pub(crate) struct ScriptedMediator {
    pub(crate) script: Script,
    pub(crate) by_tool: Object,
    pub(crate) note: fn(&MediatedCall<'_>) -> Value,
}

impl Mediator for ScriptedMediator {
    fn decide<'a>(&'a self, call: MediatedCall<'a>) -> Boxed<'a, HookAnswer<Mediation>> {
        self.script.note((self.note)(&call));
        let answer = self.by_tool.get(call.tool_name).cloned().or_else(|| self.script.take());
        Box::pin(async move {
            let answer = answer.unwrap_or_else(|| json!({ "action": "proceed" }));
            if thrown(&answer).is_some() {
                return Err(HookFailure::Failed);
            }
            Mediation::parse(&answer)
        })
    }
}

pub(crate) struct ScriptedCompletion(pub(crate) Script);

impl CompletionPolicy for ScriptedCompletion {
    fn judge<'a>(&'a self, result: JudgedResult<'a>) -> Boxed<'a, Result<CompletionOpinion, HostError>> {
        self.0.note(json!({
            "tool_name": result.tool_name,
            "declared": result.declared,
            "success": result.success,
            "turn": result.turn,
        }));
        let answer = self.0.take().unwrap_or_default();
        Box::pin(async move {
            let answer = json::into_object(answered(answer)?);
            Ok(CompletionOpinion {
                complete: answer.get("complete").is_some_and(loose::flag),
                message: json::text(&answer, "message").unwrap_or_default().to_owned(),
                context: json::object_or_empty(&answer, "context"),
            })
        })
    }
}

pub(crate) struct ScriptedDiagnostics(pub(crate) Script);

impl ResultDiagnostics for ScriptedDiagnostics {
    fn diagnose<'a>(&'a self, result: DiagnosedResult<'a>) -> Boxed<'a, Result<Value, HostError>> {
        self.0.note(json!({
            "tool_name": result.tool_name,
            "tool_call_id": result.tool_call_id,
            "declared": result.declaration.is_some(),
            "success": result.success,
            "turn": result.turn,
            "parameters_sha256": result.parameters_sha256,
        }));
        let answer = self.0.take().unwrap_or_default();
        Box::pin(async move { answered(answer) })
    }
}

pub(crate) struct ScriptedInterrupts(pub(crate) Script);

impl InterruptSource for ScriptedInterrupts {
    fn ask<'a>(&'a self, turn: FinishedTurn<'a>) -> Boxed<'a, Result<Value, HostError>> {
        self.0.note(json!({ "turn": turn.turn, "message_count": turn.messages.len() }));
        let answer = self.0.take().unwrap_or_default();
        Box::pin(async move { answered(answer) })
    }
}

/// Answers in order, or always the same.
pub(crate) struct ScriptedContinue {
    pub(crate) script: Script,
    pub(crate) otherwise: bool,
}

impl ContinuePolicy for ScriptedContinue {
    fn go_on<'a>(&'a self, turn: FinishedTurn<'a>) -> Boxed<'a, Result<bool, HostError>> {
        let answer = self.script.take().map_or(self.otherwise, |answer| loose::flag(&answer));
        self.script.note(json!({ "turn": turn.turn, "answer": answer }));
        Box::pin(async move { Ok(answer) })
    }
}

pub(crate) struct ScriptedSummariser(pub(crate) Script);

impl Summariser for ScriptedSummariser {
    fn summarise<'a>(
        &'a self,
        messages: &'a [Message],
        _context: &'a Object,
    ) -> Boxed<'a, Result<Summary, HostError>> {
        self.0.note(json!({ "message_count": messages.len() }));
        let answer = self.0.take_or_last().unwrap_or_default();
        Box::pin(async move {
            Summary::parse(&answered(answer)?).map_err(|error| HostError(error.message().to_owned()))
        })
    }
}
