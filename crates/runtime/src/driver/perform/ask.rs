//! The steps between calls and turns: who has an opinion.

use provost_contract::json::{self, Object};
use serde_json::Value;

use super::Kinds;
use crate::driver::guard::within;
use crate::driver::{ContinueBy, Run};
use crate::engine::{ContinueJudged, Kind, Subject, decide};
use crate::port::{CompletionOpinion, DiagnosedResult, FinishedTurn, HostError, JudgedResult};

impl Run<'_> {
    pub(super) async fn ask_completion(&self, subject: Subject) -> Kind {
        let opinion = match (&self.host.completion, self.given_by(subject)) {
            (Some(policy), Some((tool_name, result))) => {
                self.asked(policy.judge(self.judged_result(tool_name, &result))).await.unwrap_or_default()
            }
            (None, _) | (_, None) => CompletionOpinion::default(),
        };
        decide::judged(&self.state, subject, &opinion)
    }

    /// The tool, and what it gave.
    fn given_by(&self, subject: Subject) -> Option<(&str, Object)> {
        match subject {
            Subject::Call(place) => {
                let declared = &self.state.batch.call(place)?.declared;
                Some((&declared.name, self.state.records.result_of(self.state.turn, place)?))
            }
            Subject::Managed(place) => {
                let managed = self.state.batch.managed.get(place)?;
                let result = json::object(managed, "result")?.clone();
                Some((json::text(managed, "tool_name").unwrap_or_default(), result))
            }
        }
    }

    fn judged_result<'r>(&'r self, tool_name: &'r str, result: &'r Object) -> JudgedResult<'r> {
        JudgedResult {
            tool_name,
            declared: self.state.rules.tools.catalog.get(tool_name).is_some(),
            result,
            success: result.get("success") == Some(&Value::Bool(true)),
            turn: self.state.turn,
            context: &self.context,
        }
    }

    /// A result is recorded together with what the host notes about it.
    pub(in crate::driver) async fn diagnosed(&self, kind: Kind) -> Kind {
        let (Some(diagnostics), Kind::CallSettled(settled)) = (&self.host.diagnostics, &kind) else {
            return kind;
        };
        let Some(call) = self.state.batch.call(settled.call) else { return kind };
        let result = DiagnosedResult {
            tool_name: &call.declared.name,
            tool_call_id: &call.declared.id,
            declaration: self.state.rules.tools.catalog.get(&call.declared.name),
            parameters_sha256: &call.declared.parameters_sha256,
            result: &settled.result,
            success: settled.success(),
            turn: self.state.turn,
            context: &self.context,
        };
        let notes = Box::pin(self.asked(diagnostics.diagnose(result))).await.unwrap_or_default();
        decide::diagnosed(settled, notes)
    }

    pub(super) async fn ask_interrupt(&self) -> Kinds {
        let said = match &self.host.interrupts {
            Some(source) => self.asked(source.ask(self.finished_turn())).await.unwrap_or_default(),
            None => Value::Null,
        };
        Ok(vec![decide::heard(&self.state, &said)?])
    }

    pub(super) async fn ask_continue(&self) -> Kind {
        let go_on = match &self.host.continuation {
            ContinueBy::Policy(policy) => self.asked(policy.go_on(self.finished_turn())).await,
            ContinueBy::Calls | ContinueBy::Nobody => Err(HostError("nobody was asked".to_owned())),
        };
        ContinueJudged { go_on: go_on.unwrap_or(false) }.into()
    }

    /// A hook that is late or panics has failed.
    async fn asked<T>(&self, answer: impl Future<Output = Result<T, HostError>>) -> Result<T, HostError> {
        let answer = within(&*self.host.clock, self.state.spec.limits.hook_ms_max, answer).await;
        answer.unwrap_or_else(|silent| Err(HostError(silent.to_string())))
    }

    fn finished_turn(&self) -> FinishedTurn<'_> {
        FinishedTurn { turn: self.state.turn, messages: &self.state.history, context: &self.context }
    }
}
