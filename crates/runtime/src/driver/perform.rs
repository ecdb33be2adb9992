//! One step each: whom to ask, and what follows from the answer.

use provost_contract::ContractError;
use provost_contract::compaction::{Compaction, Plan};
use provost_contract::json;
use provost_contract::tool::{RuntimeMetadata, ToolDeclaration};
use provost_policy::HookFailure;
use serde_json::Value;

use super::{ContinueBy, Run, RunError};
use crate::engine::decide::{self, Decided, RawCall};
use crate::engine::{
    CallDeclared, ContinueJudged, Kind, SessionContended, SessionLocked, SessionSpec, Step, Subject,
};
use crate::port::{
    ClientToolRecord, CompletionOpinion, ExecutorError, FinishedTurn, HostError, JudgedResult, LockError,
    MediatedCall, ToolAction, TurnRequest,
};

type Kinds = Result<Vec<Kind>, RunError>;

impl Run<'_> {
    pub(super) async fn perform(&mut self, step: Step) -> Kinds {
        match step {
            Step::LockSession(session) => self.lock(session).await,
            Step::StartTurn => self.start_turn().await,
            Step::Compact => Ok(vec![self.compact().await]),
            Step::CallModel => self.call_model().await,
            Step::AskMediator(place) => self.ask_mediator(place).await,
            Step::Execute(place) => self.execute(place).await,
            Step::AskCompletion(subject) => Ok(vec![self.ask_completion(subject).await]),
            Step::AskInterrupt => self.ask_interrupt().await,
            Step::AskContinue => Ok(vec![self.ask_continue().await]),
            Step::Record(kinds) => Ok(kinds),
            Step::Finish(_) | Step::Done => Ok(Vec::new()),
        }
    }

    async fn lock(&mut self, session: SessionSpec) -> Kinds {
        let Some(lock) = &self.host.lock else {
            return Ok(vec![SessionLocked { session: session.id }.into()]);
        };
        let token = match lock.acquire(&session.id, &self.state.spec.run, session.lock_ttl_seconds).await {
            Ok(token) if !token.is_empty() => token,
            // A lock that cannot say who holds it holds nothing.
            Ok(_) | Err(LockError::Contended | LockError::Failed(_)) => {
                return Ok(vec![SessionContended { session: session.id }.into()]);
            }
        };
        self.token = Some(token);
        Ok(vec![SessionLocked { session: session.id }.into()])
    }

    /// What the turn before left is durable before a new one begins.
    async fn start_turn(&mut self) -> Kinds {
        self.flush().await?;
        self.raw.clear();
        Ok(vec![decide::started(&self.state, self.host.clock.now_ms())])
    }

    async fn compact(&self) -> Kind {
        let compaction = match (decide::plan(&self.state), &self.host.summariser) {
            (Some(Plan::Finished(compaction)), _) => Some(compaction),
            (Some(Plan::Summarize(pending)), Some(summariser)) => {
                let summary = summariser.summarise(pending.earlier(), pending.context()).await;
                Some(pending.finish(summary))
            }
            (Some(Plan::Summarize(_)) | None, _) => None::<Compaction>,
        };
        decide::compacted(&self.state, compaction)
    }

    async fn call_model(&mut self) -> Kinds {
        let context = self.state.turn_context(&self.context);
        let request = TurnRequest {
            turn: self.state.turn,
            turns_max: self.state.budgets.turns_max().unwrap_or(self.state.spec.max_turns),
            session: self.session(),
            messages: &self.state.history,
            tools: &self.state.rules.catalog,
            context: &context,
            model: &self.state.spec.model,
            structured_output: self.state.spec.structured_output.as_ref(),
        };
        let answer = match self.host.model.turn(request).await {
            Ok(answer) => answer,
            Err(error) => return Ok(vec![decide::failed(&self.state, &error)]),
        };
        let (kinds, raw) = decide::answered(&self.state, &context, answer)?;
        self.raw = raw;
        Ok(kinds)
    }

    async fn ask_mediator(&mut self, place: usize) -> Kinds {
        let Some((declared, raw)) = self.call(place) else { return Err(lost(place)) };
        let Some(mediator) = &self.host.mediator else {
            let decided = decide::mediated(&self.state, place, declared, raw, Err(HookFailure::Failed))?;
            return Ok(decided.kinds);
        };
        let call = MediatedCall {
            tool_name: &declared.name,
            tool_call_id: &declared.id,
            parameters: &raw.parameters,
            raw_tool_call: &raw.raw,
            prepared: raw.prepared.as_ref(),
            declaration: self.state.rules.catalog.get(&declared.name),
            turn: self.state.turn,
            context: &self.context,
            messages: &self.state.history,
            records: &self.state.records,
        };
        let answer = mediator.decide(call).await;
        let decided = decide::mediated(&self.state, place, declared, raw, answer)?;
        self.hand_to_client(decided).await
    }

    /// Everything up to the start of the action is durable before anybody acts.
    async fn execute(&mut self, place: usize) -> Kinds {
        self.flush().await?;
        let Some((declared, raw)) = self.call(place) else { return Err(lost(place)) };
        let reply = self.reply(declared, raw).await;
        let decided = decide::executed(&self.state, place, declared, raw, reply)?;
        self.hand_to_client(decided).await
    }

    async fn reply(&self, declared: &CallDeclared, raw: &RawCall) -> Result<Value, ExecutorError> {
        let (Some(executors), Some(call)) = (&self.host.executors, &raw.prepared) else {
            return Err(ExecutorError::TargetUnavailable);
        };
        let no_runtime = RuntimeMetadata::default();
        let declaration = self.state.rules.catalog.get(&declared.name);
        let mut context = self.state.turn_context(&self.context);
        context.insert("tool_call_id".into(), declared.id.as_str().into());
        let action = ToolAction {
            call,
            runtime: declaration.map_or(&no_runtime, ToolDeclaration::runtime),
            context: &context,
            key: &decide::idempotency_key(&self.state, declared),
        };
        executors.execute(action).await
    }

    /// A client gets its request before the run is parked for it.
    async fn hand_to_client(&self, decided: Decided) -> Kinds {
        if let (Some(request), Some(requests)) = (&decided.client_request, &self.host.client_requests) {
            let record = ClientToolRecord(json::into_object(request.to_value()));
            // Nobody could ever answer a request that was not kept.
            let kept = requests.create(record).await;
            kept.map_err(|fault| refuse(&format!("the client's request was not kept: {fault}")))?;
        }
        Ok(decided.kinds)
    }

    async fn ask_completion(&self, subject: Subject) -> Kind {
        let opinion = match (&self.host.completion, self.judged_result(subject)) {
            (Some(policy), Some(result)) => policy.judge(result).await.unwrap_or_default(),
            (None, _) | (_, None) => CompletionOpinion::default(),
        };
        decide::judged(&self.state, subject, &opinion)
    }

    fn judged_result(&self, subject: Subject) -> Option<JudgedResult<'_>> {
        let (tool_name, result) = match subject {
            Subject::Call(place) => {
                let declared = &self.state.batch.call(place)?.declared;
                (declared.name.as_str(), self.state.records.last_result()?)
            }
            Subject::Managed(place) => {
                let managed = self.state.batch.managed.get(place)?;
                (json::text(managed, "tool_name").unwrap_or_default(), json::object(managed, "result")?)
            }
        };
        Some(JudgedResult {
            tool_name,
            declared: self.state.rules.catalog.get(tool_name).is_some(),
            result,
            success: result.get("success") == Some(&Value::Bool(true)),
            turn: self.state.turn,
            context: &self.context,
        })
    }

    async fn ask_interrupt(&self) -> Kinds {
        let said = match &self.host.interrupts {
            Some(source) => source.ask(self.finished_turn()).await.unwrap_or_default(),
            None => Value::Null,
        };
        Ok(vec![decide::heard(&self.state, &said)?])
    }

    async fn ask_continue(&self) -> Kind {
        let go_on = match &self.host.continuation {
            ContinueBy::Policy(policy) => policy.go_on(self.finished_turn()).await,
            ContinueBy::Calls | ContinueBy::Nobody => Err(HostError("nobody was asked".to_owned())),
        };
        ContinueJudged { go_on: go_on.unwrap_or(false) }.into()
    }

    fn finished_turn(&self) -> FinishedTurn<'_> {
        FinishedTurn { turn: self.state.turn, messages: &self.state.history, context: &self.context }
    }

    fn call(&self, place: usize) -> Option<(&CallDeclared, &RawCall)> {
        let declared = &self.state.batch.call(place)?.declared;
        Some((declared, self.raw.get(place)?))
    }
}

fn refuse(reason: &str) -> RunError {
    ContractError::whole("invalid_agent_conversation_loop", reason).into()
}

/// Raw parameters live in this process only.
fn lost(place: usize) -> RunError {
    refuse(&format!("the parameters of call {} of the turn are gone", place + 1))
}
