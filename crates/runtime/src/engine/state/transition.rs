//! The transition tables: the only ways a call and a run can change, printed in `docs/recovery.md`.

use std::fmt::Write as _;

use super::Stage;
use super::Stage::{Approved, Declared, Done, InDoubt, Opened, Settled, Started, Waiting};

/// One row: in this stage, this event, then that stage.
pub type CallRow = (Stage, &'static str, Stage);

/// Every change of a call; whatever is not listed cannot happen.
pub const CALL_TRANSITIONS: &[CallRow] = &[
    (Declared, "call_opened", Opened),
    (Declared, "message_queued", Done),
    (Declared, "cancel_asked", Done),
    (Opened, "action_started", Started),
    (Opened, "call_waits", Waiting),
    (Opened, "call_settled", Settled),
    (Opened, "call_settled", Done),
    (Waiting, "call_approved", Approved),
    (Waiting, "call_settled", Settled),
    (Waiting, "call_settled", Done),
    (Approved, "action_started", Started),
    (Approved, "call_settled", Settled),
    (Approved, "call_settled", Done),
    (Started, "call_settled", Settled),
    (Started, "call_settled", Done),
    (Started, "call_waits", Waiting),
    (Started, "run_resumed", InDoubt),
    (InDoubt, "action_started", Started),
    (InDoubt, "call_waits", Waiting),
    (InDoubt, "call_settled", Settled),
    (InDoubt, "call_settled", Done),
    (Settled, "completion_judged", Done),
    (Settled, "run_resumed", Done),
];

/// Every change of a run, in words for people.
pub const RUN_TRANSITIONS: &[(&str, &str, &str)] = &[
    ("(nothing)", "run_started", "running"),
    ("running", "run_parked", "approval_required or runtime_tool_pending"),
    ("running", "run_ended", "completed"),
    ("running", "run_ended", "failed, budget_exceeded, stalled, interrupted, cancelled or contended"),
    ("running", "run_resumed (after a crash)", "running"),
    ("approval_required or runtime_tool_pending", "run_resumed (somebody answered)", "running"),
    (
        "failed, budget_exceeded, stalled, interrupted, cancelled or contended",
        "run_resumed (reopened)",
        "running",
    ),
];

/// Whether a call may change so.
pub(super) fn allows(from: Stage, on: &str, to: Stage) -> bool {
    CALL_TRANSITIONS.contains(&(from, match_name(on), to))
}

/// The table's own text for an event's name.
fn match_name(on: &str) -> &'static str {
    CALL_TRANSITIONS.iter().map(|(_, name, _)| *name).find(|name| *name == on).unwrap_or_default()
}

/// Both tables as Markdown.
pub fn transition_tables() -> String {
    let head = |what: &str| format!("| {what} | on | becomes |\n| --- | --- | --- |\n");
    let mut tables = head("a run is");
    for (from, on, to) in RUN_TRANSITIONS {
        let _ = writeln!(tables, "| {from} | {on} | {to} |");
    }
    tables.push('\n');
    tables.push_str(&head("a call is"));
    for (from, on, to) in CALL_TRANSITIONS {
        let words: (&str, &str) = (from.into(), to.into());
        let _ = writeln!(tables, "| {} | {on} | {} |", words.0, words.1);
    }
    tables
}

#[cfg(test)]
mod tests {
    use strum::VariantArray as _;

    use super::*;

    #[test]
    fn every_stage_is_reached_and_only_done_is_final() {
        for stage in Stage::VARIANTS {
            assert!(*stage == Declared || CALL_TRANSITIONS.iter().any(|(_, _, to)| to == stage), "{stage:?}");
            let left = CALL_TRANSITIONS.iter().any(|(from, _, _)| from == stage);
            assert_eq!(left, *stage != Done, "{stage:?}");
        }
        assert!(!allows(Done, "action_started", Started), "what is done is not done again");
    }

    #[test]
    fn the_documentation_shows_these_tables() {
        let page = include_str!("../../../../../docs/recovery.md");
        assert!(page.contains(&transition_tables()), "{}", transition_tables());
    }
}
