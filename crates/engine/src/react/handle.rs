//! Inputs other than responses and outcomes: claims, failed model calls, previews, recovered attempts and the
//! calls of programs.

use std::sync::Arc;

use super::ask::number;
use super::{Done, ModelFault, Reaction};
use crate::defect::{self, Defect};
use crate::event::{
    ActionSpec, DeclarationAccepted, EndedBy, ModelFailed, NextModel, Origin, Outcome, Purpose, RunClaimed,
    RunStopping, Step, Stop,
};
use crate::react::is_startable;
use crate::state::{Action, Holder, OpenRequest, Stage};
use crate::{ActionId, Actor, Digest, Epoch, Fault, Payload, StandingApproval, Time, Usage, WorkerId};

/// How many claims in a row without progress end a run.
const CLAIMS_MAX: u32 = 3;

impl Reaction<'_> {
    /// Whether an attempt of this epoch is open and has no wait.
    pub(super) fn is_open(&self, id: ActionId, attempt: u32) -> bool {
        let open = |action: &Action| {
            let matches = action.attempt == attempt && action.attempt_epoch == self.state.epoch;
            action.stage == Stage::Running
                && action.wait.is_none()
                && !action.is_container()
                && (matches || defect::is(Defect::OutcomesUnmatched))
        };
        self.state.action(id).is_some_and(open)
    }

    pub(super) fn claimed(
        &mut self,
        epoch: Epoch,
        worker: WorkerId,
        compiled: Digest,
        policy: Digest,
        standing: Vec<StandingApproval>,
    ) -> Done {
        self.emit_in(epoch, Actor::runtime(), RunClaimed { worker, compiled, policy, standing })?;
        if let Some(open) = self.state.model.open {
            let fault = ModelFault::new("lost", "The process died while the model was asked.");
            self.model_failed(open, ModelFault { retry_in_ms: Some(0), ..fault })?;
        }
        if self.state.claims > CLAIMS_MAX && self.state.ended.is_none() && self.state.stops.is_empty() {
            let stop = Stop::Interrupted { code: "crash_loop".into(), message: None };
            self.emit(RunStopping { stop })?;
        }
        self.claimed = true;
        self.drop_ephemeral()
    }

    /// After an interruption, actions of this process only that have not begun are not run any more.
    fn drop_ephemeral(&mut self) -> Done {
        let interrupted = self.state.open_actions().any(|(id, action)| {
            let under_way = action.stage == Stage::Running
                && action.wait.is_none()
                && action.attempt_epoch < self.state.epoch
                && !action.is_container();
            let never_began = !action.holds && action.not_before == Time(0) && self.state.epoch > Epoch(1);
            under_way || (never_began && is_startable(self.state, id, action))
        });
        if !interrupted || self.state.ended.is_some() {
            return Ok(());
        }
        let ephemeral: Vec<ActionId> = self
            .state
            .open_actions()
            .filter(|(_, action)| {
                !action.spec.persist
                    && !action.holds
                    && action.wait.is_none()
                    && action.stage == Stage::Pending
            })
            .map(|(id, _)| id)
            .collect();
        for id in ephemeral {
            let Some(action) = self.state.action(id) else { continue };
            let result = super::words::cancelled(action, None, false);
            let ending = super::end::Ending::cancelled("ephemeral_interrupted", EndedBy::Engine);
            self.end(id, ending.result(result))?;
        }
        Ok(())
    }

    /// A model call gave no response. It is tried again, with the next model, as far as that may help.
    pub(super) fn model_failed(&mut self, open: OpenRequest, failed: ModelFault) -> Done {
        let ModelFault { fault, usage, retry_in_ms, diagnostics } = failed;
        let reserved = self.state.ledger.reservation(Holder::Request(open.request));
        let limit = self.state.spec.limits.model_failures;
        let models = u32::try_from(self.state.agent.spec.models.len()).unwrap_or(u32::MAX).max(1);
        let room = self.state.model.failures + 1 < limit && !self.state.is_stopping();
        let fallback = open.model + 1 < models;
        let again = room && (retry_in_ms.is_some() || fallback) && open.purpose == Purpose::Turn;
        let next = again.then(|| NextModel {
            model: if fallback { open.model + 1 } else { open.model },
            attempt: open.attempt + 1,
            not_before: self.now.wall.plus_ms(retry_in_ms.unwrap_or_default()),
        });
        let failed = ModelFailed {
            request: open.request,
            fault: fault.clone(),
            usage: usage.unwrap_or(reserved),
            next,
            diagnostics,
        };
        self.emit(failed)?;
        if next.is_none() && open.purpose == Purpose::Turn && !self.state.is_stopping() {
            return self.emit(RunStopping { stop: Stop::Failed { fault } });
        }
        Ok(())
    }

    pub(super) fn preview(
        &mut self,
        id: ActionId,
        preview: Result<Payload, Fault>,
        expect: Vec<Digest>,
    ) -> Done {
        if !super::wanted_previews(self.state, self.now).contains(&id) {
            return Ok(());
        }
        let Some(action) = self.state.action(id) else { return Ok(()) };
        match preview {
            Ok(preview) => {
                let ruling = self.state.ruling(action);
                self.ask_for_approval(vec![(id, ruling)], Some(preview), expect)
            }
            Err(fault) => {
                let sentence = format!("Not run, and no person was asked: it would fail: {}", fault.message);
                let result = super::words::failure(action, &fault.code, &sentence, serde_json::json!({}));
                let ending = super::end::Ending::failed(fault.code, EndedBy::Preparation);
                self.end(id, ending.result(result))
            }
        }
    }

    pub(super) fn recovered(&mut self, id: ActionId, attempt: u32, outcome: Outcome) -> Done {
        let orphaned = self.state.action(id).is_some_and(|action| {
            action.stage == Stage::Running
                && action.attempt == attempt
                && action.attempt_epoch < self.state.epoch
                && action.wait.is_none()
        });
        if orphaned {
            return self.close(id, outcome, Usage::default(), (EndedBy::Engine, Actor::runtime()));
        }
        Ok(())
    }

    /// A program calls a tool out of its sandbox.
    pub(super) fn bridge(&mut self, id: ActionId, attempt: u32, call: u32, spec: ActionSpec) -> Done {
        let open = self.is_open(id, attempt)
            && !self.state.is_stopping()
            && self.state.action(id).is_some_and(|action| !action.cancel && !action.is_applying());
        let origin = Origin::Bridge { action: id, attempt, number: call };
        let known = self.state.actions.values().any(|action| action.spec.origin == origin);
        if !open || known {
            return Ok(());
        }
        let declaration = self.state.declarations + 1;
        let step = Step { spec, depends_on: Vec::new(), when: Vec::new(), earlier: Vec::new() };
        let add: Vec<Arc<ActionSpec>> = number(vec![step], declaration, origin, Some(id));
        self.emit(DeclarationAccepted {
            declaration,
            origin,
            intent: "act".into(),
            add,
            cancel: Vec::new(),
            replace: Vec::new(),
            decide: Vec::new(),
            answer: None,
            title: None,
            note: None,
            violations: Vec::new(),
            price: Usage::default(),
            signature: None,
        })
    }
}
