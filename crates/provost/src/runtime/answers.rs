//! Open waits, and how they are answered.

use std::collections::BTreeMap;

use provost_contract::json::{self, Object};
use provost_contract::tool::{RuntimeMetadata, ToolResult};
use provost_engine::event::{ActionEnd, Answer, Decision as Said, WaitKind};
use provost_engine::view::{self, Pending};
use provost_engine::{Actor, Covers, Payload, RunId, StandingApproval, Time, Usage, WaitId, WorldEffect};
use provost_runtime::port::Fault;
use provost_runtime::store::{Wait, WaitFilter};
use serde_json::Value;

use super::decision::{ClientResult, DecideError, Decision, Remember, Verdict};
use super::standing::{revoke_standing, unfit_to_remember};
use super::start::unknown;
use super::{RunHandle, Runtime, WorkError};

/// The page size for reading waits.
const PAGE: usize = 256;

/// A call that a client executes.
///
/// ```
/// # async fn example(runtime: &provost::Runtime) -> Result<(), provost::WorkError> {
/// for request in runtime.client_requests().await? {
///     println!("{} wants {} of {:?}", request.run, request.tool, request.arguments);
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct ClientRequest {
    /// The wait that the result is submitted to.
    pub wait: WaitId,
    /// The run.
    pub run: RunId,
    /// The tool.
    pub tool: String,
    /// The id of the call, given by the model or provider.
    pub call: String,
    /// The arguments, including secrets that are still available.
    pub arguments: Object,
    /// When the wait expires.
    pub due: Option<Time>,
}

impl Runtime {
    /// Returns the questions that wait for a person's decision, in the order in which they were asked:
    /// approvals, and calls in doubt, which may or may not have taken effect. An expired question is not
    /// among them.
    ///
    /// ```
    /// # async fn example(runtime: &provost::Runtime) -> Result<(), provost::WorkError> {
    /// for pending in runtime.pending().await? {
    ///     println!("{}: may {} run with {:?}?", pending.wait, pending.tool, pending.arguments);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// If a run cannot be read, or the store fails.
    pub async fn pending(&self) -> Result<Vec<Pending>, WorkError> {
        let mut all = Vec::new();
        for kind in ["approval", "in_doubt"] {
            all.extend(self.open(WaitFilter { kind: Some(kind.to_owned()), ..WaitFilter::default() }).await?);
        }
        all.sort_by_key(|pending| (pending.asked_at, pending.wait.number));
        Ok(all)
    }

    /// Returns all unanswered waits of a run.
    ///
    /// ```
    /// # async fn example(runtime: &provost::Runtime, run: &provost::RunId) -> Result<(), provost::WorkError> {
    /// let open = runtime.waits(run).await?.len();
    /// # drop(open);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// If the run cannot be read, or the store fails.
    pub async fn waits(&self, run: &RunId) -> Result<Vec<Pending>, WorkError> {
        self.open(WaitFilter { run: Some(run.clone()), ..WaitFilter::default() }).await
    }

    async fn open(&self, filter: WaitFilter) -> Result<Vec<Pending>, WorkError> {
        let (mut all, mut after) = (Vec::new(), None);
        loop {
            let page = self.0.store.waits(filter.clone(), after, PAGE).await?;
            for wait in &page.items {
                all.extend(self.pending_of(&wait.row.wait).await?);
            }
            let Some(next) = page.next else { break };
            after = Some(next);
        }
        // A wait whose time is over accepts no answer any more, even if no worker has settled it yet.
        let now = Time(self.0.host.clock.now_ms());
        all.retain(|pending| pending.due.is_none_or(|due| due > now));
        Ok(all)
    }

    /// Returns the question of a wait, as recorded in the journal.
    async fn pending_of(&self, wait: &WaitId) -> Result<Vec<Pending>, WorkError> {
        let read = self.runs().await?.read(&wait.run).await.map_err(unknown)?;
        let waits = view::waits(&read.agent, &read.history, &read.events);
        let mut waits = waits.map_err(provost_runtime::actor::LoadError::from)?;
        waits.retain(|pending| pending.wait == *wait);
        Ok(waits)
    }

    /// Answers a question and continues its run. The first answer wins. The wait is a [`WaitId`], or its text.
    ///
    /// ```
    /// # async fn example(runtime: &provost::Runtime, outcome: provost::Outcome) -> Result<(), provost::DecideError> {
    /// let run = runtime.decide(&outcome.waits[0].wait, provost::Decision::approve("user:grace")).await?;
    /// println!("{} goes on", run.run());
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// If no such wait is open, another answer was first, or this answer is not permitted.
    pub async fn decide(&self, wait: impl ToString, decision: Decision) -> Result<RunHandle, DecideError> {
        let run = self.record_decision(wait, decision).await?;
        self.runs().await?.dispatcher.ask(&run);
        Ok(self.handle(run))
    }

