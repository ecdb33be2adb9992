//! Who asks about tasks.

use provost_contract::UserId;
use provost_contract::principal::ConversationOwner;
use provost_contract::task::TaskResult;

/// A caller the server has verified.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TaskCaller {
    pub user: UserId,
    /// May run, see and stop every task.
    pub manages: bool,
    /// May ask for results.
    pub reads: bool,
}

impl TaskCaller {
    /// Whom a run of this caller belongs to: the user, or nobody.
    pub fn owner(self) -> Option<ConversationOwner> {
        let user = Some(self.user).filter(|user| user.is_somebody())?;
        ConversationOwner::new("user", user.to_string()).ok()
    }

    /// Whether a run is this caller's own. Nobody's run is nobody's own.
    pub fn owns(self, result: &TaskResult) -> bool {
        self.owner().is_some_and(|owner| result.owner.as_ref() == Some(&owner))
    }
}
