//! The steps of a call: whether it may run, what became of it, and running it.

use std::sync::Arc;

use provost_contract::approval::PendingAction;
use provost_contract::json::{self, Object};
use provost_contract::tool::{RuntimeMetadata, ToolCall, ToolDeclaration};
use provost_contract::{ContractError, canonical};
use provost_policy::{ActionPolicy, Decision, HookAnswer, HookFailure};
use serde_json::Value;

use super::Kinds;
use crate::driver::guard::within;
use crate::driver::in_flight::Done;
use crate::driver::{Run, RunError};
use crate::engine::decide::{self, Decided, People, RawCall};
use crate::engine::{ActionStarted, BatchCall, CallDeclared, Kind, Stage};
use crate::port::{
    Boxed, ClientToolRecord, DeclaredExecutor, ExecutorError, MediatedCall, Mediation, Recalled,
    RememberedApproval, Ruling, StoreActionError, ToolAction,
};

/// Everything an executor gets, owned, so that it can outlive a step.
struct Assignment {
    call: Arc<ToolCall>,
    executor: DeclaredExecutor,
    runtime: RuntimeMetadata,
    context: Arc<Object>,
    run: String,
    key: String,
}

impl Assignment {
    fn action(&self) -> ToolAction<'_> {
        let Self { call, executor, runtime, context, run, key } = self;
        ToolAction { call, executor: *executor, runtime, context, run, key }
    }
}

impl<'a> Run<'a> {
    /// First the policy, then the mediator, and last a person: nobody is asked to allow what may not be.
    pub(super) async fn authorise(&mut self, place: usize) -> Kinds {
        let Some((call, raw)) = self.call(place) else { return Err(lost(place)) };
        let declared = &call.declared;
        let ruling = self.ruling(declared, raw).await;
        let decision = decide::judge_call(&self.state, declared, ruling);
        let forbidden = decision.as_ref().filter(|decision| decision.verdict == ActionPolicy::Forbidden);
        if let Some(decision) = forbidden {
            return Ok(vec![decide::forbidden(&self.state, place, declared, decision)]);
        }
        let mediation = self.mediation(declared, raw).await;
        if let Some(decided) = decide::mediated(&self.state, place, declared, raw, mediation)? {
            return self.keep_questions(decided).await;
        }
        if call.stage == Stage::Approved && canonical::object_hash(raw.parameters()) != declared.raw_sha256()
        {
            return Ok(vec![decide::altered(&self.state, place, declared)]);
        }
        if call.stage == Stage::Approved {
            return Ok(vec![decide::approved_call(&self.state, place, call, decision.as_ref())]);
        }
        let asks =
            decision.as_ref().filter(|decision| decide::needs_approval(&self.state, declared, decision));
        let Some(asks) = asks else {
            return Ok(vec![decide::unhindered(&self.state, place, declared, decision.as_ref())]);
        };
        if asks.is_person_only() && !self.host.attended {
            return Ok(vec![decide::unanswerable(&self.state, place, declared, asks)]);
        }
        if let Some(word) = Box::pin(self.recalled(declared, asks)).await {
            return Ok(vec![decide::spared(&self.state, place, declared, asks, &word)]);
        }
        let preview = Box::pin(self.preview(declared, raw)).await;
        if let Some((code, reason)) = preview.as_ref().and_then(refusal) {
            return Ok(vec![decide::would_fail(&self.state, place, declared, code, reason)]);
        }
        let question =
            decide::propose(&self.state, place, declared, asks, preview, self.host.clock.now_ms())?;
        self.keep_questions(question).await
    }

    async fn ruling(&self, declared: &CallDeclared, raw: &RawCall) -> HookAnswer<Ruling> {
        let Some(policy) = &self.host.policy else {
            // A run that was told that somebody has a word does not go on without it.
            return if self.state.spec.asks.policy { Err(HookFailure::Failed) } else { Ok(None) };
        };
        self.hook(policy.rule(self.mediated_call(declared, raw))).await
    }

    async fn mediation(&self, declared: &CallDeclared, raw: &RawCall) -> HookAnswer<Mediation> {
        let Some(mediator) = &self.host.mediator else {
            return if self.state.spec.asks.mediator { Err(HookFailure::Failed) } else { Ok(None) };
        };
        self.hook(mediator.decide(self.mediated_call(declared, raw))).await
    }

    /// Whose word spares a question, if anybody's does. A memory that fails spares nothing.
    async fn recalled(
        &self,
        declared: &CallDeclared,
        asks: &Decision<ActionPolicy>,
    ) -> Option<RememberedApproval> {
        let memory = self.host.memory.as_ref().filter(|_| !asks.is_person_only())?;
        let question = self.state.spec.about.question(&declared.name, (asks.layer, &asks.rule))?;
        memory.recall(&question).await.ok()?.filter(|word| self.still_counts(word))
    }

