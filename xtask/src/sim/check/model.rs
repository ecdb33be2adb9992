//! Turns, declarations and budgets.

use provost_engine::event::{
    DeclarationAccepted, Hook, HookAnswer, HookAnswered, Mode, ModelFailed, ModelRequested, ModelResponded,
    ModelUse, Origin, Purpose, ResponseRefused, RunEnded, Subject,
};
use provost_engine::{ActionId, Verdict, WorldEffect};

use super::{Seen, Watched};

impl Seen {
    pub(super) fn requested(&mut self, requested: &ModelRequested) -> Result<(), String> {
        if self.model.is_some() {
            return Err("two model calls at once".into());
        }
        if self.spec.model == ModelUse::None {
            return Err("a run without a model asks one".into());
        }
        if requested.request != self.requests + 1 {
            return Err("requests are counted one by one".into());
        }
        if self.unread.is_some() {
            return Err("a response was never interpreted".into());
        }
        let open = self.actions.iter().find(|(_, action)| action.end.is_none());
        if let (Some((id, _)), Mode::Plain) = (open, self.spec.mode) {
            return Err(format!("the model is asked while {id} has no result"));
        }
        if requested.purpose == Purpose::Turn {
            if !std::mem::take(&mut self.news) {
                return Err("the model is asked with nothing new".into());
            }
            if requested.attempt == 1 {
                self.turns += 1;
                let limit = self.budgets.get("turns").copied().unwrap_or(self.spec.limits.turns.into());
                if self.turns > limit {
                    return Err(format!("turn {} of {limit}", self.turns));
                }
            }
        }
        self.requests = requested.request;
        self.model = Some((requested.request, requested.purpose));
        self.reserved.insert(format!("r{}", requested.request), requested.reserved.clone());
        self.within_budget()
    }

    /// What was spent and is reserved is within every budget of tokens.
    pub(super) fn within_budget(&self) -> Result<(), String> {
        let Some(limit) = self.budgets.get("tokens") else { return Ok(()) };
        let reserved: u64 = self.reserved.values().map(|usage| usage.get("tokens")).sum();
        let used = self.spent.get("tokens") + reserved;
        if used > *limit { Err(format!("{used} tokens of {limit}")) } else { Ok(()) }
    }

    fn close_request(&mut self, request: u32, used: &provost_engine::Usage) -> Result<Purpose, String> {
        let Some((_, purpose)) = self.model.take().filter(|(open, _)| *open == request) else {
            return Err("the answer to no request".into());
        };
        self.reserved.remove(&format!("r{request}"));
        self.spent.add(used);
        Ok(purpose)
    }

    pub(super) fn responded(&mut self, responded: &ModelResponded) -> Result<(), String> {
        let purpose = self.close_request(responded.request, &responded.usage)?;
        if purpose == Purpose::Turn {
            self.unread = Some(responded.request);
            self.news |= responded.malformed > 0;
        }
        Ok(())
    }

    pub(super) fn model_failed(&mut self, failed: &ModelFailed) -> Result<(), String> {
        let purpose = self.close_request(failed.request, &failed.usage)?;
        self.news |= purpose == Purpose::Turn;
        Ok(())
    }

    pub(super) fn refused(&mut self, refused: &ResponseRefused) -> Result<(), String> {
        if refused.code != "completion_blocked" && self.unread.take() != Some(refused.request) {
            return Err("a refusal of no response".into());
        }
        self.news |= refused.retry;
        Ok(())
    }

    pub(super) fn declared(&mut self, accepted: &DeclarationAccepted) -> Result<(), String> {
        // What adds no work and answers nothing leaves the model with the next word.
        let is_own = accepted.origin == Origin::Declaration && accepted.add.is_empty();
        let is_last = accepted.answer.is_some() || matches!(accepted.intent.as_str(), "answer" | "done");
        self.news |= is_own && !is_last;
        if accepted.origin.is_response() && self.unread.take().is_none() {
            return Err("an interpretation of nothing".into());
        }
        if accepted.declaration != self.declarations + 1 {
            return Err("declarations are counted one by one".into());
        }
        self.declarations = accepted.declaration;
        let adds_nothing = accepted.origin == Origin::Declaration && accepted.add.is_empty();
        self.news |= adds_nothing && accepted.intent != "answer";
        for spec in &accepted.add {
            if self.actions.contains_key(&spec.id) {
                return Err(format!("{} is used twice", spec.id));
            }
            if let Origin::Bridge { action, .. } = accepted.origin {
                let bridged = !spec.only_reads();
                self.actions.entry(action).and_modify(|program| program.bridged |= bridged);
            }
            self.actions.insert(spec.id, Watched::new(spec.clone()));
        }
        accepted.cancel.iter().for_each(|id| self.cancel(*id));
        for (old, _) in &accepted.replace {
            if self.actions.get(old).is_none_or(|action| action.held || action.end.is_some()) {
                return Err(format!("{old} has begun and cannot be replaced"));
            }
            self.cancel(*old);
        }
        accepted.decide.iter().try_for_each(|(id, choice)| self.decided(*id, *choice, true))
    }

    pub(super) fn hook(&mut self, answered: &HookAnswered) -> Result<(), String> {
        if let HookAnswer::Message { messages, .. } = &answered.answer {
            self.news |= !messages.is_empty();
        }
        let (Hook::Policy, Subject::Action { action }) = (answered.hook, answered.subject) else {
            return Ok(());
        };
        let said = match &answered.answer {
            HookAnswer::Proceed { ruling } => ruling.as_ref().map(|ruling| ruling.decision),
            HookAnswer::Reject { .. } | HookAnswer::Failed { .. } => Some(Verdict::Deny),
            _ => None,
        };
        let policy = self.policy;
        let action = self.actions.get_mut(&action).ok_or("a hook about no action")?;
        action.ruled = Some((action.args, policy, said));
        Ok(())
    }

    pub(super) fn run_ended(&mut self, ended: &RunEnded) -> Result<(), String> {
        let open = self.actions.iter().find(|(_, action)| action.end.is_none() || action.open.is_some());
        if let Some((id, _)) = open {
            return Err(format!("{id} is open"));
        }
        if !self.waits.is_empty()
            || self.model.is_some()
            || self.unread.is_some()
            || !self.reserved.is_empty()
        {
            return Err("a wait, a model call, a response or a reservation is left".into());
        }
        if !self.stopping && self.news && self.spec.model == ModelUse::Asked {
            return Err("the model has not seen everything".into());
        }
        let effect = self.actions.values().map(|action| action.effect).max().unwrap_or(WorldEffect::None);
        if ended.effect != effect {
            return Err(format!("its effect is {effect:?}"));
        }
        (self.ended, self.effect) = (Some(ended.status), ended.effect);
        self.within_budget()
    }

    /// Returns whether an action that ended waits for a decision of the model, as far as its kind goes.
    pub(super) fn may_be_undecided(&self, id: ActionId) -> bool {
        use provost_contract::action::OnFailure;
        self.spec.mode == Mode::Protocol
            && self.actions.get(&id).is_some_and(|action| {
                matches!(action.spec.on_failure.on_failure, OnFailure::AskModel | OnFailure::Retry)
                    && action
                        .end
                        .as_ref()
                        .is_some_and(|end| end.status != provost_engine::event::ActionEnd::Completed)
            })
    }
}
