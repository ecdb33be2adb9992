//! The transition table of one action: the only ways a status can change.

use std::fmt::Write as _;

use provost_contract::action::ActionStatus;
use provost_contract::action::ActionStatus::{
    Blocked, Canceled, Completed, Failed, Pending, Running, Waiting,
};
use strum::{IntoStaticStr, VariantArray};

/// Why a status changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "snake_case")]
pub enum Trigger {
    /// An attempt starts.
    Start,
    /// It ended successfully.
    Complete,
    /// A round of a bounded loop ended and another follows.
    AnotherRound,
    /// An attempt failed and another is allowed.
    Retry,
    /// The last attempt failed.
    Fail,
    /// It was started, and its outcome is unknown.
    Doubt,
    /// A permission, an input or a gate was refused.
    Block,
    /// A person, a client or a child run must answer first.
    Park,
    /// The answer arrived, and the action may start.
    Resume,
    /// A dependency prevents the start.
    DependencyFailed,
    /// A `when` does not hold, or every dependency was skipped.
    ConditionUnmet,
    /// The run was aborted or canceled.
    Stop,
    /// A decision reverts the ending.
    Reopen,
    /// A decision skips the action.
    Skip,
}

/// One row of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transition {
    /// The status before.
    pub from: ActionStatus,
    /// The trigger.
    pub on: Trigger,
    /// The status after.
    pub to: ActionStatus,
}

/// All transitions; anything else is illegal.
pub const TRANSITIONS: &[Transition] = &[
    row(Pending, Trigger::Start, Running),
    row(Pending, Trigger::Park, Waiting),
    row(Pending, Trigger::Block, Blocked),
    row(Pending, Trigger::DependencyFailed, Blocked),
    row(Pending, Trigger::ConditionUnmet, Canceled),
    row(Pending, Trigger::Stop, Canceled),
    row(Running, Trigger::Complete, Completed),
    row(Running, Trigger::AnotherRound, Pending),
    row(Running, Trigger::Retry, Pending),
    row(Running, Trigger::Fail, Failed),
    row(Running, Trigger::Doubt, Blocked),
    row(Running, Trigger::Block, Blocked),
    row(Running, Trigger::Park, Waiting),
    row(Running, Trigger::Stop, Canceled),
    row(Waiting, Trigger::Complete, Completed),
    row(Waiting, Trigger::AnotherRound, Pending),
    row(Waiting, Trigger::Retry, Pending),
    row(Waiting, Trigger::Fail, Failed),
    row(Waiting, Trigger::Doubt, Blocked),
    row(Waiting, Trigger::Block, Blocked),
    row(Waiting, Trigger::Resume, Pending),
    row(Waiting, Trigger::Stop, Canceled),
    row(Failed, Trigger::Reopen, Pending),
    row(Failed, Trigger::Skip, Canceled),
    row(Blocked, Trigger::Reopen, Pending),
    row(Blocked, Trigger::Skip, Canceled),
    row(Canceled, Trigger::Reopen, Pending),
];

const fn row(from: ActionStatus, on: Trigger, to: ActionStatus) -> Transition {
    Transition { from, on, to }
}

/// Returns the status after a trigger; `None` if the transition is illegal.
pub(super) fn follow(from: ActionStatus, on: Trigger) -> Option<ActionStatus> {
    TRANSITIONS.iter().find(|row| row.from == from && row.on == on).map(|row| row.to)
}

/// Returns the table as Markdown, for the documentation.
pub fn transition_table() -> String {
    let mut table = String::from("| status | on | becomes |\n| --- | --- | --- |\n");
    for Transition { from, on, to } in TRANSITIONS {
        let words: (&str, &str, &str) = (from.into(), on.into(), to.into());
        let _ = writeln!(table, "| {} | {} | {} |", words.0, words.1, words.2);
    }
    table
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn the_table_is_a_function_and_uses_every_trigger() {
        let keys: HashSet<(ActionStatus, Trigger)> =
            TRANSITIONS.iter().map(|row| (row.from, row.on)).collect();
        assert_eq!(keys.len(), TRANSITIONS.len(), "one row for each status and trigger");
        let used: HashSet<Trigger> = TRANSITIONS.iter().map(|row| row.on).collect();
        assert_eq!(used.len(), Trigger::VARIANTS.len());
    }

    #[test]
    fn the_documentation_shows_this_table() {
        assert!(
            include_str!("../../../../../docs/protocol.md").contains(&transition_table()),
            "{}",
            transition_table()
        );
    }

    #[test]
    fn a_completed_action_stays_completed() {
        assert!(Trigger::VARIANTS.iter().all(|trigger| follow(Completed, *trigger).is_none()));
        assert!(Trigger::VARIANTS.iter().any(|trigger| follow(Failed, *trigger).is_some()));
    }
}