    /// Who may not decide any more spares nothing either.
    pub(in crate::driver) fn still_counts(&self, word: &RememberedApproval) -> bool {
        let approvers = self.state.spec.approvers();
        approvers.is_empty() || approvers.contains(&word.by)
    }

    /// A hook that is late or panics has decided nothing.
    async fn hook<T>(&self, answer: impl Future<Output = HookAnswer<T>>) -> HookAnswer<T> {
        let answer = within(&*self.host.clock, self.state.spec.limits.hook_ms_max, answer).await;
        answer.unwrap_or_else(|silent| Err(silent.into()))
    }

    fn mediated_call<'r>(&'r self, declared: &'r CallDeclared, raw: &'r RawCall) -> MediatedCall<'r> {
        MediatedCall {
            tool_name: &declared.name,
            tool_call_id: &declared.id,
            parameters: raw.parameters(),
            raw_tool_call: &raw.raw,
            prepared: raw.prepared.as_deref(),
            declaration: self.state.rules.tools.catalog.get(&declared.name),
            turn: self.state.turn,
            context: &self.context,
            messages: &self.state.history,
            records: &self.state.records,
        }
    }

    async fn preview(&self, declared: &CallDeclared, raw: &RawCall) -> Option<Value> {
        let (executors, assignment) = (self.host.executors.as_ref()?, self.assignment(declared, raw)?);
        let preview = executors.preview(assignment.action());
        within(&*self.host.clock, self.state.spec.limits.hook_ms_max, preview).await.ok()?
    }

    /// An action that starts says which process carries it out: whoever goes on with the run after a crash
    /// finds it by that.
    pub(in crate::driver) fn with_process(&self, kind: Kind) -> Kind {
        let Kind::ActionStarted(started) = kind else { return kind };
        let prepared = || {
            let (call, raw) = self.call(started.call)?;
            self.host.executors.as_ref()?.prepare(self.assignment(&call.declared, raw)?.action())
        };
        match prepared() {
            None => Kind::ActionStarted(started),
            process => ActionStarted { process, ..Arc::unwrap_or_clone(started) }.into(),
        }
    }

    /// Nothing runs again, is asked about or is called stopped while what an earlier process started for it
    /// still runs.
    pub(in crate::driver) async fn end_earlier(&self) -> Result<(), RunError> {
        let Some(executors) = &self.host.executors else { return Ok(()) };
        for (declared, process) in self.state.batch.processes() {
            let declaration = self.state.rules.tools.catalog.get(&declared.name);
            let target = declaration.and_then(|declaration| declaration.runtime().executor_target());
            let ended = executors.end_earlier(target, process).await;
            ended.map_err(|reason| RunError::StillRuns { tool: declared.name.clone(), reason })?;
        }
        Ok(())
    }

    /// What was started before the process died and may not simply be repeated is looked up, and asked
    /// about when nobody knows.
    pub(super) async fn reconcile(&mut self, place: usize) -> Kinds {
        let Some((call, raw)) = self.call(place) else { return Err(lost(place)) };
        let may_repeat = self.state.rules.facts(&call.declared.name).is_some_and(|facts| facts.may_repeat);
        let recalled = if may_repeat { Recalled::Unknown } else { self.recall(&call.declared, raw).await };
        if may_repeat || matches!(recalled, Recalled::NotDone) {
            // What is simply done again is asked about by nobody else: what was forbidden since is not.
            let ruling = self.ruling(&call.declared, raw).await;
            let decision = decide::judge_call(&self.state, &call.declared, ruling);
            if let Some(decision) = decision {
                if decision.verdict == ActionPolicy::Forbidden {
                    return Ok(vec![decide::forbidden(&self.state, place, &call.declared, &decision)]);
                }
                if decision.is_person_only() && !call.was_asked_person_only() {
                    return Ok(vec![decide::unanswerable(&self.state, place, &call.declared, &decision)]);
                }
            }
        }
        let people = match self.host.approvals {
            Some(_) => People::Reachable,
            None => People::Unreachable,
        };
        let now_ms = self.host.clock.now_ms();
        let decided = decide::reconciled(&self.state, place, call, raw, recalled, people, now_ms)?;
        self.keep_questions(decided).await
    }

    async fn recall(&self, declared: &CallDeclared, raw: &RawCall) -> Recalled {
        let (Some(executors), Some(assignment)) = (&self.host.executors, self.assignment(declared, raw))
        else {
            return Recalled::Unknown;
        };
        let recalled = executors.recall(assignment.action());
        let recalled = within(&*self.host.clock, self.state.spec.limits.hook_ms_max, recalled).await;
        recalled.unwrap_or(Recalled::Unknown)
    }

    /// Sets executors to work, and takes in the next reply. Everything up to the start of an action is
    /// durable before anybody acts, unless it only reads and starts no process.
    pub(super) async fn execute(&mut self, mut places: Vec<usize>) -> Kinds {
        places.retain(|place| !self.in_flight.holds(*place));
        let gone = self.gone(&places);
        if !gone.is_empty() {
            return Ok(gone);
        }
        let acts = |place: &usize| {
            let call = self.state.batch.call(*place);
            call.is_some_and(|call| {
                call.process.is_some() || !self.state.rules.only_reads(&call.declared.name)
            })
        };
        if places.iter().any(acts) {
            self.flush().await?;
        }
        for place in places {
            let execution = self.execution(place)?;
            self.in_flight.add(place, execution);
        }
        let Some((place, reply)) = self.next_reply().await? else { return Ok(Vec::new()) };
        let Some((call, raw)) = self.call(place) else { return Err(lost(place)) };
        let decided = decide::executed(&self.state, place, &call.declared, raw, reply)?;
        self.keep_questions(decided).await
    }

    /// The results of calls whose secret arguments did not outlive the wait: nobody can execute them.
    fn gone(&self, places: &[usize]) -> Vec<Kind> {
        let lost = places.iter().filter_map(|place| {
            let (call, raw) = self.call(*place)?;
            raw.prepared.is_none().then(|| decide::lost(&self.state, *place, &call.declared))
        });
        lost.collect()
    }

    /// The next reply; none when the run was cancelled first.
    async fn next_reply(&mut self) -> Result<Option<Done>, RunError> {
        let mut in_flight = std::mem::take(&mut self.in_flight);
        let done = tokio::select! {
            biased;
            done = in_flight.next() => Ok(done),
            cancelled = self.cancel_arrives() => cancelled.map(|()| None),
        };
        self.in_flight = in_flight;
        if let Ok(None) = done {
            Box::pin(self.hear_cancel()).await?;
        }
        done
    }

    fn execution(&self, place: usize) -> Result<Boxed<'a, Done>, RunError> {
        let Some((call, raw)) = self.call(place) else { return Err(lost(place)) };
        let host = self.host;
        let facts = self.state.rules.facts(&call.declared.name);
        let ms_max = facts.map_or(self.state.spec.limits.tool_ms_max, |facts| facts.ms_max);
        let assignment = self.assignment(&call.declared, raw);
        Ok(Box::pin(async move {
            let (Some(executors), Some(assignment)) = (&host.executors, assignment) else {
                return (place, Err(ExecutorError::TargetUnavailable));
            };
            let reply = within(&*host.clock, ms_max, executors.execute(assignment.action())).await;
            (place, reply.unwrap_or_else(|silent| Err(silent.into())))
        }))
    }

    fn assignment(&self, declared: &CallDeclared, raw: &RawCall) -> Option<Assignment> {
        let declaration = self.state.rules.tools.catalog.get(&declared.name);
        Some(Assignment {
            call: raw.prepared.clone()?,
            executor: declaration.map_or(DeclaredExecutor::Host, ToolDeclaration::executor),
            runtime: declaration.map(ToolDeclaration::runtime).cloned().unwrap_or_default(),
            context: raw.context.clone(),
            run: self.state.spec.run.clone(),
            key: decide::idempotency_key(&self.state, declared),
        })
    }

    /// Whoever must answer has the question before the run waits for it. Asked again after a crash, it is
    /// the same question.
    async fn keep_questions(&self, decided: Decided) -> Kinds {
        if decided.client_request.is_none() && decided.proposal.is_none() {
            return Ok(decided.kinds);
        }
        Box::pin(self.store_questions(decided)).await
    }

    async fn store_questions(&self, decided: Decided) -> Kinds {
        if let (Some(request), Some(requests)) = (&decided.client_request, &self.host.client_requests) {
            requests.create(ClientToolRecord(json::into_object(request.to_value()))).await?;
        }
        if let (Some(action), Some(approvals)) = (&decided.proposal, &self.host.approvals) {
            match approvals.store(PendingAction::clone(action)).await {
                Ok(()) | Err(StoreActionError::Taken { .. }) => {}
                Err(StoreActionError::Storage(fault)) => return Err(fault.into()),
            }
        }
        Ok(decided.kinds)
    }

    fn call(&self, place: usize) -> Option<(&BatchCall, &RawCall)> {
        Some((self.state.batch.call(place)?, self.raw.get(place)?))
    }
}

/// Why a call would fail, when its preview says so: the code and the reason.
fn refusal(preview: &Value) -> Option<(&str, &str)> {
    let text = |key: &str| preview.get(key).and_then(Value::as_str);
    text("type").filter(|kind| *kind == "refused")?;
    Some((text("code").unwrap_or("would_fail"), text("reason").unwrap_or_default()))
}

/// Raw parameters live in this process only; whoever lost track of them stops.
fn lost(place: usize) -> RunError {
    let reason = format!("the parameters of call {} of the turn are gone", place + 1);
    ContractError::whole("invalid_agent_conversation_loop", &reason).into()
}
