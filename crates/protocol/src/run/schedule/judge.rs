//! The consequence of an ending for the action itself: completed, another attempt or round, failed, in doubt.

use provost_contract::action::OutcomeReason;

use super::checked_graph::Fixed;
use super::event::{Ending, Goal};
use super::state::Cell;
use super::transition::Trigger;

/// The consequence of an ending, and the reason.
pub(super) type Judged = (Trigger, Option<OutcomeReason>);

/// How often an action may lose its process before it fails.
const INTERRUPTIONS_MAX: u32 = 3;

/// Returns the consequence of an ending for this action.
pub(super) fn judged(cell: &Cell, node: &Fixed, ending: Ending) -> Judged {
    let may_repeat = node.rules.idempotency.may_repeat();
    let in_doubt = (Trigger::Doubt, Some(OutcomeReason::InDoubt));
    let tried_enough = cell.failures + 1 >= node.attempts_max();
    match ending {
        Ending::Completed(goal) => round_done(cell, node, goal),
        Ending::Denied => (Trigger::Block, Some(OutcomeReason::Denied)),
        // An action that cannot be repeated may have taken effect; this is unknown.
        Ending::TimedOut | Ending::Interrupted if !may_repeat => in_doubt,
        Ending::Interrupted if cell.interruptions + 1 < INTERRUPTIONS_MAX => (Trigger::Retry, None),
        Ending::Failed | Ending::TimedOut if may_repeat && !tried_enough => (Trigger::Retry, None),
        Ending::Failed | Ending::TimedOut | Ending::Interrupted => (Trigger::Fail, None),
    }
}

fn round_done(cell: &Cell, node: &Fixed, goal: Goal) -> Judged {
    let last = cell.rounds + 1 >= node.rounds_max();
    match (node.has_goal(), goal, last) {
        (true, Goal::Reached, _) | (false, _, true) => (Trigger::Complete, None),
        // To continue as if the goal were reached would start actions that must not start.
        (true, Goal::NotReached, true) => (Trigger::Fail, Some(OutcomeReason::RoundsExhausted)),
        (true, Goal::NotReached, false) | (false, _, false) => (Trigger::AnotherRound, None),
    }
}

pub(super) fn count_attempt(cell: &mut Cell, trigger: Trigger, ending: Ending) {
    if trigger == Trigger::AnotherRound {
        cell.rounds += 1;
        cell.failures = 0;
    } else if trigger == Trigger::Retry && ending == Ending::Interrupted {
        cell.interruptions += 1;
    } else if trigger == Trigger::Retry {
        cell.failures += 1;
    }
}
