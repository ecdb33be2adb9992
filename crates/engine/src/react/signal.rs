//! What comes from outside: messages, cancels, answers, decisions. Each becomes exactly one event.

use super::ask::binding;
use super::{Done, QueuedSignal, Reaction, words};
use crate::event::{
    ActionEnd, Answer, Choice, EndedBy, Ignored, MessageMode, Settlement, Signal, SignalTaken, WaitKind,
    WaitSettled,
};
use crate::react::end::Ending;
use crate::react::ruling::Leave;
use crate::state::Stage;
use crate::{ActionId, Usage};

impl Reaction<'_> {
    pub(super) fn signal(&mut self, queued: QueuedSignal) -> Done {
        if let Signal::Answer { wait, answer } = &queued.body
            && self.state.wait_id(wait.number) == *wait
            && self.state.waits.contains_key(&wait.number)
        {
            return self.answer(queued.id, wait.number, answer.clone(), queued.from);
        }
        let ignored = self.is_ignored(&queued.body);
        let QueuedSignal { id: signal, from, body } = queued;
        let taken = SignalTaken { signal, from: from.clone(), body: body.clone(), ignored };
        self.emit_by(from.clone(), taken)?;
        if ignored.is_some() {
            return Ok(());
        }
        match body {
            Signal::Message { mode: MessageMode::Supersede, leaves_doubt, .. } => {
                self.supersede(leaves_doubt)
            }
            Signal::Standing { grant: Some(_), .. } => self.withdraw_needless(),
            Signal::Submit { declaration } => self.submitted(from, *declaration),
            Signal::Resume { declaration: Some(declaration), .. } => self.submitted(from, *declaration),
            Signal::Message { .. }
            | Signal::Standing { .. }
            | Signal::Cancel { .. }
            | Signal::Resume { .. }
            | Signal::Decide { .. }
            | Signal::External { .. }
            | Signal::Answer { .. } => Ok(()),
        }
    }

    fn answer(&mut self, signal: crate::SignalId, number: u32, answer: Answer, by: crate::Actor) -> Done {
        let usage = match &answer {
            Answer::Result { usage, .. } => usage.clone(),
            Answer::Verdicts { .. }
            | Answer::Again { .. }
            | Answer::Leave { .. }
            | Answer::Happened { .. }
            | Answer::Expired => Usage::default(),
        };
        // The door checked it; what lies in the queue since is not believed. The question is asked again.
        let bound = self.state.waits.get(&number).map(|wait| wait.binding);
        let outdated = answer.approves() && self.is_needless(number) && self.is_outdated(number);
        let (how, answer) = match answer {
            Answer::Verdicts { binding, .. } if Some(binding) != bound || outdated => {
                (Settlement::Withdrawn, None)
            }
            Answer::Expired => (Settlement::Expired, None),
            answer => (Settlement::Answered, Some(answer)),
        };
        let wait = self.state.wait_id(number);
        let settled = WaitSettled { wait, how, by: by.clone(), signal: Some(signal), answer, usage };
        self.emit_by(by, settled)
    }

    /// Why a signal changes nothing, if it does not.
    fn is_ignored(&self, body: &Signal) -> Option<Ignored> {
        let state = &self.state;
        match body {
            Signal::Answer { .. } => Some(Ignored::Settled),
            Signal::Resume { declaration, .. } => {
                let resumable = state.ended.is_some_and(crate::event::EndStatus::is_resumable);
                let acceptable =
                    || declaration.as_deref().is_none_or(|declared| self.is_acceptable(declared));
                match () {
                    () if !resumable => Some(Ignored::NotResumable),
                    () => (!acceptable()).then_some(Ignored::NotAcceptable),
                }
            }
            _ if state.ended.is_some() => Some(Ignored::Ended),
            Signal::Cancel { .. } if state.cancel.is_some() => Some(Ignored::Cancelling),
            Signal::Cancel { actions: Some(actions), .. } => {
                let open = actions.iter().any(|id| state.open.contains(id));
                (!open).then_some(Ignored::NothingOpen)
            }
            Signal::Decide { action, choice, .. } => {
                (!self.is_decidable(*action, *choice)).then_some(Ignored::NotDecidable)
            }
            Signal::Submit { declaration } => {
                (!self.is_acceptable(declaration)).then_some(Ignored::NotAcceptable)
            }
            Signal::Message { .. } if !state.has_model() => Some(Ignored::NoModel),
            Signal::Message { .. }
            | Signal::Cancel { .. }
            | Signal::External { .. }
            | Signal::Standing { .. } => None,
        }
    }

    fn is_decidable(&self, id: ActionId, _choice: Choice) -> bool {
        let action = self.state.action(id).filter(|action| !self.state.is_left_behind(action));
        let ended = action.and_then(|action| action.end.as_ref());
        self.state.is_protocol()
            && !self.state.is_stopping()
            && ended.is_some_and(|end| matches!(end.status, ActionEnd::Failed | ActionEnd::Blocked))
    }

    /// The user speaks instead of answering: what has not started is not wanted any more. Running work, and
    /// what is in doubt, goes on.
    fn supersede(&mut self, leaves_doubt: bool) -> Done {
        let superseded: Vec<(u32, Vec<ActionId>)> = self
            .state
            .waits
            .iter()
            .filter(|(_, wait)| match &wait.kind {
                WaitKind::InDoubt { .. } => leaves_doubt,
                WaitKind::Approval { .. } | WaitKind::Question | WaitKind::Input => wait.supersedable,
                WaitKind::Client | WaitKind::Child { .. } | WaitKind::Timer | WaitKind::Signal { .. } => {
                    false
                }
            })
            .map(|(number, wait)| (*number, wait.actions.clone()))
            .collect();
        let mut declarations: Vec<u32> = Vec::new();
        for (number, actions) in superseded {
            declarations.extend(actions.iter().map(|id| id.declaration));
            self.settle(number, Settlement::Superseded, None)?;
        }
        if self.state.is_protocol() {
            return Ok(());
        }
        let rest: Vec<ActionId> = self
            .state
            .open_actions()
            .filter(|(id, action)| {
                let not_begun = action.stage == Stage::Pending && !action.holds && action.wait.is_none();
                not_begun && action.answered.is_none() && declarations.contains(&id.declaration)
            })
            .map(|(id, _)| id)
            .collect();
        for id in rest {
            let Some(action) = self.state.action(id) else { continue };
            let result = words::superseded(action);
            self.end(id, Ending::cancelled("superseded", EndedBy::Message).result(result))?;
        }
        Ok(())
    }

    /// Withdraws what the policy of a new worker does not ask. The signals of the same commit come first: a message
    /// or a cancel that was recorded before the claim wins over the question it was sent to.
    pub(super) fn review_approvals(&mut self) -> Done {
        let open = self.state.ended.is_none() && self.state.cancel.is_none();
        if self.claimed && open { self.withdraw_needless() } else { Ok(()) }
    }

    /// Approvals that need not be asked for any more, or never will be given, are withdrawn.
    fn withdraw_needless(&mut self) -> Done {
        let waits = self.state.waits.keys().copied();
        let needless: Vec<u32> = waits.filter(|number| self.is_needless(*number)).collect();
        for number in needless {
            self.settle(number, Settlement::Withdrawn, None)?;
        }
        Ok(())
    }

    /// Whether a question was asked under another policy than the one in force.
    fn is_outdated(&self, number: u32) -> bool {
        let asked = self.state.waits.get(&number);
        asked.is_some_and(|wait| binding(self.state, &wait.actions, &wait.expect) != wait.binding)
    }

    fn is_needless(&self, number: u32) -> bool {
        let Some(wait) = self.state.waits.get(&number) else { return false };
        let needed = |id: &ActionId| {
            let action = self.state.action(*id)?;
            Some(matches!(self.state.leave(action, self.now.wall), Leave::Needed(_)))
        };
        wait.kind == WaitKind::Approval { change_set: None }
            && wait.actions.iter().filter_map(needed).any(|needed| !needed)
    }
}
