//! Remembered approvals in RAM.

use super::storage::{Storage, at_once};
use crate::port::{ApprovalMemory, Boxed, Fault, RememberedApproval, SparedQuestion};

impl ApprovalMemory for Storage {
    fn remember(&self, approval: RememberedApproval) -> Boxed<'_, Result<(), Fault>> {
        at_once(move || {
            let mut remembered = self.remembered();
            if !remembered.iter().any(|known| known.question == approval.question) {
                remembered.push(approval);
            }
            Ok(())
        })
    }

    fn recall<'a>(
        &'a self,
        question: &'a SparedQuestion,
    ) -> Boxed<'a, Result<Option<RememberedApproval>, Fault>> {
        at_once(move || Ok(self.remembered().iter().find(|known| known.question == *question).cloned()))
    }

    fn remembered(&self) -> Boxed<'_, Result<Vec<RememberedApproval>, Fault>> {
        at_once(move || Ok(self.remembered().clone()))
    }

    fn forget<'a>(&'a self, question: &'a SparedQuestion) -> Boxed<'a, Result<bool, Fault>> {
        at_once(move || {
            let mut remembered = self.remembered();
            let before = remembered.len();
            remembered.retain(|known| known.question != *question);
            Ok(remembered.len() < before)
        })
    }
}
