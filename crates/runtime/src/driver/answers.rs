//! What came from outside: decisions, clients' results, messages, and the wish to stop.

use provost_contract::approval::PendingActionStatus;
use provost_contract::{Message, json, timestamp};
use serde_json::Value;

use super::{Run, RunError};
use crate::engine::decide::{self, Answer};
use crate::engine::{BatchCall, CancelAsked, Kind, MessageQueued, Remember, Stage, WaitsFor};
use crate::port::{ClientToolTransition, Decided, Posted, RememberedApproval, Signal};

const MAIL_MAX: usize = 64;

impl Run<'_> {
    /// The answers there are for the calls that wait.
    pub(super) async fn answers(&self) -> Result<Vec<(usize, Answer)>, RunError> {
        let mut answers = Vec::new();
        for (place, call) in self.state.batch.in_stage(Stage::Waiting) {
            if let Some(answer) = self.answer(place, call).await? {
                answers.push((place, answer));
            }
        }
        Ok(answers)
    }

    pub(super) async fn take_in_answers(&mut self, answers: Vec<(usize, Answer)>) -> Result<(), RunError> {
        for (place, (kind, raw)) in answers {
            if let (Some(raw), Some(slot)) = (raw, self.raw.get_mut(place)) {
                *slot = raw;
            }
            self.keep_in_mind(place, &kind).await?;
            let kind = self.diagnosed(kind).await;
            self.record(kind)?;
        }
        Ok(())
    }

    /// What is to outlive the run is kept before the run goes on with it; kept again after a crash, it is
    /// the same word.
    async fn keep_in_mind(&self, place: usize, kind: &Kind) -> Result<(), RunError> {
        let Some(memory) = &self.host.memory else { return Ok(()) };
        let Some(word) = self.said_for_ever(place, kind) else { return Ok(()) };
        // The first word stays, unless it is of somebody who may not decide any more.
        if memory.recall(&word.question).await?.is_some_and(|known| !self.still_counts(&known)) {
            memory.forget(&word.question).await?;
        }
        Ok(memory.remember(word).await?)
    }

    fn said_for_ever(&self, place: usize, kind: &Kind) -> Option<RememberedApproval> {
        let Kind::CallApproved(approved) = kind else { return None };
        let call = self.state.batch.call(place).filter(|_| approved.remember == Remember::Always)?;
        let WaitsFor::Approval(proposal) = &call.waits.as_ref()?.waits_for else { return None };
        let question = self.state.spec.about.question(&call.declared.name, proposal.asked_by()?)?;
        let said = |key: &str| json::text(&approved.approval, key).map(str::to_owned);
        let (by, at) = (said("by").unwrap_or_default(), said("at").unwrap_or_else(|| self.now()));
        Some(RememberedApproval { question, by, at, run: self.state.spec.run.clone() })
    }

    /// A question that was taken back for what somebody said instead has no answer of its own, also when
    /// the process died before that was written down: it is heard next.
    async fn answer(&self, place: usize, call: &BatchCall) -> Result<Option<Answer>, RunError> {
        let Some(waits) = &call.waits else { return Ok(None) };
        match &waits.waits_for {
            WaitsFor::Approval(proposal) | WaitsFor::Doubt(proposal) => {
                let Some(approvals) = &self.host.approvals else { return Ok(None) };
                if proposal.expires_at().is_some_and(|end| timestamp::is_not_after(end, &self.now())) {
                    approvals.expire(&self.now()).await?;
                }
                let action = approvals.get(proposal.action_id(), Decided::Included).await?;
                let Some(action) = action.map(Box::new) else { return Ok(None) };
                let taken_back = match action.status() {
                    PendingActionStatus::Deleted => self.has_mail().await?,
                    PendingActionStatus::Accepted => self.was_spoken_to(action.resolved_at()).await?,
                    PendingActionStatus::Pending
                    | PendingActionStatus::Rejected
                    | PendingActionStatus::Expired => false,
                };
                if taken_back {
                    return Ok(None);
                }
                Ok(decide::decided(&self.state, &self.turn_context, place, call, &action)?)
            }
            WaitsFor::Client(request) => {
                let id = request.get("request_id").and_then(|id| id.as_str()).unwrap_or_default();
                let Some(requests) = &self.host.client_requests else { return Ok(None) };
                let Some(record) = requests.get(id).await? else { return Ok(None) };
                if record.is_overdue(&self.now()) {
                    requests.transition(id, ClientToolTransition::timed_out()).await?;
                }
                let Some(record) = requests.get(id).await? else { return Ok(None) };
                if !record.is_pending() && record.result().is_none() && self.has_mail().await? {
                    return Ok(None);
                }
                let kind = decide::answered_by_client(&self.state, place, call, &record);
                Ok(kind.map(|kind| (kind, None)))
            }
        }
    }

    /// Whether somebody had spoken by then, and was not heard yet: a yes to a question that was taken back
    /// by that comes too late.
    async fn was_spoken_to(&self, by_then: Option<&str>) -> Result<bool, RunError> {
        let Some(by_then) = by_then.and_then(timestamp::unix_seconds) else { return Ok(false) };
        let mail = self.mail(self.state.heard).await?;
        Ok(mail.first().is_some_and(|posted| posted.at_ms.div_euclid(1_000) <= by_then))
    }

    /// Whether there is something in the inbox that was not heard.
    pub(super) async fn has_mail(&self) -> Result<bool, RunError> {
        Ok(!self.mail(self.state.heard).await?.is_empty())
    }

    /// Takes in everything that came; says whether there was anything.
    pub(super) async fn hear(&mut self) -> Result<bool, RunError> {
        let mail = self.mail(self.state.heard).await?;
        let any = !mail.is_empty();
        if any {
            Box::pin(self.take_in_mail(mail)).await?;
        }
        Ok(any)
    }

    /// Takes in what came up to the wish to stop, if there is one; other messages wait for the end of the
    /// turn.
    pub(super) async fn hear_cancel(&mut self) -> Result<(), RunError> {
        let Some(asked) = self.cancel_behind(self.state.heard).await? else { return Ok(()) };
        self.in_flight.stop_all();
        while self.state.heard < asked {
            let mut mail = self.mail(self.state.heard).await?;
            mail.retain(|posted| posted.place <= asked);
            if mail.is_empty() {
                break;
            }
            self.take_in_mail(mail).await?;
        }
        Ok(())
    }

    /// The place of the first wish to stop behind a place, however much was said before it.
    async fn cancel_behind(&self, mut place: u64) -> Result<Option<u64>, RunError> {
        loop {
            let mail = self.mail(place).await?;
            if let Some(asked) = mail.iter().find(|posted| is_cancel(posted)) {
                return Ok(Some(asked.place));
            }
            let Some(last) = mail.last() else { return Ok(None) };
            place = last.place;
        }
    }

    /// Resolves when somebody wants the run stopped; never without an inbox. Whoever waits for that keeps
    /// hold of the session, however long the turn takes.
    ///
    /// # Cancel safety
    /// Dropping it loses nothing.
    pub(super) async fn cancel_arrives(&self) -> Result<(), RunError> {
        if self.token.is_none() {
            return self.cancel_posted().await;
        }
        Box::pin(async {
            tokio::select! {
                biased;
                asked = self.cancel_posted() => asked,
                never = self.keep_session() => match never {},
            }
        })
        .await
    }

    async fn cancel_posted(&self) -> Result<(), RunError> {
        let Some(inbox) = &self.host.inbox else { return std::future::pending().await };
        let mut looked = self.state.heard;
        loop {
            inbox.arrived(&self.writer.run, looked).await?;
            let mail = self.mail(looked).await?;
            if mail.iter().any(is_cancel) {
                return Ok(());
            }
            looked = mail.last().map_or(looked, |posted| posted.place);
        }
    }

    async fn mail(&self, after: u64) -> Result<Vec<Posted>, RunError> {
        let Some(inbox) = &self.host.inbox else { return Ok(Vec::new()) };
        Ok(inbox.read(&self.writer.run, after, MAIL_MAX).await?)
    }

    async fn take_in_mail(&mut self, mail: Vec<Posted>) -> Result<(), RunError> {
        for Posted { place, by, signal, .. } in mail {
            self.withdraw_questions(&by).await;
            match signal {
                Signal::Message(said) => {
                    let message = message(&said).into();
                    self.record(MessageQueued { place, by, message }.into())?;
                }
                Signal::Cancel { reason } => self.record(CancelAsked { place, by, reason }.into())?,
            }
        }
        Ok(())
    }

    /// Who speaks instead of answering takes the questions back: nobody decides about them any more.
    async fn withdraw_questions(&self, by: &str) {
        for (_, call) in self.state.batch.in_stage(Stage::Waiting) {
            match call.waits.as_ref().map(|waits| &waits.waits_for) {
                Some(WaitsFor::Approval(proposal) | WaitsFor::Doubt(proposal)) => {
                    if let Some(approvals) = &self.host.approvals {
                        // A decision that came first stays on record.
                        drop(approvals.delete(proposal.action_id(), by, &self.now()).await);
                    }
                }
                Some(WaitsFor::Client(request)) => {
                    let id = request.get("request_id").and_then(|id| id.as_str()).unwrap_or_default();
                    if let Some(requests) = &self.host.client_requests {
                        drop(requests.transition(id, ClientToolTransition::timed_out()).await);
                    }
                }
                None => {}
            }
        }
    }

    /// This moment as records write it.
    pub(super) fn now(&self) -> String {
        timestamp::iso8601(self.host.clock.now_ms().div_euclid(1_000))
    }
}

/// Whoever posts checks the message; what is none all the same is heard as it was said.
fn message(said: &Value) -> Message {
    Message::parse(said).unwrap_or_else(|_| Message::text("user", said.to_string()))
}

fn is_cancel(posted: &Posted) -> bool {
    matches!(posted.signal, Signal::Cancel { .. })
}
