//! A part that is shared is the part itself, so that hosts can hand in `Arc`s as they are.

use std::sync::Arc;

use provost_contract::Message;
use provost_contract::compaction::Summary;
use provost_contract::json::Object;
use provost_policy::HookAnswer;
use serde_json::Value;

use super::{
    AfterModel, BeforeModel, Boxed, Clock, CompletionOpinion, CompletionPolicy, ContinuePolicy,
    DiagnosedResult, ExecutorError, FinishedTurn, Guard, HostError, IdKind, Ids, InterruptSource,
    JudgedResult, MediatedCall, Mediation, Mediator, Model, ModelError, ModelTurn, PolicyProvider, Recalled,
    Reservation, ResultDiagnostics, Ruling, SpokenTurn, Summariser, ToolAction, ToolExecutor, TurnAnswer,
    TurnRequest,
};

impl<T: Model + ?Sized> Model for Arc<T> {
    fn reserve(&self, request: TurnRequest<'_>) -> Reservation {
        (**self).reserve(request)
    }

    fn turn<'a>(&'a self, request: TurnRequest<'a>) -> Boxed<'a, Result<TurnAnswer, ModelError>> {
        (**self).turn(request)
    }
}

impl<T: ToolExecutor + ?Sized> ToolExecutor for Arc<T> {
    fn execute<'a>(&'a self, action: ToolAction<'a>) -> Boxed<'a, Result<Value, ExecutorError>> {
        (**self).execute(action)
    }

    fn prepare(&self, action: ToolAction<'_>) -> Option<String> {
        (**self).prepare(action)
    }

    fn release(&self, run: &str) {
        (**self).release(run);
    }

    fn end_earlier<'a>(&'a self, process: &'a str) -> Boxed<'a, Result<(), String>> {
        (**self).end_earlier(process)
    }

    fn preview<'a>(&'a self, action: ToolAction<'a>) -> Boxed<'a, Option<Value>> {
        (**self).preview(action)
    }

    fn recall<'a>(&'a self, action: ToolAction<'a>) -> Boxed<'a, Recalled> {
        (**self).recall(action)
    }
}

impl<T: PolicyProvider + ?Sized> PolicyProvider for Arc<T> {
    fn rule<'a>(&'a self, call: MediatedCall<'a>) -> Boxed<'a, HookAnswer<Ruling>> {
        (**self).rule(call)
    }

    fn version(&self) -> String {
        (**self).version()
    }
}

impl<T: Mediator + ?Sized> Mediator for Arc<T> {
    fn decide<'a>(&'a self, call: MediatedCall<'a>) -> Boxed<'a, HookAnswer<Mediation>> {
        (**self).decide(call)
    }
}

impl<T: CompletionPolicy + ?Sized> CompletionPolicy for Arc<T> {
    fn judge<'a>(&'a self, result: JudgedResult<'a>) -> Boxed<'a, Result<CompletionOpinion, HostError>> {
        (**self).judge(result)
    }
}

impl<T: ContinuePolicy + ?Sized> ContinuePolicy for Arc<T> {
    fn go_on<'a>(&'a self, turn: FinishedTurn<'a>) -> Boxed<'a, Result<bool, HostError>> {
        (**self).go_on(turn)
    }
}

impl<T: InterruptSource + ?Sized> InterruptSource for Arc<T> {
    fn ask<'a>(&'a self, turn: FinishedTurn<'a>) -> Boxed<'a, Result<Value, HostError>> {
        (**self).ask(turn)
    }
}

impl<T: ResultDiagnostics + ?Sized> ResultDiagnostics for Arc<T> {
    fn diagnose<'a>(&'a self, result: DiagnosedResult<'a>) -> Boxed<'a, Result<Value, HostError>> {
        (**self).diagnose(result)
    }
}

impl<T: Summariser + ?Sized> Summariser for Arc<T> {
    fn summarise<'a>(
        &'a self,
        messages: &'a [Message],
        context: &'a Object,
    ) -> Boxed<'a, Result<Summary, HostError>> {
        (**self).summarise(messages, context)
    }
}

impl<T: BeforeModel + ?Sized> BeforeModel for Arc<T> {
    fn before<'a>(&'a self, turn: ModelTurn<'a>) -> Boxed<'a, Result<Guard, HostError>> {
        (**self).before(turn)
    }
}

impl<T: AfterModel + ?Sized> AfterModel for Arc<T> {
    fn after<'a>(&'a self, turn: SpokenTurn<'a>) -> Boxed<'a, Result<Guard, HostError>> {
        (**self).after(turn)
    }
}

impl<T: Clock + ?Sized> Clock for Arc<T> {
    fn now_ms(&self) -> i64 {
        (**self).now_ms()
    }

    fn sleep_until(&self, at_ms: i64) -> Boxed<'static, ()> {
        (**self).sleep_until(at_ms)
    }
}

impl<T: Ids + ?Sized> Ids for Arc<T> {
    fn make(&self, kind: IdKind) -> String {
        (**self).make(kind)
    }
}
