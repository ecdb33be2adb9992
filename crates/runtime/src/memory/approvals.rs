//! Pending actions in RAM, in the order they were stored.

use provost_contract::approval::{PendingAction, Resolution};
use serde_json::Value;

use super::storage::{Storage, at_once};
use crate::port::{ApprovalFilter, ApprovalSummary, Approvals, Boxed, Decided, Fault, StoreActionError};

impl Approvals for Storage {
    fn store(&self, action: PendingAction) -> Boxed<'_, Result<(), StoreActionError>> {
        at_once(move || {
            let mut actions = self.actions();
            if actions.get(action.action_id()).is_some() {
                return Err(StoreActionError::Taken { action_id: action.action_id().to_owned() });
            }
            actions.insert(action.action_id().to_owned(), action);
            Ok(())
        })
    }

    fn get<'a>(
        &'a self,
        action_id: &'a str,
        decided: Decided,
    ) -> Boxed<'a, Result<Option<PendingAction>, Fault>> {
        at_once(move || {
            let shown = |action: &&PendingAction| match decided {
                Decided::Hidden => !action.status().is_terminal(),
                Decided::Included => true,
            };
            Ok(self.actions().get(action_id).filter(shown).cloned())
        })
    }

    fn list<'a>(&'a self, filter: &'a ApprovalFilter) -> Boxed<'a, Result<Vec<PendingAction>, Fault>> {
        at_once(move || Ok(self.actions().iter().filter(|action| filter.shows(action)).cloned().collect()))
    }

    fn summary<'a>(&'a self, filter: &'a ApprovalFilter) -> Boxed<'a, Result<ApprovalSummary, Fault>> {
        at_once(move || {
            let mut summary = ApprovalSummary::new();
            for action in self.actions().iter().filter(|action| filter.shows(action)) {
                *summary.entry(action.status().into()).or_default() += 1;
            }
            Ok(summary)
        })
    }

    fn record_resolution<'a>(
        &'a self,
        action_id: &'a str,
        resolution: Resolution,
    ) -> Boxed<'a, Result<bool, Fault>> {
        at_once(move || {
            Ok(self.actions().get_mut(action_id).is_some_and(|action| action.resolve(resolution)))
        })
    }

    fn record_outcome<'a>(
        &'a self,
        action_id: &'a str,
        outcome: Result<Value, String>,
    ) -> Boxed<'a, Result<bool, Fault>> {
        at_once(move || {
            let mut actions = self.actions();
            let decided = actions.get_mut(action_id).filter(|action| action.status().is_terminal());
            let Some(action) = decided else { return Ok(false) };
            action.add_outcome(outcome);
            Ok(true)
        })
    }

    fn expire<'a>(&'a self, at: &'a str) -> Boxed<'a, Result<usize, Fault>> {
        at_once(move || {
            Ok(self.actions().iter_mut().filter_map(|action| action.expire(at).then_some(())).count())
        })
    }

    fn delete<'a>(
        &'a self,
        action_id: &'a str,
        resolver: &'a str,
        at: &'a str,
    ) -> Boxed<'a, Result<bool, Fault>> {
        at_once(move || {
            Ok(self.actions().get_mut(action_id).is_some_and(|action| action.withdraw(resolver, at)))
        })
    }
}
