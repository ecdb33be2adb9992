//! Hooks that answer by turn and call, so that they say the same again after a crash.

use provost_contract::compaction::Summary;
use provost_contract::json::{self, Object};
use provost_contract::{Message, loose};
use provost_policy::{ActionPolicy, HookAnswer, HookFailure};
use provost_runtime::port::{
    Boxed, CompletionOpinion, CompletionPolicy, ContinuePolicy, DiagnosedResult, FinishedTurn, HostError,
    InterruptSource, JudgedResult, MediatedCall, Mediation, Mediator, PolicyProvider, ResultDiagnostics,
    Ruling, Summariser,
};
use serde_json::Value;

use super::scenario::Hook;

/// A hook by its script: what it says, by turn, and by the call, tool or text it is about.
pub(super) struct Scripted(pub(super) Hook);

fn at_once<'a, T: Send + 'a>(answer: T) -> Boxed<'a, T> {
    Box::pin(std::future::ready(answer))
}

impl PolicyProvider for Scripted {
    fn rule<'a>(&'a self, call: MediatedCall<'a>) -> Boxed<'a, HookAnswer<Ruling>> {
        at_once(match (self.0)(call.turn, call.tool_call_id) {
            Value::Null => Ok(None),
            Value::String(word) => {
                let policy: Result<ActionPolicy, _> = word.parse();
                policy.map_or(Err(HookFailure::Failed), |policy| {
                    Ok(Some(Ruling::new(policy, "season", "the season says so")))
                })
            }
            _ => Err(HookFailure::Nonsense),
        })
    }
}

impl Mediator for Scripted {
    fn decide<'a>(&'a self, call: MediatedCall<'a>) -> Boxed<'a, HookAnswer<Mediation>> {
        at_once(Mediation::parse(&(self.0)(call.turn, call.tool_call_id)))
    }
}

impl CompletionPolicy for Scripted {
    fn judge<'a>(&'a self, result: JudgedResult<'a>) -> Boxed<'a, Result<CompletionOpinion, HostError>> {
        let said = json::into_object((self.0)(result.turn, result.tool_name));
        at_once(Ok(CompletionOpinion {
            complete: said.get("complete").is_some_and(loose::flag),
            message: json::text(&said, "message").unwrap_or_default().to_owned(),
            context: json::object_or_empty(&said, "context"),
        }))
    }
}

impl ResultDiagnostics for Scripted {
    fn diagnose<'a>(&'a self, result: DiagnosedResult<'a>) -> Boxed<'a, Result<Value, HostError>> {
        at_once(Ok((self.0)(result.turn, result.tool_call_id)))
    }
}

impl InterruptSource for Scripted {
    fn ask<'a>(&'a self, turn: FinishedTurn<'a>) -> Boxed<'a, Result<Value, HostError>> {
        at_once(Ok((self.0)(turn.turn, "")))
    }
}

impl ContinuePolicy for Scripted {
    fn go_on<'a>(&'a self, turn: FinishedTurn<'a>) -> Boxed<'a, Result<bool, HostError>> {
        at_once(Ok(loose::flag(&(self.0)(turn.turn, ""))))
    }
}

impl Summariser for Scripted {
    fn summarise<'a>(
        &'a self,
        messages: &'a [Message],
        _context: &'a Object,
    ) -> Boxed<'a, Result<Summary, HostError>> {
        let said = (self.0)(messages.len() as u64, "");
        at_once(Summary::parse(&said).map_err(|error| HostError(error.message().to_owned())))
    }
}