    /// Answers a question. A worker continues the run.
    ///
    /// ```
    /// # async fn example(runtime: &provost::Runtime) -> Result<(), provost::DecideError> {
    /// runtime.record_decision("run-1/1", provost::Decision::reject("user:grace", "too dear")).await?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// If no such wait is open, another answer was first, or this answer is not permitted.
    pub async fn record_decision(
        &self,
        wait: impl ToString,
        decision: Decision,
    ) -> Result<RunId, DecideError> {
        let (wait, asked) = self.asked(&wait.to_string()).await?;
        let first = asked.first().ok_or_else(|| DecideError::Unknown(wait.to_string()))?;
        let by = decision.actor();
        self.check(first, &decision).await?;
        let (answer, edit) = answer_of(&asked, first, &decision, Time(self.0.host.clock.now_ms()))?;
        let runs = self.runs().await?;
        let given = runs.answer(&wait, &answer, by.clone(), edit.as_ref()).await;
        given.map_err(|error| DecideError::of(&wait, &by, error))?;
        Ok(wait.run)
    }

    /// Returns the question of a wait, or an error with the name of the person who answered it.
    async fn asked(&self, id: &str) -> Result<(WaitId, Vec<Pending>), DecideError> {
        let wait: WaitId = id.parse().map_err(|_| DecideError::Unknown(id.to_owned()))?;
        let stored = self.0.store.wait(wait.clone()).await?;
        let stored = stored.ok_or_else(|| DecideError::Unknown(id.to_owned()))?;
        if let Some(late) = late(&wait, &stored) {
            return Err(late);
        }
        let asked = self.pending_of(&wait).await.map_err(|error| match error {
            WorkError::Runs(error) => DecideError::Runs(error),
            _ => DecideError::Unknown(id.to_owned()),
        })?;
        Ok((wait, asked))
    }

    async fn check(&self, asked: &Pending, decision: &Decision) -> Result<(), DecideError> {
        let wait = asked.wait.clone();
        let listed = self.0.store.run(wait.run.clone()).await?;
        let agent = listed.map(|listed| format!("agent:{}", listed.row.agent)).unwrap_or_default();
        if decision.by == agent {
            return Err(DecideError::OwnProposal { wait, by: agent });
        }
        if decision.by.trim().is_empty() {
            return Err(DecideError::NoPerson(wait));
        }
        let unfit = |asks| Err(DecideError::Unfit { wait: wait.clone(), asks });
        let remembers = decision.remember != Remember::No || decision.covers != Covers::Tool;
        let is_declined = decision.verdict == Verdict::Rejected;
        match asked.kind {
            WaitKind::Approval { .. } | WaitKind::InDoubt { .. }
                if is_declined && (decision.parameters.is_some() || decision.result.is_some()) =>
            {
                unfit(
                    "is declined, so other arguments or a result have no meaning: leave them out, or approve",
                )
            }
            WaitKind::Approval { .. } if remembers && asked.person_only => {
                Err(DecideError::ExactlyThisCall(wait))
            }
            WaitKind::Approval { .. } if decision.result.is_some() => {
                unfit("asks whether a call may run, not what became of it")
            }
            WaitKind::Approval { .. } if remembers => match unfit_to_remember(asked, decision) {
                Some(asks) => unfit(asks),
                None => Ok(()),
            },
            WaitKind::InDoubt { .. } if remembers || decision.parameters.is_some() => {
                unfit("asks what became of one call: nothing is remembered or changed")
            }
            WaitKind::Approval { .. } | WaitKind::InDoubt { .. } => Ok(()),
            WaitKind::Client | WaitKind::Question | WaitKind::Input => {
                unfit("asks for a result: use Runtime::submit")
            }
            WaitKind::Child { .. } | WaitKind::Timer | WaitKind::Signal { .. } => {
                unfit("is not answered by people")
            }
        }
    }

    /// Returns the calls that wait for a client, in the order in which they were asked.
    ///
    /// ```
    /// # async fn example(runtime: &provost::Runtime) -> Result<(), provost::WorkError> {
    /// let calls = runtime.client_requests().await?;
    /// # drop(calls);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// If a run cannot be read, or the store fails.
    pub async fn client_requests(&self) -> Result<Vec<ClientRequest>, WorkError> {
        let filter = WaitFilter { kind: Some("client".to_owned()), ..WaitFilter::default() };
        let mut all = Vec::new();
        for pending in self.open(filter).await? {
            let run = pending.wait.run.clone();
            let raw = self.runs().await?.raw(&run, pending.action).await.map_err(unknown)?;
            all.push(ClientRequest {
                run,
                tool: pending.tool,
                call: pending.label,
                arguments: raw.unwrap_or(pending.arguments),
                due: pending.due,
                wait: pending.wait,
            });
        }
        Ok(all)
    }

    /// Submits a client's result and continues the run. The first result wins. The wait is a [`WaitId`], or its
    /// text.
    ///
    /// ```
    /// # async fn example(runtime: &provost::Runtime, request: provost::ClientRequest) -> Result<(), provost::DecideError> {
    /// runtime.submit(&request.wait, provost::ClientResult::ok("green")).await?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// If no such wait is open, another result was first, or the wait expired.
    pub async fn submit(&self, wait: impl ToString, result: ClientResult) -> Result<RunHandle, DecideError> {
        let run = self.record_result(wait, result).await?;
        self.runs().await?.dispatcher.ask(&run);
        Ok(self.handle(run))
    }

