//! The steps of a turn before its calls: the session, the transcript, the model.

use std::sync::atomic::Ordering;

use provost_contract::compaction::{Compaction, Plan};
use provost_contract::json::Object;

use super::Kinds;
use crate::driver::guard::within;
use crate::driver::{Run, RunError};
use crate::engine::{Kind, SessionContended, SessionLocked, SessionSpec, decide};
use crate::port::{Delta, Hearing, HostError, LockError, ModelError, TurnAnswer, TurnRequest};

impl Run<'_> {
    pub(super) async fn lock(&mut self, session: SessionSpec) -> Kinds {
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
        self.locked_at_ms.store(self.host.clock.now_ms(), Ordering::Relaxed);
        Ok(vec![SessionLocked { session: session.id }.into()])
    }

    /// What the turn before left is durable before a new one begins, and what came meanwhile is heard.
    pub(super) async fn start_turn(&mut self) -> Kinds {
        self.flush().await?;
        if self.hear().await? {
            return Ok(Vec::new());
        }
        if let Some(contended) = self.prolong_lock().await {
            return Ok(vec![contended]);
        }
        // Its room as well: most runs that wait, wait for the model.
        self.raw = Vec::new();
        let reserved = self.host.model.reserve(self.request());
        Ok(vec![decide::started(&self.state, self.host.clock.now_ms(), reserved)])
    }

    /// A lock that is a third over is prolonged; a run that lost its session stops.
    async fn prolong_lock(&mut self) -> Option<Kind> {
        let session = self.state.spec.session.clone().filter(|_| self.token.is_some())?;
        if self.host.clock.now_ms() < self.prolonged_at_ms(&session) {
            return None;
        }
        let kinds = self.lock(session).await.unwrap_or_default();
        kinds.into_iter().find(|kind| matches!(kind, Kind::SessionContended(_)))
    }

    pub(super) async fn compact(&mut self) -> Kinds {
        let Some((compaction, usage)) = self.compaction().await? else {
            Box::pin(self.hear_cancel()).await?;
            return Ok(Vec::new());
        };
        Ok(vec![decide::compacted(&self.state, compaction, usage)])
    }

    /// What the transcript became, if it had to change, and what that cost; none when the run was cancelled
    /// meanwhile, and nobody wants a summary.
    async fn compaction(&self) -> Result<Option<(Option<Compaction>, Object)>, RunError> {
        let for_nothing = |compaction| Ok(Some((compaction, Object::new())));
        let (pending, summariser) = match (decide::plan(&self.state), &self.host.summariser) {
            (Some(Plan::Finished(compaction)), _) => return for_nothing(Some(compaction)),
            (Some(Plan::Summarize(pending)), Some(summariser)) if self.state.may_sum_up() => {
                (pending, summariser)
            }
            (Some(Plan::Summarize(_)) | None, _) => return for_nothing(None),
        };
        let summary = summariser.summarise(pending.earlier(), pending.context());
        let summary = within(&*self.host.clock, self.state.spec.limits.model_ms_max, summary);
        let summary = tokio::select! {
            biased;
            summary = summary => summary,
            cancelled = self.cancel_arrives() => return cancelled.map(|()| None),
        };
        let summary = summary.unwrap_or_else(|silent| Err(HostError(silent.to_string())));
        let usage = summary.as_ref().map(|summary| summary.usage().clone()).unwrap_or_default();
        Ok(Some((Some(pending.finish(summary)), usage)))
    }

    pub(super) async fn call_model(&mut self) -> Kinds {
        self.state.count_in(&mut self.turn_context);
        let Some(answer) = self.answer_of_model().await? else {
            Box::pin(self.hear_cancel()).await?;
            return Ok(Vec::new());
        };
        match answer {
            Ok(answer) => {
                self.hearing().hear(Delta::Whole { text: answer.text(), usage: answer.usage() });
                let (kinds, raw) = decide::answered(&self.state, &self.turn_context, answer)?;
                self.raw = raw;
                Ok(kinds)
            }
            Err(error) => Ok(vec![decide::failed(&self.state, &error)]),
        }
    }

    /// Waits for the model; none when the run was cancelled meanwhile, and nobody wants the answer.
    async fn answer_of_model(&self) -> Result<Option<Result<TurnAnswer, ModelError>>, RunError> {
        let asked = self.host.model.turn(self.request());
        let answer = within(&*self.host.clock, self.state.spec.limits.model_ms_max, asked);
        tokio::select! {
            biased;
            answer = answer => Ok(Some(answer.unwrap_or_else(|silent| Err(silent.into())))),
            cancelled = self.cancel_arrives() => cancelled.map(|()| None),
        }
    }

    fn request(&self) -> TurnRequest<'_> {
        TurnRequest {
            turn: self.state.turn,
            turns_max: self.state.budgets.turns_max().unwrap_or(self.state.spec.max_turns),
            session: self.session(),
            messages: &self.state.history,
            tools: &self.state.rules.tools.catalog,
            context: &self.turn_context,
            model: &self.state.spec.model,
            structured_output: self.state.spec.structured_output.as_ref(),
            hearing: self.hearing(),
        }
    }

    fn hearing(&self) -> Hearing<'_> {
        let listener = self.host.deltas.as_deref();
        listener.map(|listener| Hearing::new(self.state.turn, listener)).unwrap_or_default()
    }
}
