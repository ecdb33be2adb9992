//! One step each: whom to ask, and what follows from the answer.

mod ask;
mod call;
mod turn;

use super::{Run, RunError};
use crate::engine::{Kind, Step};

type Kinds = Result<Vec<Kind>, RunError>;

impl Run<'_> {
    pub(super) async fn perform(&mut self, step: Step) -> Kinds {
        match step {
            Step::LockSession(session) => self.lock(session).await,
            Step::StartTurn => self.start_turn().await,
            Step::Compact => Ok(vec![self.compact().await]),
            Step::CallModel => self.call_model().await,
            Step::Authorise(place) => self.authorise(place).await,
            Step::Reconcile(place) => self.reconcile(place).await,
            Step::Execute(places) => self.execute(&places).await,
            Step::AskCompletion(subject) => Ok(vec![self.ask_completion(subject).await]),
            Step::AskInterrupt => self.ask_interrupt().await,
            Step::AskContinue => Ok(vec![self.ask_continue().await]),
            Step::Record(kinds) => Ok(kinds),
            Step::Finish(_) | Step::Done => Ok(Vec::new()),
        }
    }
}