    /// Submits a client's result. A worker continues the run.
    ///
    /// ```
    /// # async fn example(runtime: &provost::Runtime) -> Result<(), provost::DecideError> {
    /// runtime.record_result("run-1/1", provost::ClientResult::failed("the tab was closed")).await?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// If no such wait is open, another result was first, or the wait expired.
    pub async fn record_result(
        &self,
        wait: impl ToString,
        result: ClientResult,
    ) -> Result<RunId, DecideError> {
        let (wait, asked) = self.asked(&wait.to_string()).await?;
        let first = asked.first().ok_or_else(|| DecideError::Unknown(wait.to_string()))?;
        if !matches!(first.kind, WaitKind::Client | WaitKind::Question | WaitKind::Input) {
            let asks = "asks for a decision: use Runtime::decide";
            return Err(DecideError::Unfit { wait, asks });
        }
        let runs = self.runs().await?;
        let answer = result_of(&first.tool, &result.outcome);
        let given = runs.answer(&wait, &answer, result.by.clone(), None).await;
        given.map_err(|error| DecideError::of(&wait, &result.by, error))?;
        Ok(wait.run)
    }

    /// Returns the standing approvals of a workspace.
    ///
    /// ```
    /// # async fn example(runtime: &provost::Runtime) -> Result<(), provost::Fault> {
    /// for approval in runtime.standing("acme").await? {
    ///     println!("{}", approval.scope);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// If the store fails.
    pub async fn standing(&self, workspace: &str) -> Result<Vec<StandingApproval>, Fault> {
        self.0.store.standing(workspace.to_owned()).await
    }

    /// Revokes a standing approval, named by its [`scope`](StandingApproval::scope): its question is asked
    /// again, also in active runs. Returns whether it was in force.
    ///
    /// ```
    /// # async fn example(runtime: &provost::Runtime, scope: &str) -> Result<(), provost::Fault> {
    /// let by = provost::Actor::new(provost::ActorKind::Person, "user:grace");
    /// let held = runtime.revoke("acme", scope, by).await?;
    /// # drop(held);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// If the store fails.
    pub async fn revoke(&self, workspace: &str, scope: &str, by: impl Into<Actor>) -> Result<bool, Fault> {
        let held = revoke_standing(&*self.0.store, workspace, scope, by).await?;
        if let Some(runs) = self.0.runs.get() {
            runs.dispatcher.ring();
        }
        Ok(held)
    }
}

fn late(wait: &WaitId, stored: &Wait) -> Option<DecideError> {
    let wait = wait.clone();
    if let Some(settled) = &stored.settled {
        let (how, by, at) = (settled.how.clone(), Box::new(settled.by.clone()), settled.at);
        return Some(DecideError::Late { wait, how, by, at });
    }
    let answered = stored.answered.as_ref()?;
    Some(DecideError::answered(wait, answered.by.clone(), answered.at))
}

/// Returns the answer for a decision, and the raw arguments that it changes.
fn answer_of(
    asked: &[Pending],
    first: &Pending,
    decision: &Decision,
    now: Time,
) -> Result<(Answer, Option<Object>), DecideError> {
    let reason = decision.reason.clone();
    if first.in_doubt {
        let answer = match (decision.verdict, &decision.result) {
            (Verdict::Approved, Some(result)) => {
                Answer::Happened { payload: Payload::inline(result.clone()), reason }
            }
            (Verdict::Approved, None) => Answer::Again { reason },
            (Verdict::Rejected, _) => Answer::Leave { reason },
        };
        return Ok((answer, None));
    }
    let said = match decision.verdict {
        Verdict::Approved => Said::Approve { edit: None },
        Verdict::Rejected => Said::Reject { reason: reason.clone() },
    };
    let verdicts: BTreeMap<_, _> = asked.iter().map(|pending| (pending.action, said.clone())).collect();
    let remember = decision.remember.to_engine(decision.covers.clone(), now);
    let answer = Answer::Verdicts { verdicts, remember, binding: first.binding, reason };
    Ok((answer, decision.parameters.clone()))
}

/// Converts a client's result to the recorded result of a call.
fn result_of(tool: &str, outcome: &Result<Value, String>) -> Answer {
    let (status, result) = match outcome {
        Ok(result) => {
            let wire = serde_json::json!({ "success": true, "tool_name": tool, "result": result });
            (ActionEnd::Completed, ToolResult::parse(&wire))
        }
        Err(error) => {
            let metadata = json::into_object(serde_json::json!({ "error_type": "client_failed" }));
            (ActionEnd::Failed, ToolResult::failure(tool, error, metadata, RuntimeMetadata::default()))
        }
    };
    Answer::Result {
        payload: Payload::inline(result.map(|result| result.to_object()).unwrap_or_default()),
        status,
        satisfying: outcome.is_ok(),
        effect: WorldEffect::Done,
        usage: Usage::default(),
    }
}
