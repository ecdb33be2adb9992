//! Inputs. One that does not match an open effect of the current epoch produces nothing: late and
//! duplicate answers are harmless.

use std::sync::Arc;

use super::ask::number;
use super::{Done, Input, ModelAnswer, ModelFault, ModelResponse, Reaction, Unread};
use crate::defect::{self, Defect};
use crate::event::{
    ActionNoted, ActionSpec, DeclarationAccepted, EndedBy, Hook, HookAnswer, HookAnswered, ModelFailed,
    ModelResponded, NextModel, Origin, Outcome, Parsed, Purpose, RunClaimed, RunStopping, Step, Stop,
};
use crate::react::wanted_hooks;
use crate::state::{Action, Holder, OpenRequest, Stage};
use crate::{ActionId, Actor, Digest, Epoch, Fault, Payload, StandingApproval, Usage, WorkerId};

/// How many claims in a row without progress end a run.
const CLAIMS_MAX: u32 = 3;

impl Reaction<'_> {
    pub(super) fn handle(&mut self, input: Input) -> Done {
        match input {
            Input::Claimed { epoch, worker, compiled, policy, standing } => {
                self.claimed(epoch, worker, compiled, policy, standing)
            }
            Input::Signals(signals) => signals.into_iter().try_for_each(|signal| self.signal(signal)),
            _ if self.state.ended.is_some() => Ok(()),
            Input::Model { request, answer } => self.model(request, answer),
            Input::Hook { hook, subject, answer } => {
                if !wanted_hooks(self.state, self.now).contains(&(hook, subject)) {
                    return Ok(());
                }
                // Once the work is called done, nothing more is said about the results of its turn.
                let done = hook == Hook::Completion && self.state.is_called_done();
                let answer = match answer {
                    _ if done => HookAnswer::NoOpinion,
                    HookAnswer::Message { messages, .. } if messages.is_empty() => HookAnswer::NoOpinion,
                    answer => answer,
                };
                self.emit(HookAnswered { hook, subject, answer })
            }
            Input::Preview { action, preview, expect } => self.preview(action, preview, expect),
            Input::Outcome { action, attempt, outcome, usage } => {
                if self.is_open(action, attempt) {
                    return self.close(action, outcome, usage, (EndedBy::Executor, Actor::runtime()));
                }
                Ok(())
            }
            Input::Note { action, attempt, note } => match self.is_open(action, attempt) {
                true => self.emit(ActionNoted { action, attempt, note }),
                false => Ok(()),
            },
            Input::Recovered { action, attempt, gone, probe, result } => {
                self.recovered(action, attempt, Outcome::Lost { gone, probe, result })
            }
            Input::Bridge { action, attempt, number, call } => self.bridge(action, attempt, number, *call),
            Input::Tick => Ok(()),
        }
    }

    /// Whether an attempt of this epoch is open and has no wait.
    fn is_open(&self, id: ActionId, attempt: u32) -> bool {
        let open = |action: &Action| {
            let matches = action.attempt == attempt && action.attempt_epoch == self.state.epoch;
            action.stage == Stage::Running
                && action.wait.is_none()
                && !action.is_container()
                && (matches || defect::is(Defect::OutcomesUnmatched))
        };
        self.state.action(id).is_some_and(open)
    }

    fn claimed(
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
        let interrupted = self.state.open_actions().any(|(_, action)| {
            action.stage == Stage::Running && action.wait.is_none() && action.attempt_epoch < self.state.epoch
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

    fn model(&mut self, request: u32, answer: ModelAnswer) -> Done {
        let epoch = self.state.epoch;
        let open = self.state.model.open.filter(|open| open.request == request && open.epoch == epoch);
        let Some(open) = open else { return Ok(()) };
        match answer {
            ModelAnswer::Responded(response) => self.responded(open, *response),
            ModelAnswer::Failed(fault) => self.model_failed(open, *fault),
        }
    }

    fn responded(&mut self, open: OpenRequest, response: ModelResponse) -> Done {
        // A provider that does not count gives nothing away: what was set aside is spent.
        let reserved = || self.state.ledger.reservation(Holder::Request(open.request));
        let usage = response.usage.unwrap_or_else(reserved);
        let (output, output_fault) = match response.output {
            None => (None, None),
            Some(Ok(output)) => (Some(output), None),
            Some(Err(fault)) => (None, Some(fault)),
        };
        let deferred = self.state.spec.hooks.after_model && open.purpose == Purpose::Turn;
        let (calls, declaration) = (response.calls, response.declaration);
        let mut responded = ModelResponded {
            request: open.request,
            messages: response.messages,
            calls: Vec::new(),
            declaration: None,
            malformed: response.malformed,
            finish: response.finish,
            usage,
            provider: response.provider,
            output,
            host: response.host,
        };
        if deferred {
            // What does not fit its schema is refused once the hook has spoken.
            let unfit = output_fault.map(|fault| Parsed::Malformed { fault });
            responded.calls = calls;
            responded.declaration = unfit.or(declaration).map(Box::new);
        } else {
            self.unread = Some(Unread { calls, declaration, output_fault });
        }
        self.emit_by(Self::model_actor(), responded)
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

    fn preview(&mut self, id: ActionId, preview: Result<Payload, Fault>, expect: Vec<Digest>) -> Done {
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

    fn recovered(&mut self, id: ActionId, attempt: u32, outcome: Outcome) -> Done {
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
    fn bridge(&mut self, id: ActionId, attempt: u32, call: u32, spec: ActionSpec) -> Done {
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
