//! One step each: whom to ask, and what follows from the answer.

mod ask;
mod call;
mod turn;

use super::{Run, RunError};
use crate::engine::{Kind, Step};

type Kinds = Result<Vec<Kind>, RunError>;

impl Run<'_> {
    /// What few runs do is on the heap while it is done: a run that waits takes the room of its largest step.
    pub(super) async fn perform(&mut self, step: Step) -> Kinds {
        match step {
            Step::LockSession(session) => Box::pin(self.lock(session)).await,
            Step::StartTurn => self.start_turn().await,
            Step::Compact => Box::pin(self.compact()).await,
            Step::CallModel => self.call_model().await,
            Step::Authorise(place) => self.authorise(place).await,
            Step::Reconcile(place) => Box::pin(self.reconcile(place)).await,
            Step::Execute(places) => self.execute(places).await,
            Step::AskCompletion(subject) => Ok(vec![Box::pin(self.ask_completion(subject)).await]),
            Step::AskInterrupt => Box::pin(self.ask_interrupt()).await,
            Step::AskContinue => Ok(vec![Box::pin(self.ask_continue()).await]),
            Step::Record(kinds) => Ok(kinds),
            Step::Finish(_) | Step::Done => Ok(Vec::new()),
        }
    }
}
